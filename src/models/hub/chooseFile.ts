import { TitoError } from "../../errors.ts";
import { checkFileName } from "./names.ts";
import type { RepoFile } from "./repo.ts";

/** Which quantisation is taken where there are several: the first of these. */
export const QUANTISATIONS: readonly string[] = ["Q4_K_M", "Q5_K_M", "Q4_0", "Q8_0", "Q6_K", "Q3_K_M", "Q2_K"];

/** A part of a model in several files, and which one of how many. */
const PART = /-(\d{5})-of-(\d{5})\.gguf$/i;
/** GGUFs that are no language model: vision projectors, and what quantisers measured. */
const NO_MODEL = /mmproj|imatrix/i;
const MOST_LISTED = 20;

/**
 * The model among a repository's files: the one that is named, else the only one, else the one of the first of `QUANTISATIONS`
 * that is there, in upper or lower case.
 *
 * @throws TitoError `model_file_missing`, `model_ambiguous`, `model_split` for a model in several files, `invalid_hub_name`
 */
export function chooseFile(id: string, files: readonly RepoFile[], name?: string): RepoFile {
  const models = files.filter(isModel);
  const whole = models.filter((file) => partsOf(file) === 1);
  if (name !== undefined) return oneOf(named(id, files, models, name), id, whole);
  // Of a model in parts, its first stands for all.
  const candidates = models.filter((file) => partsOf(file) === 1 || PART.exec(file.name)![1] === "00001");
  if (models.length === 0) {
    throw new TitoError(
      "model_file_missing",
      `There is no model among the files of ${id}: no .gguf. Name a repository that has one; they often end in -GGUF.`,
      { details: { id, files: listed(files) } },
    );
  }
  if (models.length === 1) return oneOf(models, id, whole);
  for (const quantisation of QUANTISATIONS) {
    const found = candidates.filter((file) => isOf(file, quantisation));
    if (found.length > 0) return oneOf(found, id, whole);
  }
  return oneOf(candidates.length > 0 ? candidates : models, id, whole);
}

const isModel = ({ name }: RepoFile): boolean => /\.gguf$/i.test(name) && !NO_MODEL.test(baseName(name));
const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
const partsOf = ({ name }: RepoFile): number => Number(PART.exec(name)?.[2] ?? 1);

/** `Q6_K` is not `Q6_K_L`, and `Q4_0` neither `IQ4_0` nor `Q4_0_4_8`. */
function isOf({ name }: RepoFile, quantisation: string): boolean {
  return new RegExp(`(?<![a-z0-9])${quantisation}(?![a-z0-9]|_(?:\\d|x{0,2}[sml](?![a-z0-9])))`, "i").test(name);
}

function named(id: string, files: readonly RepoFile[], models: readonly RepoFile[], name: string): RepoFile[] {
  checkFileName(name);
  const file = /\.gguf$/i.test(name) ? files.find((one) => one.name === name) : undefined;
  if (file !== undefined) return [file];
  const fact = /\.gguf$/i.test(name) ? `${id} has no file ${name}` : `${name} is no .gguf`;
  throw new TitoError("model_file_missing", `${fact}. ${thereAre(models)}`, {
    details: { id, file: name, files: listed(models) },
  });
}

/** The only one of these, which must be whole. `whole` is what can be asked for instead. */
function oneOf(found: readonly RepoFile[], id: string, whole: readonly RepoFile[]): RepoFile {
  const [file, ...others] = found.filter((one) => partsOf(one) === 1);
  if (file !== undefined && others.length === 0) return file;
  if (file === undefined) {
    const { name } = found[0]!;
    throw new TitoError(
      "model_split",
      `${name} of ${id} is one of ${partsOf(found[0]!)} parts, and only models in one file are fetched. ${thereAre(whole)}`,
      { details: { id, file: name, parts: partsOf(found[0]!), files: listed(whole) } },
    );
  }
  throw new TitoError("model_ambiguous", `Several files of ${id} could be meant. ${thereAre([file, ...others])}`, {
    details: { id, files: listed([file, ...others]) },
  });
}

function thereAre(files: readonly RepoFile[]): string {
  if (files.length === 0) return "There is no other to name.";
  const shown = files.slice(0, MOST_LISTED).map(({ name }) => name);
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : "";
  return `Name one with the option file: ${shown.join(", ")}${more}.`;
}

const listed = (files: readonly RepoFile[]): string[] => files.map(({ name }) => name);

import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = join(here, ".venv");
const python = join(folder, ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]));
/** What shows that an interpreter has the peers; it fails in a second, where the worker would fail in the middle. */
const IMPORTS = "import renderers, tokenizers, transformers";

/**
 * A Python that has the peers: the one that `TITO_BENCH_PYTHON` names, or that of `bench/.venv`, which is made when it is
 * not there (unless `mayCreate` is false). Undefined, with a line that says why, where there is none.
 */
export function peerPython(options: {
  readonly mayCreate: boolean;
  readonly note: (line: string) => void;
}): string | undefined {
  const named = process.env.TITO_BENCH_PYTHON;
  if (named) return checked(named, `TITO_BENCH_PYTHON (${named})`, options.note);
  if (existsSync(python)) return checked(python, "bench/.venv", options.note);
  if (!options.mayCreate) {
    options.note("No peers: bench/.venv does not exist; npm run bench without --smoke makes it.");
    return undefined;
  }
  return create(options.note);
}

function checked(command: string, name: string, note: (line: string) => void): string | undefined {
  if (spawnSync(command, ["-c", IMPORTS], { stdio: "ignore" }).status === 0) return command;
  note(`No peers: ${name} cannot "${IMPORTS}".`);
  return undefined;
}

function create(note: (line: string) => void): string | undefined {
  const base = ["python3", "python"].find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0);
  if (!base) {
    note("No peers: there is no Python.");
    return undefined;
  }
  note("Making bench/.venv with the peers; this happens once.");
  const steps: [string, string[]][] = [
    [base, ["-m", "venv", folder]],
    [python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", join(here, "requirements.txt")]],
  ];
  for (const [command, args] of steps) {
    const { status, stderr } = spawnSync(command, args, { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
    if (status === 0) continue;
    // Half a folder would be taken for a whole one the next time.
    rmSync(folder, { recursive: true, force: true });
    note(`No peers: bench/.venv could not be made (${stderr?.trim().split("\n").at(-1) ?? command}).`);
    return undefined;
  }
  return checked(python, "bench/.venv", note);
}

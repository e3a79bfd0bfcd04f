import { parseArgs } from "node:util";
import { type ModelInfo, modelInfo, type RendererInfo, type TokenizerInfo } from "../../models/info/index.ts";
import type { CommandIo } from "../template/commandIo.ts";
import { onePath } from "../template/commandOptions.ts";
import { type Paint, painter } from "../template/paint.ts";
import { type Cell, table } from "../template/table.ts";

export const infoUsage = `tito model info MODEL [--revision NAME] [--json]

Says what a model is: whether its chat template has tools, its size, vocabulary and renderer. Only the header of the file is
read, and no model is loaded. MODEL is a .gguf, its http(s) URL, or a hub's model as org/name: then nothing is downloaded, and
what the hub shows of the model is a hint (heuristic).

  --revision NAME   of a hub's model: a branch, a tag or a commit
  --json            { type: "model_info", … }, or { type: "error", code, message }

HF_TOKEN is the access token for the hub, HF_ENDPOINT its address. Exit code 1 when there is no answer.`;

/** @throws TitoError `usage`, and as `modelInfo` */
export async function infoCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      revision: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.write(`${infoUsage}\n`);
    return 0;
  }
  const info = await modelInfo(onePath(positionals, infoUsage), { revision: values.revision });
  io.write(`${values.json ? JSON.stringify(info) : infoLines(info, painter(io.colors)).join("\n")}\n`);
  return 0;
}

const UNKNOWN = "not known";

function infoLines(info: ModelInfo, paint: Paint): string[] {
  const { tokenizer, renderer, caps, heuristic } = info;
  const yesOrNo = (value: boolean): Cell => ({
    text: value ? "yes" : "no",
    paint: (text) => paint(value ? "green" : "dim", text),
  });
  const facts: (readonly [string, string | Cell])[] = [
    ["architecture", info.architecture ?? UNKNOWN],
    ["parameters", info.n_params === null ? UNKNOWN : parameters(info.n_params)],
    ["context length", info.context_length === null ? UNKNOWN : grouped(info.context_length)],
    ["vocabulary", vocabulary(tokenizer)],
    ["bos", token(tokenizer.bos_token, tokenizer.bos_token_id)],
    ["eos", token(tokenizer.eos_token, tokenizer.eos_token_id)],
    ["renderer", rendererText(renderer)],
    ["tool_use template", info.has_tool_use_template === null ? UNKNOWN : yesOrNo(info.has_tool_use_template)],
    ["chat format", info.chat_format],
    ["tools", yesOrNo(info.supports_tools)],
  ];
  const supported = Object.entries(caps).map(([name, value]) => [`  ${name}`, yesOrNo(value)] as const);
  const hint = heuristic
    ? ["", "From what the hub shows, before any download: tools may be in a template that it does not show."]
    : [];
  return [...table([...facts, ...supported]), ...hint];
}

const grouped = (count: number): string => count.toLocaleString("en-US");

function parameters(count: number): string {
  const short = count.toLocaleString("en-US", { notation: "compact", maximumSignificantDigits: 3 });
  return count < 1000 ? short : `${short} (${grouped(count)})`;
}

function vocabulary({ model, pre, vocab_size }: TokenizerInfo): string {
  const kind = [model, pre].filter((name) => name !== null).join(", ");
  const size = vocab_size === null ? "" : `${grouped(vocab_size)} tokens`;
  return [kind, size].filter((text) => text !== "").join(", ") || UNKNOWN;
}

function token(text: string | null, id: number | null): string {
  if (text === null) return id === null ? "none" : `id ${id}`;
  return `${JSON.stringify(text)}${id === null ? "" : ` (${id})`}`;
}

const reasons = { name: "by the model's name", template: "by its template", default: "by the template alone" } as const;

function rendererText(renderer: RendererInfo): string {
  return renderer.family === null ? `none: ${renderer.message}` : `${renderer.family}, ${reasons[renderer.by]}`;
}

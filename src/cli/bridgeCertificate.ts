import { parseArgs } from "node:util";
import { formatCertificate } from "../bridge/certificate/index.ts";
import { createRenderer } from "../renderers/createRenderer.ts";
import { type CommandIo, processIo } from "./template/commandIo.ts";
import { onePath } from "./template/commandOptions.ts";
import { openTemplates, openTokenizer } from "./template/openTemplates.ts";
import { painter } from "./template/paint.ts";
import { readKwargs } from "./template/readConversation.ts";

export const bridgeCertificateUsage = `tito bridge-certificate PATH [--name NAME] [--kwargs JSON] [--mutable] [--tokenizer PATH] [--json]

Says behind which turns a model's chat template only appends, so that a prompt and a completion can be extended instead of
rendered anew; what closes a turn and what stands between turns; and where the template rewrites history, with the shortest
conversation that shows it. PATH is a tokenizer's directory, a .jinja file, a tokenizer_config.json or a .gguf.

  --name NAME        one of several templates
  --kwargs JSON      the template's variables: '{"enable_thinking": false}'
  --mutable          let the template change lists and dicts, which transformers refuses
  --tokenizer PATH   a tokenizer, where a template's file has none beside it
  --json             the certificate

Exit code 1 when the template appends nowhere.`;

/** @throws TitoError `usage`, and what reading a model and binding its template throw */
export async function bridgeCertificateCommand(args: readonly string[], io: CommandIo = processIo()): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: "string" },
      kwargs: { type: "string" },
      mutable: { type: "boolean", default: false },
      tokenizer: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.write(`${bridgeCertificateUsage}\n`);
    return 0;
  }
  const templates = await openTemplates(onePath(positionals, bridgeCertificateUsage));
  const tokenizer = await openTokenizer(templates, values.tokenizer);
  const config = {
    name: "default",
    mutable: values.mutable,
    ...(values.name !== undefined && { templateName: values.name }),
    ...(values.kwargs !== undefined && { templateKwargs: readKwargs(values.kwargs) }),
  } as const;
  const renderer = createRenderer(tokenizer, config, { onWarning: ({ message }) => io.note(message) });
  const certificate = renderer.bridgeCertificate!;
  if (values.json) io.write(`${JSON.stringify(certificate)}\n`);
  else {
    const paint = painter(io.colors);
    const colored = (line: string) => paint(/ append-only/.test(line) ? "green" : "dim", line);
    const isVerdict = (line: string) => line.includes(" → ");
    const lines = formatCertificate(certificate).map((line) => (isVerdict(line) ? colored(line) : line));
    io.write(`${lines.join("\n")}\n`);
  }
  return certificate.boundaries.some(({ verdict }) => verdict === "appends") ? 0 : 1;
}

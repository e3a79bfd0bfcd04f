import { TitoError } from "../../errors.ts";
import { type CommandIo, processIo } from "./commandIo.ts";
import { faultLines, type ShownFault } from "./templateFault.ts";

export const templateUsage = `tito template COMMAND PATH …

  render   renders a conversation with a model's chat template
  caps     says what the template supports
  verify   compiles the template, and compares the model's renderer with it

PATH is a tokenizer's directory, a .jinja file, a tokenizer_config.json or a .gguf.
tito template COMMAND --help says more.`;

const commands: Readonly<Record<string, (args: readonly string[], io: CommandIo) => Promise<number>>> = {
  // Loaded when they are asked for, so that a short command starts fast.
  render: async (...given) => (await import("./renderCommand.ts")).renderCommand(...given),
  caps: async (...given) => (await import("./capsCommand.ts")).capsCommand(...given),
  verify: async (...given) => (await import("./verifyCommand.ts")).verifyCommand(...given),
};

/**
 * Runs `tito template …` and gives the exit code: 0 done, 1 something failed, which is then written.
 *
 * @throws TitoError `usage`, and parseArgs' own errors
 */
export async function templateCommand(
  [name, ...args]: readonly string[],
  io: CommandIo = processIo(),
): Promise<number> {
  if (name === "--help" || name === "-h") {
    io.write(`${templateUsage}\n`);
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const fact = name === undefined ? "No command given." : `There is no command "template ${name}".`;
    throw new TitoError("usage", `${fact}\n\n${templateUsage}`);
  }
  try {
    return await command(args, io);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    if (args.includes("--json")) io.write(`${JSON.stringify({ error: failure })}\n`);
    else for (const line of faultLines(failure)) io.note(line);
    return 1;
  }
}

/** What failed in the world; null: a mistake in the command, or in this program. */
function failureOf(error: unknown): ShownFault | null {
  if (error instanceof TitoError) {
    const { code, message, details } = error;
    return code === "usage" ? null : { ...details, code, message };
  }
  const { syscall, code, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined) return null;
  return { code, message: `Reading failed: ${message}.` };
}

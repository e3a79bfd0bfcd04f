import { TitoError } from "../../errors.ts";
import { type CommandIo, processIo } from "../template/commandIo.ts";

export const modelUsage = `tito model COMMAND …

  info    says what a model is: its tools, size, vocabulary and renderer
  fetch   downloads a model from a hub, checks it and says where it is

tito model COMMAND --help says more.`;

const commands: Readonly<Record<string, (args: readonly string[], io: CommandIo) => Promise<number>>> = {
  // Loaded when they are asked for, so that a short command starts fast.
  info: async (...given) => (await import("./infoCommand.ts")).infoCommand(...given),
  fetch: async (...given) => (await import("./fetchCommand.ts")).fetchCommand(...given),
};

/**
 * Runs `tito model …` and gives the exit code: 0 done, 1 something failed, which is then written.
 *
 * @throws TitoError `usage`, and parseArgs' own errors
 */
export async function modelCommand([name, ...args]: readonly string[], io: CommandIo = processIo()): Promise<number> {
  if (name === "--help" || name === "-h") {
    io.write(`${modelUsage}\n`);
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const fact = name === undefined ? "No command given." : `There is no command "model ${name}".`;
    throw new TitoError("usage", `${fact}\n\n${modelUsage}`);
  }
  try {
    return await command(args, io);
  } catch (error) {
    if (!(error instanceof TitoError) || error.code === "usage") throw error;
    const { code, message } = error;
    if (args.includes("--json")) io.write(`${JSON.stringify({ type: "error", code, message })}\n`);
    else io.note(message);
    return 1;
  }
}

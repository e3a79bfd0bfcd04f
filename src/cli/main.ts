#!/usr/bin/env node
import { conformCommand } from "../conform/index.ts";
import { TitoError } from "../errors.ts";
import { modelCommand } from "./model/command.ts";
import { templateCommand } from "./template/command.ts";

const usage = `tito COMMAND …

  analyze PATH              says how a chat template writes responses, and what shows it
  bridge-certificate PATH   says where a model's chat template only appends, and where it rewrites history
  conform FILES…            runs recorded cases through the library and says which pass
  debug-template PATH       renders the conversations that the analysis rests on, and compares them
  model …                   says what a model is, downloads one from a hub
  template …                renders a chat template, says what it supports, compares a model's renderer with it

tito COMMAND --help says more.`;

const commands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  // Loaded when it is asked for, so that a short command starts fast.
  analyze: async (args) => (await import("./analyze/analyzeCommand.ts")).analyzeCommand(args),
  "bridge-certificate": async (args) => (await import("./bridgeCertificate.ts")).bridgeCertificateCommand(args),
  conform: conformCommand,
  "debug-template": async (args) => (await import("./analyze/debugCommand.ts")).debugCommand(args),
  model: (args) => modelCommand(args),
  template: (args) => templateCommand(args),
};

/** Runs a command and gives the exit code: 0 done, 1 something failed, 2 wrong usage. */
async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h") {
    console.log(usage);
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (!command) throw new TitoError("usage", `There is no command "${name}".\n\n${usage}`);
    return await command(args);
  } catch (error) {
    if (error instanceof TitoError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS")) {
      console.error((error as Error).message);
      return error instanceof TitoError && error.code !== "usage" ? 1 : 2;
    }
    throw error;
  }
}

process.exitCode = await main(process.argv.slice(2));

import { readFileSync } from "node:fs";

/** What a command reads from and writes to. */
export interface CommandIo {
  /** Writes to the standard output, as it is. */
  readonly write: (text: string) => void;
  /** Writes a line for the user, apart from the output. */
  readonly note: (line: string) => void;
  readonly readStdin: () => string;
  /** The output is read by a person. */
  readonly isTty: boolean;
  readonly colors: boolean;
}

/** The process's own. Colours follow NO_COLOR, where any value but the empty one counts. */
export function processIo(): CommandIo {
  const isTty = process.stdout.isTTY === true;
  // A reader that has seen enough (`head`) is no failure.
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  return {
    write: (text) => void process.stdout.write(text),
    note: (line) => void process.stderr.write(`${line}\n`),
    readStdin: () => readFileSync(0, "utf8"),
    isTty,
    colors: isTty && !process.env.NO_COLOR,
  };
}

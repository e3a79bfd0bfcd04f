import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

interface Pending {
  resolve(line: string): void;
  reject(error: Error): void;
}

/** A process that answers each line of JSON with a line of JSON, one question at a time. */
export class LineProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #pending: Pending | undefined;

  constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#closed = once(this.#child, "close").catch(() => {});
    const fail = (error: Error): void => this.#pending?.reject(error);
    this.#child.on("error", fail);
    this.#child.on("close", () => fail(new Error(`${command} ended without an answer`)));
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#pending?.resolve(line));
  }

  async ask<T>(command: object): Promise<T> {
    const answer = new Promise<string>((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
    this.#child.stdin!.write(`${JSON.stringify(command)}\n`);
    return JSON.parse(await answer) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin!.end();
    await this.#closed;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Contestant, Cost } from "./measure.ts";
import type { Vocabulary } from "./vocabularies.ts";

/** What the peers can be asked to do; the input has the names of Python's arguments. */
export type PeerWork =
  | "render_ids"
  | "render"
  | "training_sample"
  | "apply_chat_template"
  | "parse"
  | "bridge"
  | "encode"
  | "decode"
  | "load";

export const PEER_NAMES: Readonly<Record<PeerWork, string>> = {
  render_ids: "renderers",
  render: "renderers",
  training_sample: "renderers",
  apply_chat_template: "transformers",
  parse: "renderers",
  bridge: "renderers",
  encode: "tokenizers",
  decode: "tokenizers",
  load: "tokenizers",
};

/** The Python process with the peers. It has one piece of work at a time. */
export class Peer {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #loaded = new Set<string>();

  constructor(python: string) {
    const script = join(fileURLToPath(new URL(".", import.meta.url)), "peer.py");
    this.#child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  /** Sets the work and does it once, for its result. */
  async prepare(work: PeerWork, vocabulary: Vocabulary, input: unknown): Promise<unknown> {
    const { name, nameOrPath, eosToken, chatTemplate, family = "qwen3" } = vocabulary;
    if (!this.#loaded.has(name)) {
      const path = await vocabulary.file();
      const settings = { eos_token: eosToken, name_or_path: nameOrPath, chat_template: chatTemplate ?? null, family };
      await this.#ask({ kind: "load", name, path, ...settings });
      this.#loaded.add(name);
    }
    return (await this.#ask<{ result: unknown }>({ kind: "prepare", work, tokenizer: name, input })).result;
  }

  contestant(work: PeerWork): Contestant {
    return { name: PEER_NAMES[work], sample: (times) => this.#ask<Cost>({ kind: "run", times }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const closed = once(this.#child, "close");
    this.#child.stdin!.end();
    await closed;
  }

  async #ask<T = object>(command: object): Promise<T> {
    this.#child.stdin!.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error("the peer's process ended without an answer");
    const answer = JSON.parse(value) as T & { error?: string };
    if (answer.error) throw new Error(`the peer failed: ${answer.error}`);
    return answer;
  }
}

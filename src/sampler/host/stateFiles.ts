import { rmSync } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A saved state of a sequence. */
export interface StateFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Saved states in a directory that only this user can read, removed when it is closed or the process exits. They are a cache: one
 * that is missing, or could not be written, is evaluated again.
 */
export class StateFiles {
  readonly #parent: string;
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #files = new Set<StateFile>();
  readonly #writing = new Set<Promise<unknown>>();
  readonly #removeAtExit = () => {
    if (this.#made !== undefined) rmSync(this.#made, { recursive: true, force: true });
  };
  #directory: Promise<string> | undefined;
  #made: string | undefined;
  #written = 0;
  #bytes = 0;
  #closed = false;

  constructor(maxBytes: number, parent = tmpdir()) {
    this.#maxBytes = maxBytes;
    this.#parent = parent;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Lets `save` write a file; undefined when it could not, or the file is larger than all may be together. */
  async write(save: (path: string) => Promise<unknown>): Promise<StateFile | undefined> {
    if (this.#closed || this.#maxBytes === 0) return undefined;
    const writing = this.#write(save);
    this.#writing.add(writing);
    try {
      return await writing;
    } finally {
      this.#writing.delete(writing);
    }
  }

  /** Whether the file is there as it was written; it then counts as used. */
  async use(file: StateFile): Promise<boolean> {
    if (!this.#files.has(file)) return false;
    const size = await stat(file.path).then(
      ({ size }) => size,
      () => -1,
    );
    if (size === file.bytes && this.#files.delete(file)) {
      this.#files.add(file);
      return true;
    }
    await this.remove(file);
    return false;
  }

  async remove(file: StateFile): Promise<void> {
    if (this.#files.delete(file)) this.#bytes -= file.bytes;
    await rm(file.path, { force: true });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writing);
    this.#files.clear();
    this.#bytes = 0;
    if (this.#made !== undefined) await rm(this.#made, { recursive: true, force: true });
    process.off("exit", this.#removeAtExit);
  }

  async #write(save: (path: string) => Promise<unknown>): Promise<StateFile | undefined> {
    let path: string | undefined;
    try {
      this.#directory ??= this.#makeDirectory();
      path = join(await this.#directory, `${this.#written++}.state`);
      // llama.cpp would make it readable for everybody; it keeps the mode of a file that is there.
      await (await open(path, "wx", 0o600)).close();
      await save(path);
      const file = { path, bytes: (await stat(path)).size };
      if (file.bytes > this.#maxBytes || this.#closed) {
        await rm(path, { force: true });
        return undefined;
      }
      this.#files.add(file);
      this.#bytes += file.bytes;
      while (this.#bytes > this.#maxBytes) await this.remove(this.#files.values().next().value!);
      return file;
    } catch {
      if (path !== undefined) await rm(path, { force: true }).catch(() => undefined);
      return undefined;
    }
  }

  async #makeDirectory(): Promise<string> {
    const made = await mkdtemp(join(this.#parent, "tito-states-"));
    this.#made = made;
    process.once("exit", this.#removeAtExit);
    return made;
  }
}

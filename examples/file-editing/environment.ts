import type { Message, Turn } from "../../src/index.ts";
import type { Environment } from "../environment.ts";
import { pick, random } from "../random.ts";
import { fileSystem, fileTools } from "./fileSystem.ts";
import { type Files, type Task, tasks } from "./tasks.ts";

export interface FileEditingOptions {
  /** Turns of the model. Default 12. */
  readonly turns?: number;
}

/** A task on files in memory: the model lists, reads and replaces until it says that it is done; then the files are checked. */
export function fileEditing({ turns = 12 }: FileEditingOptions = {}): Environment {
  return {
    start(seed) {
      const task = pick(tasks, random(seed));
      const system = fileSystem(task.files);
      let left = turns;
      return {
        tools: fileTools,
        opening: [
          { role: "system", content: "You edit files with tools. When the task is done, say so without a call." },
          { role: "user", content: task.instruction },
        ],
        answer({ message, parsed }) {
          if (--left === 0 || parsed.toolCalls.length === 0) return null;
          if (!message.tool_calls) return [{ role: "user", content: unreadable(parsed.toolCalls[0].status) }];
          return message.tool_calls.map(
            ({ id, function: call }): Message => ({
              role: "tool",
              tool_call_id: id ?? "",
              content: system.call(call?.name ?? "", JSON.parse(String(call?.arguments ?? "{}"))),
            }),
          );
        },
        reward: () => score(task, system.files),
      };
    },
  };
}

const unreadable = (status: Turn["parsed"]["toolCalls"][number]["status"]): string =>
  `Error: that call could not be read (${status}). Call again.`;

/** The share of the task's checks that hold; nothing if another file has changed. */
export function score({ files: before, checks }: Task, files: ReadonlyMap<string, string>): number {
  const all = Object.entries(checks);
  if (!untouched(before, files, Object.keys(checks))) return 0;
  return all.filter(([path, holds]) => holds(files.get(path) ?? "")).length / all.length;
}

function untouched(before: Files, files: ReadonlyMap<string, string>, except: readonly string[]): boolean {
  return Object.entries(before).every(([path, text]) => except.includes(path) || files.get(path) === text);
}

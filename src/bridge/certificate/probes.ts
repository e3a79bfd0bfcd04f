import type { Message, ToolSpec } from "../../messages/index.ts";
import type { LastTurn } from "./types.ts";

/*
 * Conversations to compare. Their words are in no template, have no white space at their edges and no markers.
 */

export const probeTools: readonly ToolSpec[] = ["first_tool", "second_tool"].map((name) => ({
  type: "function",
  function: {
    name,
    description: "A tool of the probe.",
    parameters: {
      type: "object",
      properties: { place: { type: "string", description: "Where" } },
      required: ["place"],
    },
  },
}));

const system: Message = { role: "system", content: "Rule of the probe" };
const user = (count: number): Message => ({ role: "user", content: `Question ${count} of the probe` });

interface TurnOptions {
  readonly thinking: boolean;
  readonly count: number;
}

/** Names that templates have for what a turn thinks. */
export const thoughtFields: readonly (string | number | null)[] = ["reasoning_content", "reasoning", "thinking"];

/** A turn's thoughts, in every field that a template may read them from. */
export function thought({ thinking, count }: TurnOptions): object {
  if (!thinking) return {};
  return Object.fromEntries(thoughtFields.map((field) => [field, `Thought ${count} of the probe`]));
}

export function answer(options: TurnOptions): Message {
  return { role: "assistant", ...thought(options), content: `Answer ${options.count} of the probe` };
}

/** Nine letters and digits: some templates accept no other ids. */
export const probeId = (count: number, call: number): string => `call0${count}00${call}`;

/** A turn with calls; `content` stands beside them. */
export function calls(options: TurnOptions, most: number, content = ""): Message {
  const names = ["first_tool", "second_tool"].slice(0, most);
  return {
    role: "assistant",
    ...thought(options),
    content,
    tool_calls: names.map((name, call) => ({
      id: probeId(options.count, call),
      type: "function",
      function: { name, arguments: { place: "Probing" } },
    })),
  };
}

function results(count: number, most: number): Message[] {
  return ["first_tool", "second_tool"].slice(0, most).map((name, call) => ({
    role: "tool",
    tool_call_id: probeId(count, call),
    name,
    content: `Result ${count} ${call} of the probe`,
  }));
}

/** What stands in front of the assistant's turn, from the shortest on. Each ends where a model speaks. */
export function histories(thinking: boolean): readonly (readonly Message[])[] {
  const turn = (count: number) => ({ thinking, count });
  const cycle = (count: number, most: number) => [calls(turn(count), most), ...results(count, most)];
  return [
    [user(1)],
    [system, user(1)],
    [user(1), answer(turn(1)), user(2)],
    [user(1), ...cycle(1, 2)],
    [system, user(1), ...cycle(1, 1), ...cycle(2, 1)],
    [system, user(1), answer(turn(1)), user(2), ...cycle(2, 1)],
  ];
}

export interface Probe {
  readonly history: readonly Message[];
  /** The turn in front of the boundary. */
  readonly turn: Message;
}

/** What is rendered for a boundary: every history, and a part of them where the new messages are of several kinds. */
export function probesOf(last: LastTurn, next: readonly string[], thinking: boolean, mayThink: boolean): Probe[] {
  const all = histories(thinking);
  const isSimple = new Set(next).size === 1 && next[0] !== "system" && (last === "calls") === (next[0] === "tool");
  const chosen = isSimple ? all : all.filter((_, at) => at % 2 === 0 || at === all.length - 1);
  const turn = { thinking: mayThink, count: 9 };
  if (last === "answer") return chosen.map((history) => ({ history, turn: answer(turn) }));
  const most = Math.max(1, next.filter((role) => role === "tool").length);
  return chosen.flatMap((history, at) => [
    { history, turn: calls(turn, most) },
    ...(at < 2 ? [{ history, turn: calls(turn, most, "Words of the probe") }] : []),
  ]);
}

/** The new messages of these roles. */
export function nextMessages(roles: readonly string[]): readonly Message[] {
  let result = 0;
  return roles.map((role, index) => {
    if (role !== "tool") return { role, content: `New ${role} ${index} of the probe` };
    const call = result++;
    return {
      role,
      tool_call_id: probeId(9, call),
      name: call === 0 ? "first_tool" : "second_tool",
      content: `New result ${index} of the probe`,
    };
  });
}

import type { Message, ToolSpec } from "../../src/index.ts";
import { runTool, calculatorTools as tools } from "../calculator/environment.ts";

interface Answer {
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/**
 * A client as they are: it keeps messages and no ids, knows no `reasoning_content`, reads the arguments of calls, and prints them
 * again in its own way. Returns the whole conversation.
 */
export async function converse(url: string, question: string, turns = 6): Promise<readonly Message[]> {
  const messages: Message[] = [{ role: "user", content: question }];
  for (let turn = 0; turn < turns; turn++) {
    const { content, tool_calls } = await ask(url, { messages, tools, seed: turn });
    const calls = tool_calls?.map(({ id, function: call }) => ({
      id,
      name: call.name,
      args: JSON.parse(call.arguments),
    }));
    if (!calls) return [...messages, { role: "assistant", content }];
    messages.push({
      role: "assistant",
      content,
      tool_calls: calls.map(({ id, name, args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      })),
    });
    for (const { id, name, args } of calls)
      messages.push({ role: "tool", tool_call_id: id, content: runTool({ name, arguments: JSON.stringify(args) }) });
  }
  return messages;
}

async function ask(
  url: string,
  body: { readonly messages: readonly Message[]; readonly tools: readonly ToolSpec[]; readonly seed: number },
): Promise<Answer> {
  const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(body) });
  const answer = (await response.json()) as { choices: readonly { message: Answer }[]; error?: { message: string } };
  if (!response.ok) throw new Error(answer.error?.message);
  return answer.choices[0].message;
}

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  checkMessages,
  type JsonObject,
  type JsonValue,
  messagesFromJson,
  messageToolNames,
  toolsFromJson,
  toPlain,
} from "../../src/messages/index.ts";
import { readCases, requireFixtures } from "../support/fixtures.ts";

const fixtures = requireFixtures();

describe.skipIf(fixtures === undefined)("recorded cases", () => {
  const golden = join(fixtures ?? "", "golden/renderers");
  const read = (one: JsonObject, field: string) => messagesFromJson(one.get(field) as JsonValue);

  it("gives the recorded tool names", () => {
    const cases = readCases(join(golden, "_api.jsonl"), "extract_message_tool_names");
    expect(cases.length).toBeGreaterThan(0);
    for (const one of cases) {
      expect(messageToolNames(read(one, "messages")), String(one.get("id"))).toEqual(one.get("expect"));
    }
  });

  it("gives the recorded tool names of renders and bridges, and refuses no recorded conversation as a template", () => {
    let seen = 0;
    for (const file of readdirSync(golden).filter((name) => name.endsWith(".jsonl") && !name.startsWith("_"))) {
      for (const [kind, field] of [
        ["render", "messages"],
        ["bridge", "new_messages"],
      ] as const) {
        for (const one of readCases(join(golden, file), kind)) {
          const expected = one.get("expect");
          if (!(expected instanceof Map)) continue;
          const messages = read(one, field);
          const tools = one.get("tools") ? toolsFromJson(one.get("tools") as JsonValue) : undefined;
          checkMessages(messages, { validate: "template", tools, continuing: kind === "bridge" });
          expect(messageToolNames(messages), String(one.get("id"))).toEqual(
            toPlain((expected as JsonObject).get("message_tool_names") as JsonValue),
          );
          seen++;
        }
      }
    }
    expect(seen).toBeGreaterThan(0);
  });
});

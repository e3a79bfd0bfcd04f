import type { BoundaryCertificate, BoundaryVerdict, BridgeCertificate, CounterExample } from "./types.ts";

const words: Readonly<Record<BoundaryVerdict, string>> = {
  appends: "append-only",
  rewrites: "rewrites history",
  depends: "depends on the history",
  omits: "writes nothing of a new message",
  unmarked: "no token ends the turn",
  refuses: "refused by the template",
};

/** A certificate to read, as lines; a counter-example for each kind of boundary. */
export function formatCertificate({ turn, thinking, boundaries, hash }: BridgeCertificate): string[] {
  const lines = [
    `certificate ${hash}`,
    "",
    `turn closes with      ${turn.close === null ? `the next turn's marker (${turn.nextTurn.map(shown).join(", ") || "none"})` : shown(turn.close)}`,
    `generation prompt     ${shown(turn.generationPrompt)}`,
    `a cut thought closes  ${turn.cutReasoning === null ? "not (no thinking is written)" : shown(turn.cutReasoning + (turn.close ?? ""))}`,
    `earlier thinking      ${thinking.written ? `${thinking.withoutTools} without tools, ${thinking.withTools} with tools` : "is not written"}${thinking.turnedOff ? ", turned off" : ""}`,
  ];
  for (const tools of [false, true]) {
    lines.push("", tools ? "with tools" : "without tools");
    const rows = boundaries.filter((one) => one.tools === tools);
    const names = rows.map(boundaryName);
    const width = Math.max(...names.map((name) => name.length));
    lines.push(...rows.map((row, at) => `  ${names[at]!.padEnd(width)}  ${verdictText(row)}`));
  }
  const shownNames = new Set<string>();
  for (const row of boundaries) {
    const name = boundaryName(row);
    if (row.counterExample === undefined || shownNames.has(name)) continue;
    shownNames.add(name);
    lines.push("", `${name}, ${row.tools ? "with" : "without"} tools: ${words[row.verdict]}`);
    lines.push(...exampleLines(row.counterExample));
  }
  return lines;
}

export function boundaryName({ last, next, thinking }: BoundaryCertificate): string {
  return `${last} → ${next.join(", ")}${thinking ? " (thinking)" : ""}`;
}

export function verdictText({ verdict, emptyThinking, separator, raised }: BoundaryCertificate): string {
  if (verdict === "refuses") return `${words[verdict]}: ${raised}`;
  if (verdict !== "appends") return words[verdict];
  return `${words[verdict]}${emptyThinking ? ", but for empty thinking" : ""}, between turns ${shown(separator ?? "")}`;
}

function exampleLines({ messages, at, before, expected, actual }: CounterExample): string[] {
  const roles = messages.map(({ role, tool_calls }) => (tool_calls?.length ? `${role} with calls` : role));
  return [
    `  ${roles.join(", ")}`,
    `  at ${at}, behind ${shown(before)}`,
    `    before: ${shown(expected)}`,
    `    now:    ${shown(actual)}`,
  ];
}

const shown = (text: string): string => JSON.stringify(text);

import type { BoundaryCertificate, BridgeCertificate } from "../../src/bridge/certificate/index.ts";

const columns = [
  ["answer", "user"],
  ["answer", "system"],
  ["calls", "tool"],
  ["calls", "tool,tool"],
  ["calls", "tool,user"],
] as const;

const signs: Readonly<Record<BoundaryCertificate["verdict"], string>> = {
  appends: "yes",
  rewrites: "rewrites",
  depends: "depends",
  omits: "omits",
  unmarked: "unmarked",
  refuses: "–",
};

/** A certificate as a row of the table in the docs. */
export function certificateRow(file: string, { turn, thinking, boundaries }: BridgeCertificate): string {
  const close = turn.close ?? (turn.nextTurn.length > 0 ? `next: ${turn.nextTurn.join(" ")}` : "none");
  const kept = thinking.written ? kinds(thinking.withoutTools, thinking.withTools) : "not written";
  const cells = columns.map(([last, next]) => {
    const rows = (tools: boolean) =>
      boundaries.filter((one) => one.last === last && one.next.join() === next && one.tools === tools);
    return kinds(cell(rows(false)), cell(rows(true)));
  });
  const cut = (turn.cutReasoning ?? "").replaceAll("\n", "⏎");
  return `| ${[file.replace(".jinja", ""), code(close), code(cut), kept, ...cells].join(" | ")} |`;
}

const code = (text: string): string => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``);

/** Without tools / with tools, once where they are the same. */
const kinds = (without: string, having: string): string => (without === having ? without : `${without} / ${having}`);

function cell(rows: readonly BoundaryCertificate[]): string {
  const plain = rows.find(({ thinking }) => !thinking);
  const thinking = rows.find((one) => one.thinking) ?? plain;
  if (plain === undefined || thinking === undefined) return "";
  if (plain.verdict === "appends" && thinking.verdict === "rewrites") return "drops thinking";
  const verdict = plain.verdict === "appends" ? thinking.verdict : plain.verdict;
  return `${signs[verdict]}${verdict === "appends" && plain.emptyThinking ? "*" : ""}`;
}

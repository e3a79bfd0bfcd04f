import type { Tokenizer } from "tito-rl";
import type { Played } from "../play.ts";
import { table } from "../table.ts";
import { accountByRendering } from "./rerender.ts";

/** The table at the end: the same rollouts by bridges, and the usual way. */
export function summary(played: readonly Played[], tokenizer: Tokenizer, chatTemplate: string | undefined): string {
  const sum = (count: (one: Played) => number) => played.reduce((total, one) => total + count(one), 0);
  const same = [
    played.length,
    sum(({ rollout }) => rollout.turns.length),
    sum(({ rollout }) => rollout.turns.reduce((total, turn) => total + turn.completionIds.length, 0)),
    sum(({ rollout }) => rollout.turns.reduce((total, turn) => total + turn.parsed.toolCalls.length, 0)),
    (sum(({ reward }) => reward) / played.length).toFixed(3),
  ];
  const rows = [
    [
      "bridgeToNextTurn",
      ...same,
      sum(({ rollout }) => rollout.breaks.length),
      sum(({ rollout }) => rollout.samples().length),
      sum(({ rollout }) => rollout.samples().reduce((total, sample) => total + sample.tokenIds.length, 0)),
      // A bridge encodes new messages only; a break encodes the whole prompt again.
      sum(({ rollout }) =>
        rollout.breaks.reduce((total, { turn }) => total + (rollout.turns[turn]?.promptIds.length ?? 0), 0),
      ),
      sum(({ clientSeconds }) => clientSeconds).toFixed(3),
    ],
  ];
  if (chatTemplate !== undefined) {
    const accounts = played.map(({ rollout }) => accountByRendering(rollout, tokenizer, chatTemplate));
    const total = (field: "breaks" | "samples" | "retokenized" | "trained" | "seconds") =>
      accounts.reduce((all, account) => all + account[field], 0);
    rows.push([
      "chat template every turn",
      ...same,
      total("breaks"),
      total("samples"),
      total("trained"),
      total("retokenized"),
      total("seconds").toFixed(3),
    ]);
  }
  const head = [
    "client path",
    "rollouts",
    "turns",
    "tokens",
    "tool calls",
    "reward",
    "breaks",
    "training samples",
    "tokens in samples",
    "tokens re-tokenised",
    "seconds",
  ];
  return table([head, ...rows.map((row) => row.map(String))]);
}

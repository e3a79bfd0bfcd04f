import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createRenderer,
  type Message,
  type RenderedTokens,
  type Renderer,
  TitoError,
  type ToolSpec,
} from "../../src/index.ts";
import { conversations, sampledTurn } from "../../src/testing/index.ts";
import { type BridgePlace, bridgeAt, bridgePlaces } from "../support/bridgeProbe.ts";
import { certificateRow } from "../support/certificateRow.ts";
import { comparedRenderers, familySettings } from "../support/familyBridges.ts";
import { requireFixtures } from "../support/fixtures.ts";
import { overlayTokenizer } from "../support/overlayTokenizer.ts";
import { templateFamilies } from "../support/templateFamilies.ts";
import { templateTokenizer } from "../support/templateTokens.ts";

const fixtures = requireFixtures();
const folder = join(fixtures ?? "", "templates");
const files = fixtures === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".jinja"));
const documented = readFileSync(join(import.meta.dirname, "../../docs/bridge-certificates.md"), "utf8");

const words = fc.constantFrom("yes", "no, never", "a b c", "中文 text", "1 + 1 = 2", "Let me look.");

/** White space and markers of thinking aside, the two are one history. */
function bare(text: string, { bridgeCertificate }: Renderer): string {
  const { open, close } = bridgeCertificate!.thinking;
  const without = [open, close].reduce<string>((rest, marker) => (marker ? rest.replaceAll(marker, "") : rest), text);
  return without.replace(/\s+/g, "");
}

/** The render of the whole conversation is the prompt, the turn and the extension. */
function holds(renderer: Renderer, place: BridgePlace, tools: readonly ToolSpec[] | undefined): boolean {
  const bridged = bridgeAt(renderer, place, tools);
  if (bridged === null || !bridged.result.ok) return false;
  const { promptIds, completionIds, result } = bridged;
  const { extension } = result;
  const { tokenizer } = renderer;
  const whole = renderer.renderIds([...place.history, ...place.next], { tools, addGenerationPrompt: true });
  const at = whole.length - extension.tokenIds.length;
  const stop = completionIds[completionIds.length - 1]!;
  expect(tokenizer.decode(whole.subarray(Math.max(0, at)))).toBe(tokenizer.decode(extension.tokenIds));
  expect(whole.slice(at)).toEqual(extension.tokenIds);
  const front = tokenizer.decode(whole.subarray(0, at));
  const history = tokenizer.decode([...promptIds, ...completionIds]);
  // Where the next turn's marker ends a turn, another stop may stand in its place.
  const ends = [history, history.slice(0, -tokenizer.decode([stop]).length)].map((text) => bare(text, renderer));
  expect(ends).toContain(bare(front, renderer));
  expect(extension.sampledMask.includes(1)).toBe(false);
  expect(extension.messageRoles).toEqual(place.next.map(({ role }) => role));
  return true;
}

describe.skipIf(fixtures === undefined)("certificates of published templates", () => {
  test.each(files)("%s", (file) => {
    const tokenizer = templateTokenizer(readFileSync(join(folder, file), "utf8"));
    const renderer = createRenderer(
      tokenizer,
      { name: "default", mutable: true, adaptMessages: true },
      { onWarning: () => {} },
    );
    const certificate = renderer.bridgeCertificate!;
    expect(JSON.parse(JSON.stringify(certificate))).toEqual(certificate);
    expect(documented).toContain(certificateRow(file, certificate));
    let held = 0;
    fc.assert(
      fc.property(conversations({ words, contents: words }), fc.boolean(), ({ messages, tools }, withTools) => {
        for (const place of bridgePlaces(messages)) {
          try {
            if (holds(renderer, place, withTools ? tools : undefined)) held++;
          } catch (error) {
            // The template refuses the conversation.
            if (!(error instanceof TitoError)) throw error;
          }
        }
      }),
      { numRuns: 8, seed: 20 },
    );
    const isCertified = certificate.boundaries.some(
      ({ verdict, thinking, next }) =>
        verdict === "appends" && thinking === certificate.thinking.written && next.join() === "user",
    );
    if (isCertified) expect(held).toBeGreaterThan(0);
  });
});

type Column = "messageIndices" | "contentMask";

/** Columns in which bridges differ as renders of the two do. */
const otherColumns: Readonly<Record<string, readonly Column[]>> = {
  // A token that holds the end of a tag and the beginning of a body is the body's in the family.
  "minimax-m2": ["contentMask"],
  // And so is the line before it.
  "laguna-s-2.1": ["contentMask", "messageIndices"],
};

/** A place that a family bridges though its template refuses or leaves out one of the messages. */
const takesMore: Readonly<Record<string, readonly string[]>> = {
  "qwen3.5": ["template_refuses"],
  "minimax-m2": ["role_not_rendered"],
};

const subjects = templateFamilies.flatMap((name) =>
  familySettings[name].map((settings) => ({ name, settings, shown: JSON.stringify(settings) })),
);

describe.skipIf(fixtures === undefined)("bridges of a family's template are the family's", () => {
  test.each(subjects)("$name $shown", ({ name, settings }) => {
    const tokenizer = overlayTokenizer(fixtures!, name);
    const { family, byTemplate, isThoughtless } = comparedRenderers(tokenizer, name, settings);
    const limits = name === "llama-3" ? { maxCalls: 1, contentBesideCalls: false } : {};
    const samples = conversations({ words, contents: words, ...limits }).map(({ messages, tools }) => ({
      messages: isThoughtless ? messages.map(({ reasoning_content: _, ...message }): Message => message) : messages,
      tools,
    }));
    const more = fc.constantFrom<readonly Message[]>([], [], [], [{ role: "system", content: "Be brief." }]);
    const cut = fc.option(fc.nat(), { nil: null });
    let bridged = 0;
    fc.assert(
      fc.property(samples, more, cut, fc.boolean(), ({ messages, tools }, added, cut, withTools) => {
        for (const { history, next } of bridgePlaces(messages)) {
          const given = withTools ? tools : undefined;
          const turn = sampledTurn(family, history, given);
          if (turn === null) continue;
          const { prompt: promptIds, completion } = turn;
          const completionIds = cut === null ? completion : completion.slice(0, cut % (completion.length + 1));
          const request = { promptIds, completionIds, newMessages: [...next, ...added], tools: given };
          const expected = family.bridgeToNextTurn(request);
          const actual = byTemplate.bridgeToNextTurn(request);
          if (!expected.ok) expect(actual.ok).toBe(false);
          else if (!actual.ok) expect(takesMore[name] ?? []).toContain(actual.reason);
          else {
            bridged++;
            expect(tokenizer.decode(actual.extension.tokenIds)).toBe(tokenizer.decode(expected.extension.tokenIds));
            const differing = otherColumns[name] ?? [];
            const alike = (one: RenderedTokens) => ({
              ...one,
              ...Object.fromEntries(differing.map((of) => [of, null])),
            });
            expect(alike(actual.extension)).toEqual(alike(expected.extension));
            expect(actual.synthetic).toEqual(expected.synthetic);
          }
        }
      }),
      { numRuns: 15 },
    );
    expect(bridged).toBeGreaterThan(0);
  });
});

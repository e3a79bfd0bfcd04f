import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventWriter, type SampleEvent } from "../../../src/sampler/segments/events.ts";
import { segmenter } from "../../../src/sampler/segments/segmenter.ts";

const encoder = new TextEncoder();

/** Ids 0 to 255 write their byte; a marker is a sequence of the ids above. */
const bytesOf = (id: number): Uint8Array => (id < 256 ? Uint8Array.of(id) : encoder.encode(`<${id}>`));
const markers = {
  reasoning: { starts: [[300]], end: [301] },
  toolCall: { start: [310, 311, 310, 312], end: [313, 313, 314] },
};
const writer = (opened = false) => eventWriter({ markers, opened }, bytesOf);
const run = (ids: readonly number[], opened = false): SampleEvent[] => {
  const events = writer(opened);
  return [...ids.flatMap((id) => events.push(id)), ...events.end()];
};
const bytes = (text: string): number[] => [...encoder.encode(text)];
const joined = (events: readonly SampleEvent[], kind: "content" | "reasoning" | "toolCallDelta") => {
  const deltas = events.filter((event) => event.kind === kind) as Extract<SampleEvent, { kind: "content" }>[];
  return {
    ids: deltas.flatMap(({ ids }) => [...ids]),
    bytes: deltas.flatMap(({ bytes }) => [...bytes]),
    text: deltas.map(({ text }) => text).join(""),
  };
};

const { start, end } = markers.toolCall;

describe("events", () => {
  it("cut a completion at its markers, whatever stands between them", () => {
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }).map((text) => ({ kind: "content" as const, text })),
      fc.string({ unit: "binary", maxLength: 8 }).map((text) => ({ kind: "toolCall" as const, text })),
      fc.string({ unit: "binary", maxLength: 8 }).map((text) => ({ kind: "reasoning" as const, text })),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const ids = parts.flatMap(({ kind, text }) => {
          if (kind === "toolCall") return [...start, ...bytes(text), ...end];
          return kind === "reasoning" ? [300, ...bytes(text), 301] : bytes(text);
        });
        const events = run(ids);
        const texts = (kind: string) => parts.filter((one) => one.kind === kind).map(({ text }) => text);
        expect(joined(events, "content").bytes).toEqual(bytes(texts("content").join("")));
        expect(joined(events, "reasoning").bytes).toEqual(bytes(texts("reasoning").join("")));
        const calls = events.filter((event) => event.kind === "toolCallEnd");
        expect(calls.map((call) => [...call.bytes])).toEqual(texts("toolCall").map(bytes));
        expect(calls.map(({ index }) => index)).toEqual(calls.map((_, i) => i));
        for (const call of calls) {
          expect(call).toMatchObject({ complete: true, markerIds: [...start, ...end] });
          const deltas = events.filter((event) => event.kind === "toolCallDelta" && event.index === call.index);
          expect(joined(deltas, "toolCallDelta")).toMatchObject({ ids: [...call.ids], bytes: [...call.bytes] });
        }
      }),
    );
  });

  it("lose no id, in order, wherever the completion is cut", () => {
    const id = fc.constantFrom(65, 0xc3, 0xa9, 300, 301, 310, 311, 312, 313, 314);
    fc.assert(
      fc.property(fc.array(id, { maxLength: 30 }), fc.boolean(), (ids, opened) => {
        const told = run(ids, opened).flatMap((event) => {
          if (event.kind === "toolCallStart" || event.kind === "reasoningEnd") return [...event.markerIds];
          if (event.kind === "toolCallEnd") return event.complete ? event.markerIds.slice(start.length) : [];
          return event.kind === "done" ? [] : [...event.ids];
        });
        // A reasoning start marker has no event of its own.
        const isStart = (one: number) => one === 300;
        expect(told.filter((one) => !isStart(one))).toEqual(ids.filter((one) => !isStart(one)));
      }),
    );
  });

  it("find markers of several ids with overlaps and restarts, by ids alone", () => {
    const text = [310, 311, 310, 311, 310, 312];
    expect(run(text)[0]).toMatchObject({ kind: "content", ids: [310, 311] });
    expect(run(text)[1]).toMatchObject({ kind: "toolCallStart", markerIds: start });
    // The same characters in other ids are text.
    expect(run(bytes("<310><311><310><312>")).map(({ kind }) => kind)).not.toContain("toolCallStart");
  });

  it("give a call that is cut short what it has, to the byte", () => {
    const [e, acute] = bytes("é");
    const events = run([...start, 65, e!]);
    expect(events.at(-1)).toMatchObject({ kind: "toolCallEnd", complete: false, ids: [65, e], markerIds: start });
    expect([...(events.at(-1) as { bytes: Uint8Array }).bytes]).toEqual([65, e]);
    expect(joined(run([...start, e!, acute!, ...end]), "toolCallDelta").text).toBe("é");
    // What may be the end marker is text when nothing follows.
    expect(run([...start, 65, 313, 313]).at(-1)).toMatchObject({ complete: false, ids: [65, 313, 313] });
  });

  it("begin in reasoning that the prompt left open", () => {
    const events = run([65, 301, 66], true);
    expect(events.map(({ kind }) => kind)).toEqual(["reasoning", "reasoningEnd", "content"]);
  });

  it("are content alone without markers", () => {
    const events = eventWriter(undefined, bytesOf);
    const all = [...[300, 65, 301, ...start].flatMap((id) => events.push(id)), ...events.end()];
    expect(all.every(({ kind }) => kind === "content")).toBe(true);
  });
});

describe("a segmenter", () => {
  it("says which ids may still become a marker", () => {
    const parts = segmenter(markers, { opened: false });
    for (const id of [65, 310, 311]) parts.push(id);
    expect(parts.waiting).toEqual([310, 311]);
    parts.push(65);
    expect(parts.waiting).toEqual([]);
    expect(parts.segment).toBe("content");
  });
});

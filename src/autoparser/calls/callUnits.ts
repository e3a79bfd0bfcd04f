import { equalJson, type JsonInput } from "../../messages/index.ts";
import type { CallElement } from "../../parse/layout/layout.ts";
import type { Slot, Turn } from "../probe/turn.ts";
import type { ProbeCall } from "../probe/types.ts";
import { commonPrefix } from "../text/diff.ts";
import { objectAt } from "../text/jsonIn.ts";
import { callObject, objectElement } from "./objectCalls.ts";

/** The part of a turn that one call alone makes: half-open UTF-16 range, and what it is made of. */
export interface CallUnit {
  readonly start: number;
  readonly end: number;
  readonly elements: readonly CallElement[];
}

/** Finds the unit of call `index`, which begins at or after `from`. */
export type FindUnit = (turn: Turn, index: number, call: ProbeCall, from: number) => CallUnit | null;

/** The whole call is one JSON object. */
export const objectUnit: FindUnit = (turn, index, call, from) => {
  const found = callObject(turn, index, call, from);
  if (!found) return null;
  return { start: found.start, end: found.end, elements: [objectElement(turn.text, found, call, index)] };
};

/** The name stands for itself, and the arguments are one JSON object. */
export const jsonUnit: FindUnit = (turn, index, call, from) => {
  const own = turn.pieces.filter(({ slot, start }) => slot?.call === index && start >= from);
  const head = own.filter(({ slot }) => slot!.kind === "name" || slot!.kind === "id");
  const first = own.find(({ slot }) => slot!.kind === "arguments" || slot!.kind === "key" || slot!.kind === "value");
  if (head.length === 0 || (first === undefined && Object.keys(call.function.arguments).length > 0)) return null;
  const headEnd = head.findLast((piece) => first === undefined || piece.start < first.start) ?? head[0]!;
  const after = headEnd.start + headEnd.text.length;
  for (
    let at = turn.text.indexOf("{", after);
    at >= 0 && at <= (first?.start ?? at);
    at = turn.text.indexOf("{", at + 1)
  ) {
    const found = objectAt(turn.text, at);
    if (!found || !equalJson(found.value, call.function.arguments as JsonInput)) continue;
    const slots = [
      ...head.map(({ start, text, slot }) => ({
        start,
        end: start + text.length,
        element: headElement(slot!, text, call),
      })),
      { start: found.start, end: found.end, element: { kind: "json" } as const },
    ].sort((a, b) => a.start - b.start);
    return unitOf(turn, slots);
  }
  return null;
};

interface Placed {
  readonly start: number;
  readonly end: number;
  readonly element: CallElement;
}

export function headElement(slot: Slot, text: string, call: ProbeCall): CallElement {
  if (slot.kind === "name") return { kind: "name" };
  return text.includes(call.function.name) ? { kind: "id", namesFunction: true } : { kind: "id" };
}

/** Slots in order, with the text between them. */
export function unitOf({ text }: Turn, slots: readonly Placed[]): CallUnit {
  const elements: CallElement[] = [];
  let at = slots[0]!.start;
  for (const { start, end, element } of slots) {
    if (start > at) elements.push({ kind: "text", text: text.slice(at, start) });
    elements.push(element);
    at = end;
  }
  return { start: slots[0]!.start, end: at, elements };
}

/** The texts of two calls that differ by the call's number alone: the number is an element. */
export function numbered(first: readonly CallElement[], second: readonly CallElement[] | null): readonly CallElement[] {
  if (second === null || first.length !== second.length) return first;
  return first.flatMap((element, index): readonly CallElement[] => {
    const other = second[index]!;
    if (element.kind !== "text" || other.kind !== "text" || element.text === other.text) return [element];
    return splitNumber(element.text, other.text) ?? [element];
  });
}

/** `"a0b"` and `"a1b"` as text, number, text; null where they differ otherwise. */
export function splitNumber(a: string, b: string): readonly CallElement[] | null {
  const before = commonPrefix(a, b).replace(/\d+$/, "");
  const one = /^\d+/.exec(a.slice(before.length))?.[0];
  const two = /^\d+/.exec(b.slice(before.length))?.[0];
  if (one === undefined || two === undefined || Number(two) !== Number(one) + 1 || Number(one) > 1) return null;
  const after = a.slice(before.length + one.length);
  if (after !== b.slice(before.length + two.length)) return null;
  const text = (value: string): CallElement[] => (value === "" ? [] : [{ kind: "text", text: value }]);
  return [...text(before), { kind: "index", base: Number(one) as 0 | 1 }, ...text(after)];
}

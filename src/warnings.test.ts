import { afterEach, describe, expect, test, vi } from "vitest";
import { type TitoWarning, type WarningCode, warn, warnOnce } from "./warnings.ts";

const warning = (code: WarningCode, message: string = code): TitoWarning => ({
  code,
  message,
  details: { of: message },
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("a warning", () => {
  test("is a warning of the process, with its code", () => {
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    warn(warning("template_fallback", "no template"));
    expect(emit.mock.calls).toEqual([["no template", { type: "TitoWarning", code: "template_fallback" }]]);
  });

  test("is a line on the console where there is no such process", () => {
    const line = vi.spyOn(console, "warn").mockImplementation(() => {});
    for (const process of [undefined, {}]) {
      vi.stubGlobal("process", process);
      warn(warning("pool_inline", "in this thread"));
      vi.unstubAllGlobals();
    }
    expect(line.mock.calls).toEqual(Array(2).fill(["[pool_inline] TitoWarning: in this thread"]));
  });

  test("goes to a handler whole, and nowhere else", () => {
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const seen: TitoWarning[] = [];
    const given = warning("messages_adapted");
    warn(given, (each) => seen.push(each));
    expect(seen).toEqual([given]);
    expect(seen[0]).toBe(given);
    expect(emit).not.toHaveBeenCalled();
  });

  test("goes on once for each code, for each handler made", () => {
    const seen: string[] = [];
    const handlers = [warnOnce(({ message }) => seen.push(message)), warnOnce(({ message }) => seen.push(message))];
    for (const handler of handlers) {
      handler(warning("template_fallback", "a"));
      handler(warning("tools_not_described", "b"));
      handler(warning("template_fallback", "c"));
    }
    expect(seen).toEqual(["a", "b", "a", "b"]);
  });
});

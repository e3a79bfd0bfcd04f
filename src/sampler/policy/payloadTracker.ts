import { bytePattern, latin, startOfEnd } from "./latin.ts";
import { type LiteralScan, literalScan } from "./literalScan.ts";
import { type CharTracker, tagTracker } from "./tagTracker.ts";
import type { JsonPayload, PayloadSyntax } from "./types.ts";

/** Follows the bytes of one call, behind its start marker. */
export interface PayloadTracker {
  /**
   * May the next byte be payload? True from the first byte of a value until its end is certain: also before the quotation mark or
   * within the closing tag that turns out to end it. False where only syntax can follow.
   */
  readonly inPayload: boolean;
  /** Takes the next bytes, cut anywhere; costs what they are long. Bytes that are no call do not make it throw. */
  push(bytes: Uint8Array): void;
  /** Another tracker that stands where this one does. */
  clone(): PayloadTracker;
}

/**
 * Tells payload and syntax apart in one call, byte by byte.
 *
 * @example
 * const tracker = payloadTracker({ kind: "json", within: ["arguments"] });
 * tracker.push(new TextEncoder().encode('{"name": "f", "arguments": {"city": "'));
 * tracker.inPayload; // true
 */
export function payloadTracker(syntax: PayloadSyntax): PayloadTracker {
  return ofBytes(syntax.kind === "json" ? jsonTracker(syntax) : tagTracker(syntax));
}

function ofBytes(tracker: CharTracker): PayloadTracker {
  return {
    get inPayload() {
      return tracker.inPayload;
    },
    push(bytes) {
      for (const byte of bytes) tracker.push(String.fromCharCode(byte));
    },
    clone: () => ofBytes(tracker.clone()),
  };
}

function jsonTracker({ behind = "", within = [], asText = false, quote = "" }: JsonPayload): CharTracker {
  const options = { within, asText, mark: latin(quote), quotes: quote === "" ? '"' : "", loose: false };
  const marker = bytePattern(behind);
  const memory = latin(behind).length + 64;
  const isWaiting = marker.pieces.length > 0;

  function from(scan: LiteralScan, waits: boolean, read: string): CharTracker {
    let json = scan;
    let isBefore = waits;
    let recent = read;
    return {
      get inPayload() {
        return !isBefore && json.inPayload;
      },
      push(char) {
        if (isBefore) {
          recent = (recent + char).slice(-memory);
          isBefore = startOfEnd(recent, marker) < 0;
          return;
        }
        const wasInside = json.depth > 0;
        json.push(char);
        if (!isWaiting || !wasInside || json.depth > 0) return;
        // Another call may follow.
        isBefore = true;
        recent = "";
        json = literalScan(options);
      },
      clone: () => from(json.clone(), isBefore, recent),
    };
  }
  return from(literalScan(options), isWaiting, "");
}

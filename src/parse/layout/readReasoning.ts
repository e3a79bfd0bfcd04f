import { speak } from "./heldSpace.ts";
import { mayDoubt, openDoubt } from "./readDoubt.ts";
import { addReasoning, closeReasoning, scanReasoning } from "./reasoningText.ts";
import type { ResponseReader } from "./responseReader.ts";

/** False: more text must come. */
export function readReasoning(reader: ResponseReader): boolean {
  const close = reader.layout.reasoning?.close;
  if (!close) return false;
  const found = scanReasoning(reader, close, mayDoubt(reader) ? reader.openers : []);
  if (found === null) return false;
  speak(reader, found.text, addReasoning);
  if (found.at < 0) return false;
  if (found.isClose) closeReasoning(reader, close, found.at);
  else openDoubt(reader, found.at);
  return true;
}

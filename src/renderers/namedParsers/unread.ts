import type { CallReading, ListedCall, ToolCallStatus } from "../../parse/index.ts";

/** A call of which nothing is known but its status, and maybe its name. */
export function unread(status: ToolCallStatus, name: string | null = null): CallReading {
  return { name, arguments: null, argumentsText: null, id: null, status };
}

/** The same for a piece of a list. */
export function unreadPiece(status: ToolCallStatus, start: number, end: number): ListedCall {
  return { reading: unread(status), start, end };
}

export { attributeTextSegments, type TextSegment } from "./attributeTextSegments.ts";
export { type EncodedSpans, encodeSpanIds, encodeSpans } from "./encode.ts";
export { Growable } from "./growable.ts";
export {
  type CountOptions,
  messageTokenSpans,
  type RenderedTokens,
  roleTokenSpans,
  tokensByRole,
  tokensPerMessage,
} from "./rendered.ts";
export { TokenSequence } from "./sequence.ts";
export type { ImageSpan, Origin, Span, TextSpan, TokenSpan } from "./span.ts";
export { Utf8Stream } from "./utf8.ts";
export { type ContentSpecials, SpanWriter } from "./writer.ts";

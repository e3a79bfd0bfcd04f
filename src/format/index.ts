export { answeredTools } from "./answeredTools.ts";
export { type ArgTagLayout, type ArgTags, argTagBody, argTagCalls, argTagTexts, writeArgTags } from "./argTags.ts";
export { argumentEntries, argumentTexts, callArguments, spokenCall } from "./callArguments.ts";
export { type Chatml, chatml, chatmlMarkers, chatmlThinking } from "./chatml.ts";
export {
  type ContentPiece,
  contentPieces,
  contentWithoutImages,
  dropPart,
  type ImagePiece,
  type OtherPartText,
  refusePart,
} from "./contentPieces.ts";
export type {
  BridgeObjection,
  BridgeView,
  Family,
  ImageFormat,
  OpenMessage,
  ProvenBridge,
  ProvenExtension,
  TurnEnd,
  TurnFraming,
  WireFormat,
  WriteContext,
} from "./family.ts";
export { functionCallText, printedValue, type ScalarPrinting } from "./functionCallText.ts";
export { FUNCTIONS_HEAD, FUNCTIONS_TAIL, type FunctionListing, writeFunctionListing } from "./functionListing.ts";
export { type FunctionXmlOptions, functionXmlBody, functionXmlCalls, writeFunctionXml } from "./functionXml.ts";
export { declarationPieces } from "./gemmaTools.ts";
export {
  endsInGemmaString,
  fieldPieces,
  gemmaCall,
  gemmaCallBody,
  isFields,
  piecesText,
  quoted,
  type ValuePiece,
  type ValueStyle,
  valuePieces,
} from "./gemmaValues.ts";
export { harmonyBuiltins } from "./harmonyBuiltins.ts";
export { functionsNamespace, harmonyTools } from "./harmonyTools.ts";
export * from "./harmonyTurns.ts";
export { hermesCalls, writeHermesCalls, writeHermesOpening } from "./hermes.ts";
export { type Kimi, kimi, sortedToolsJson, taggedThinking, thinkingPart } from "./kimi.ts";
export { declareTools } from "./kimiTools.ts";
export { markers, textMarker } from "./markers.ts";
export type { BridgeRefusalReason } from "./refusal.ts";
export { misplacedSystem, missingQuery, unknownRole } from "./refusedRole.ts";
export { renderedTokens } from "./renderedTokens.ts";
export { type AnsweredCall, resultNames } from "./resultNames.ts";
export { lastQueryIndex, splitThinking, startsChatmlQuery, type Thinking, templateReasoning } from "./thinking.ts";
export { writeToolResponse } from "./toolResponses.ts";
export { toolValue } from "./toolValue.ts";
export { type VisionImages, type VisionImagesOptions, visionImages } from "./visionImages.ts";

export { equalJson } from "./equalJson.ts";
export { maxDepth } from "./limits.ts";
export { objectEntries } from "./objectEntries.ts";
export { type ParseJsonOptions, type ParseJsonResult, parseJson, tryParseJson } from "./parseJson.ts";
export { compareCodePoints, type PythonJsonOptions, pythonJson, quoteJson } from "./pythonJson.ts";
export { type ToPlainOptions, toPlain } from "./toPlain.ts";
export { type JsonInput, JsonNumber, type JsonObject, type JsonValue } from "./types.ts";

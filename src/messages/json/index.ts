export { objectEntries } from "./objectEntries.ts";
export { equalJson } from "./equalJson.ts";
export { type ParseJsonOptions, type ParseJsonResult, parseJson, tryParseJson } from "./parseJson.ts";
export { type PythonJsonOptions, pythonJson } from "./pythonJson.ts";
export { type ToPlainOptions, toPlain } from "./toPlain.ts";
export { type JsonInput, JsonNumber, type JsonObject, type JsonValue } from "./types.ts";

export { pythonLiteral } from "./literal.ts";
export { type NonFinite, printFloat } from "./numbers.ts";
export { pythonRepr, pythonStr } from "./repr.ts";
export { isPythonSpace, pythonLstrip, pythonRstrip, pythonStrip } from "./strip.ts";

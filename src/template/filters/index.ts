import type { Callable } from "../values/types.ts";
import { escapeFilter, forceescape, striptags, xmlattr } from "./html.ts";
import { abs, filesizeformat, float, int, round } from "./numbers.ts";
import { pprint } from "./prettyPrint.ts";
import { items, map, reject, rejectattr, select, selectattr } from "./selecting.ts";
import {
  attr,
  batch,
  defaultFilter,
  first,
  join,
  last,
  length,
  list,
  random,
  reverse,
  slice,
  sum,
} from "./sequences.ts";
import { dictsort, groupby, max, min, sort, unique } from "./sorting.ts";
import {
  capitalize,
  center,
  format,
  indent,
  lower,
  replace,
  safe,
  string,
  title,
  trim,
  truncate,
  upper,
  wordcount,
} from "./strings.ts";
import { toJsonFilter } from "./toJson.ts";
import { urlencode, urlize } from "./urls.ts";
import { wordwrap } from "./wordwrap.ts";

export { Group } from "./group.ts";
export { type ToJsonOptions, toJson } from "./toJson.ts";

/** Jinja's filters by name, and `tojson` as chat templates have it. The first argument is what stands before the `|`. */
export const filters: ReadonlyMap<string, Callable> = new Map([
  ["abs", abs],
  ["attr", attr],
  ["batch", batch],
  ["capitalize", capitalize],
  ["center", center],
  ["count", length],
  ["d", defaultFilter],
  ["default", defaultFilter],
  ["dictsort", dictsort],
  ["e", escapeFilter],
  ["escape", escapeFilter],
  ["filesizeformat", filesizeformat],
  ["first", first],
  ["float", float],
  ["forceescape", forceescape],
  ["format", format],
  ["groupby", groupby],
  ["indent", indent],
  ["int", int],
  ["items", items],
  ["join", join],
  ["last", last],
  ["length", length],
  ["list", list],
  ["lower", lower],
  ["map", map],
  ["max", max],
  ["min", min],
  ["pprint", pprint],
  ["random", random],
  ["reject", reject],
  ["rejectattr", rejectattr],
  ["replace", replace],
  ["reverse", reverse],
  ["round", round],
  ["safe", safe],
  ["select", select],
  ["selectattr", selectattr],
  ["slice", slice],
  ["sort", sort],
  ["string", string],
  ["striptags", striptags],
  ["sum", sum],
  ["title", title],
  ["tojson", toJsonFilter],
  ["trim", trim],
  ["truncate", truncate],
  ["unique", unique],
  ["upper", upper],
  ["urlencode", urlencode],
  ["urlize", urlize],
  ["wordcount", wordcount],
  ["wordwrap", wordwrap],
  ["xmlattr", xmlattr],
]);

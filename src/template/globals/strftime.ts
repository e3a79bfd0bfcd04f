import { native } from "../values/native.ts";
import { typeName } from "../values/print.ts";
import { isText, textOf } from "../values/text.ts";
import { PythonError } from "../values/types.ts";

/** `strftime_now(format)`: the local time of the render. */
export const strftimeNow = native("strftime_now", ["format"], (runtime, format) => {
  if (!isText(format!)) throw new PythonError("TypeError", `a time's format is a text, not ${typeName(format!)}`);
  const text = textOf(format);
  if (text.includes("\0")) throw new PythonError("ValueError", "a time's format cannot hold a NUL");
  return strftime(runtime.now(), text, (length) => runtime.allow(length));
});

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/**
 * A local time as Python's `datetime.strftime` prints one without a time zone, on Linux in the C locale: `%d %b %Y`, with
 * glibc's flags (`%-d`), widths and further directives. What is no directive is printed as it stands. `allow` is asked before
 * a width is filled.
 */
export function strftime(time: Date, format: string, allow: (length: number) => void = () => {}): string {
  // Python answers these itself before it asks the C library.
  const asked = format.replace(/%[\s\S]/g, (pair) => {
    if (pair === "%f") return pad(time.getMilliseconds() * 1000, 6, "0");
    return pair === "%z" || pair === "%Z" ? "" : pair;
  });
  return asked.replace(directive, (whole, flags: string, width: string, modifier: string, letter: string) => {
    if (letter === "z") return "";
    const refused = modifier !== "" && withoutModifier[modifier as "E" | "O"].includes(letter);
    const field = refused ? undefined : fields.get(letter)?.(time);
    const padding = /[_0-](?=[^_0-]*$)/.exec(flags)?.[0];
    const text = cased(field === undefined ? whole : printed(field, padding), letter, field !== undefined, flags);
    allow(Number(width));
    const fill = padding === undefined && typeof field === "object" ? field.fill : padding === "0" ? "0" : " ";
    return text.padStart(Number(width), fill);
  });
}

const directive = /%([_\-0^#]*)(\d*)([EO]?)([\x01-\x7f])/g;

/** With these letters a modifier makes no directive. */
const withoutModifier = { E: "ABDFGHIMSUVWabdeghjklmw", O: "ADFXYacx" } as const;

interface NumberField {
  readonly value: number;
  /** The least number of digits. */
  readonly digits: number;
  readonly fill: "0" | " ";
}

type Field = string | NumberField;

function number(value: number, digits: number, fill: "0" | " " = "0"): NumberField {
  return { value, digits, fill };
}

function pad(value: number, digits: number, fill: "0" | " "): string {
  return String(value).padStart(digits, fill);
}

function printed(field: Field, padding: string | undefined): string {
  if (typeof field === "string") return field;
  const fill = padding === "0" ? "0" : padding === "_" ? " " : field.fill;
  return pad(field.value, padding === "-" ? 0 : field.digits, fill);
}

/** `#` turns the case of names round. */
function cased(text: string, letter: string, isField: boolean, flags: string): string {
  if (isField && (letter === "P" || (letter === "p" && flags.includes("#")))) return text.toLowerCase();
  const isUpper = flags.includes("^") || (isField && flags.includes("#") && "aAbBh".includes(letter));
  return isUpper ? text.toUpperCase() : text;
}

const hour12 = (time: Date): number => time.getHours() % 12 || 12;

function dayOfYear(time: Date): number {
  // In UTC every day has 24 hours.
  const days = Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) - Date.UTC(time.getFullYear(), 0, 1);
  return days / 86_400_000;
}

/** Week of the year that begins with its first such weekday (0: Sunday). */
function weekOfYear(time: Date, firstDay: number): number {
  return Math.floor((dayOfYear(time) + 7 - ((time.getDay() - firstDay + 7) % 7)) / 7);
}

/** ISO 8601: a week belongs to the year that its Thursday is in. */
function isoWeek(time: Date): { readonly year: number; readonly week: number } {
  const weekday = (time.getDay() + 6) % 7;
  const thursday = new Date(time.getFullYear(), time.getMonth(), time.getDate() - weekday + 3, 12);
  return { year: thursday.getFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

const composed =
  (format: string) =>
  (time: Date): string =>
    strftime(time, format);

const fields: ReadonlyMap<string, (time: Date) => Field> = new Map<string, (time: Date) => Field>([
  ["%", () => "%"],
  ["A", (time) => weekdays[time.getDay()]!],
  ["B", (time) => months[time.getMonth()]!],
  ["C", (time) => number(Math.floor(time.getFullYear() / 100), 2)],
  ["D", composed("%m/%d/%y")],
  ["F", composed("%Y-%m-%d")],
  ["G", (time) => number(isoWeek(time).year, 0)],
  ["H", (time) => number(time.getHours(), 2)],
  ["I", (time) => number(hour12(time), 2)],
  ["M", (time) => number(time.getMinutes(), 2)],
  ["P", (time) => (time.getHours() < 12 ? "am" : "pm")],
  ["R", composed("%H:%M")],
  ["S", (time) => number(time.getSeconds(), 2)],
  ["T", composed("%H:%M:%S")],
  ["U", (time) => number(weekOfYear(time, 0), 2)],
  ["V", (time) => number(isoWeek(time).week, 2)],
  ["W", (time) => number(weekOfYear(time, 1), 2)],
  ["X", composed("%H:%M:%S")],
  ["Y", (time) => number(time.getFullYear(), 0)],
  ["a", (time) => weekdays[time.getDay()]!.slice(0, 3)],
  ["b", (time) => months[time.getMonth()]!.slice(0, 3)],
  ["c", composed("%a %b %e %H:%M:%S %Y")],
  ["d", (time) => number(time.getDate(), 2)],
  ["e", (time) => number(time.getDate(), 2, " ")],
  ["g", (time) => number(isoWeek(time).year % 100, 2)],
  ["h", (time) => months[time.getMonth()]!.slice(0, 3)],
  ["j", (time) => number(dayOfYear(time) + 1, 3)],
  ["k", (time) => number(time.getHours(), 2, " ")],
  ["l", (time) => number(hour12(time), 2, " ")],
  ["m", (time) => number(time.getMonth() + 1, 2)],
  ["n", () => "\n"],
  ["p", (time) => (time.getHours() < 12 ? "AM" : "PM")],
  ["r", composed("%I:%M:%S %p")],
  ["s", (time) => number(Math.floor(time.getTime() / 1000), 0, " ")],
  ["t", () => "\t"],
  ["u", (time) => number(time.getDay() || 7, 1)],
  ["w", (time) => number(time.getDay(), 1)],
  ["Z", () => ""],
  ["x", composed("%m/%d/%y")],
  ["y", (time) => number(time.getFullYear() % 100, 2)],
]);

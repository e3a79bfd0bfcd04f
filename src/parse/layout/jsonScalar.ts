const words: Readonly<Record<string, string | undefined>> = {
  true: "true",
  false: "false",
  null: "null",
  True: "true",
  False: "false",
  None: "null",
  NaN: "NaN",
  nan: "NaN",
  Infinity: "Infinity",
  "-Infinity": "-Infinity",
  inf: "Infinity",
  "-inf": "-Infinity",
};
const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
const looseNumber = /^([-+]?)([0-9]*)(?:\.([0-9]*))?((?:[eE][-+]?[0-9]+)?)$/;

/** A number or a word of JSON or Python as JSON text; undefined where it is none. */
export function scalarOf(text: string): string | undefined {
  if (number.test(text)) return text;
  if (Object.hasOwn(words, text)) return words[text];
  const parts = looseNumber.exec(text);
  if (!parts || (parts[2] === "" && !parts[3])) return undefined;
  const [, sign, whole, fraction, exponent] = parts;
  const digits = (whole || "0").replace(/^0+(?=[0-9])/, "");
  if (digits !== (whole || "0")) return undefined;
  return `${sign === "-" ? "-" : ""}${digits}${fraction === undefined ? "" : `.${fraction || "0"}`}${exponent}`;
}

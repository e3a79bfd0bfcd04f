import { familyConfig, rendererConfigJsonSchema } from "../configs/index.ts";
import { type RecordedCase, toSnake } from "./cases.ts";
import { failed, type Outcome, passed } from "./outcome.ts";

interface RecordedVariant {
  readonly fields: Readonly<Record<string, readonly [type: string, value: unknown]>>;
  readonly template_fields: readonly string[];
  readonly internal_fields: readonly string[];
}

/** A field in JSON Schema, as far as configs use it. */
interface FieldSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly default?: unknown;
}

/**
 * Every recorded config has its variant here, with the recorded fields, their defaults and kinds of type; template fields
 * are the same, internal ones may be more.
 */
export function runConfigSchema(recorded: RecordedCase): Outcome {
  const expected = Object.entries(recorded.plain.expect as Readonly<Record<string, RecordedVariant>>);
  const ours = variantFields();
  const faults = expected.flatMap(([name, variant]) => {
    const fields = ours.get(name);
    return fields
      ? variantFaults(name, variant, fields).map((fault) => `${name}: ${fault}`)
      : [`${name}: no such variant`];
  });
  const actual = Object.fromEntries(ours);
  return faults.length === 0 ? passed("expect", actual) : failed(faults.join("; "), actual);
}

type Fields = Readonly<Record<string, FieldSchema>>;

/** Our variants by name, their fields by the recorded kind of name. */
function variantFields(): Map<string, Fields> {
  const { oneOf = [] } = rendererConfigJsonSchema() as { oneOf?: readonly { properties: Fields }[] };
  const recorded = (fields: Fields) => Object.entries(fields).map(([name, field]) => [toSnake(name), field]);
  return new Map(
    oneOf.map(({ properties }) => [String(properties.name.const), Object.fromEntries(recorded(properties))]),
  );
}

function variantFaults(name: string, variant: RecordedVariant, fields: Fields): string[] {
  const template = familyConfig(name)?.templateFields ?? {};
  const wrong = Object.entries(variant.fields).flatMap(([snake, [type, value]]) =>
    fieldFaults(snake, type, value, fields[snake]),
  );
  const [ours, theirs] = [Object.keys(template).sort(), [...variant.template_fields].sort()];
  const internal = variant.internal_fields.filter((snake) => Object.hasOwn(template, snake));
  return [
    ...wrong,
    ...(ours.join() === theirs.join() ? [] : [`template fields: expected ${theirs}, got ${ours}`]),
    ...internal.map((snake) => `${snake} is no template field`),
  ];
}

function fieldFaults(name: string, type: string, value: unknown, field: FieldSchema | undefined): string[] {
  if (field === undefined) return [`no field for ${name}`];
  const [expected, actual] = [recordedKinds(type), kindsOf(field, type.includes("Literal["))];
  const ownDefault = field.const ?? field.default ?? null;
  // Null is left open until the model is known; ours may be the value of most models.
  const isDefaultEqual = value === null || ownDefault === value;
  return [
    ...(expected === actual ? [] : [`${name}: expected ${expected}, got ${actual}`]),
    ...(isDefaultEqual
      ? []
      : [`${name}: expected the default ${JSON.stringify(value)}, got ${JSON.stringify(ownDefault)}`]),
  ];
}

const pythonKinds: Readonly<Record<string, string>> = {
  bool: "boolean",
  int: "integer",
  float: "number",
  str: "string",
};

/** `typing.Literal['a', 'b']` → its values, `bool | None` → boolean; unset is no kind. */
function recordedKinds(type: string): string {
  const literal = /Literal\[([^\]]*)\]/.exec(type);
  const words = literal
    ? [...literal[1]!.matchAll(/'([^']*)'/g)].map((match) => match[1]!)
    : type.match(/\b(bool|int|float|str)\b/g);
  return [...(words ?? [])]
    .map((word) => (literal ? word : pythonKinds[word]!))
    .sort()
    .join(" or ");
}

function kindsOf(field: FieldSchema, byValue: boolean): string {
  if (field.anyOf) return [...field.anyOf.map((one) => kindsOf(one, byValue))].sort().join(" or ");
  if (!byValue) return field.type ?? "anything";
  return [...(field.enum ?? [field.const])].map(String).sort().join(" or ");
}

/**
 * A template's syntax tree. `at` and `end` are the half-open range of UTF-16 units in the template's normalised text (every
 * line break a `\n`), which errors and provenance refer to.
 */
export interface Located {
  readonly at: number;
  readonly end: number;
}

export type Expression =
  | Constant
  | Name
  | TupleLiteral
  | ListLiteral
  | DictLiteral
  | Attribute
  | Subscript
  | Call
  | Filter
  | Test
  | Unary
  | Binary
  | Logic
  | Concat
  | Comparison
  | Conditional;

/** A float has a kind of its own, because `1.0` and `1` print differently; integers above 2^53 are bigints. */
export type ConstantValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | { readonly kind: "float"; readonly value: number };

export interface Constant extends Located {
  readonly kind: "constant";
  readonly value: ConstantValue;
}

export interface Name extends Located {
  readonly kind: "name";
  readonly name: string;
}

export interface TupleLiteral extends Located {
  readonly kind: "tuple";
  readonly items: readonly Expression[];
}

export interface ListLiteral extends Located {
  readonly kind: "list";
  readonly items: readonly Expression[];
}

export interface DictLiteral extends Located {
  readonly kind: "dict";
  readonly pairs: readonly (readonly [key: Expression, value: Expression])[];
}

/** `object.name` */
export interface Attribute extends Located {
  readonly kind: "attribute";
  readonly object: Expression;
  readonly name: string;
}

/** `object[index]`; `object.0` and a tuple of indices are this, too. */
export interface Subscript extends Located {
  readonly kind: "subscript";
  readonly object: Expression;
  readonly index: Expression | Slice;
}

export interface Slice extends Located {
  readonly kind: "slice";
  readonly start: Expression | null;
  readonly stop: Expression | null;
  readonly step: Expression | null;
}

export interface Arguments {
  readonly positional: readonly Expression[];
  readonly named: readonly { readonly name: string; readonly value: Expression }[];
  /** `*args` */
  readonly spread: Expression | null;
  /** `**kwargs` */
  readonly namedSpread: Expression | null;
}

export interface Call extends Located {
  readonly kind: "call";
  readonly callee: Expression;
  readonly arguments: Arguments;
}

export interface Filter extends Located {
  readonly kind: "filter";
  /** null: the body of the filter block, or of the block that is assigned. */
  readonly operand: Expression | null;
  readonly name: string;
  readonly arguments: Arguments;
}

/** `operand is name(…)`; `is not` is a `not` around it. */
export interface Test extends Located {
  readonly kind: "test";
  readonly operand: Expression;
  readonly name: string;
  readonly arguments: Arguments;
}

export interface Unary extends Located {
  readonly kind: "unary";
  readonly operator: "-" | "+" | "not";
  readonly operand: Expression;
}

export interface Binary extends Located {
  readonly kind: "binary";
  readonly operator: "+" | "-" | "*" | "/" | "//" | "%" | "**";
  readonly left: Expression;
  readonly right: Expression;
}

export interface Logic extends Located {
  readonly kind: "logic";
  readonly operator: "and" | "or";
  readonly left: Expression;
  readonly right: Expression;
}

/** `a ~ b ~ c` */
export interface Concat extends Located {
  readonly kind: "concat";
  readonly parts: readonly Expression[];
}

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

/** `a < b <= c`: every operand is evaluated once. */
export interface Comparison extends Located {
  readonly kind: "comparison";
  readonly first: Expression;
  readonly rest: readonly { readonly operator: ComparisonOperator; readonly operand: Expression }[];
}

/** `then if test else otherwise`; without `else` the value is undefined. */
export interface Conditional extends Located {
  readonly kind: "conditional";
  readonly test: Expression;
  readonly then: Expression;
  readonly otherwise: Expression | null;
}

export type Statement =
  | Text
  | Print
  | If
  | For
  | Break
  | Continue
  | Assign
  | AssignBlock
  | Macro
  | CallBlock
  | FilterBlock
  | With
  | Generation
  | NamedBlock
  | Autoescape
  | Import;

/** Text of the template itself. */
export interface Text extends Located {
  readonly kind: "text";
  readonly text: string;
}

/** `{{ … }}` */
export interface Print extends Located {
  readonly kind: "print";
  readonly value: Expression;
}

/** `elif` is an `if` alone in `otherwise`. */
export interface If extends Located {
  readonly kind: "if";
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

export interface For extends Located {
  readonly kind: "for";
  readonly target: Target;
  readonly iterable: Expression;
  /** `for … if test` */
  readonly test: Expression | null;
  readonly recursive: boolean;
  readonly body: readonly Statement[];
  /** What stands for a loop without a turn. */
  readonly otherwise: readonly Statement[];
}

export interface Break extends Located {
  readonly kind: "break";
}

export interface Continue extends Located {
  readonly kind: "continue";
}

/** What is assigned to: a name, `namespace.attribute`, or several of them. */
export type Target = Name | NamespaceTarget | TupleTarget;

export interface NamespaceTarget extends Located {
  readonly kind: "namespace";
  readonly name: string;
  readonly attribute: string;
}

export interface TupleTarget extends Located {
  readonly kind: "targets";
  readonly items: readonly Target[];
}

export interface Assign extends Located {
  readonly kind: "assign";
  readonly target: Target;
  readonly value: Expression;
}

/** `{% set x %}…{% endset %}`; the innermost filter's operand is null. */
export interface AssignBlock extends Located {
  readonly kind: "assignBlock";
  readonly target: Target;
  readonly filter: Filter | null;
  readonly body: readonly Statement[];
}

export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | null;
}

export interface Macro extends Located {
  readonly kind: "macro";
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}

/** `{% call(a, b) callee(…) %}…{% endcall %}` */
export interface CallBlock extends Located {
  readonly kind: "callBlock";
  readonly call: Call;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}

/** `{% filter upper %}…{% endfilter %}`; the innermost filter's operand is null. */
export interface FilterBlock extends Located {
  readonly kind: "filterBlock";
  readonly filter: Filter;
  readonly body: readonly Statement[];
}

export interface With extends Located {
  readonly kind: "with";
  readonly assignments: readonly { readonly target: Target; readonly value: Expression }[];
  readonly body: readonly Statement[];
}

/** `{% generation %}…{% endgeneration %}`: the template's own word for what the model samples. */
export interface Generation extends Located {
  readonly kind: "generation";
  readonly body: readonly Statement[];
}

/** `{% block name %}…{% endblock %}` */
export interface NamedBlock extends Located {
  readonly kind: "block";
  readonly name: string;
  readonly scoped: boolean;
  readonly required: boolean;
  readonly body: readonly Statement[];
}

export interface Autoescape extends Located {
  readonly kind: "autoescape";
  readonly enabled: Expression;
  readonly body: readonly Statement[];
}

/** `include`, `import`, `from … import`, `extends`: a chat template has nowhere to load from, so running one is an error. */
export interface Import extends Located {
  readonly kind: "import";
  readonly tag: "include" | "import" | "from" | "extends";
  readonly template: Expression;
  /** `include … ignore missing` does nothing instead. */
  readonly ignoreMissing: boolean;
  /** Names that the statement would bind. */
  readonly names: readonly string[];
}

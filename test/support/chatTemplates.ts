import {
  createRenderer,
  type Renderer,
  type RendererConfigInput,
  type Tokenizer,
  tokenizerFromGguf,
} from "../../src/index.ts";
import type { TitoWarning } from "../../src/warnings.ts";
import { modelFile } from "./qwen3.ts";

/** Small templates of the shapes that are common, each with the tokens that a model of it has. */
export interface TemplateShape {
  readonly template: string;
  readonly special: readonly string[];
  /** Markers that are tokens and no control tokens. */
  readonly markers?: readonly string[];
  readonly bos?: string;
  readonly eos: string;
}

const CHATML = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"];
const CALLS = ["<think>", "</think>", "<tool_call>", "</tool_call>"];

export const shapes = {
  chatml: {
    template: `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`,
    special: CHATML,
    eos: "<|im_end|>",
  },
  /** Thinking, calls and results as Qwen3 writes them; messages by their index, the system message and tools ahead. */
  thinking: {
    template: `{%- macro call(one) %}
<tool_call>
{"name": "{{ one.function.name }}", "arguments": {{ one.function.arguments | tojson }}}
</tool_call>
{%- endmacro %}
{%- set ns = namespace(start=0) %}
{%- if messages[0].role == 'system' or tools %}
{{- '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{% set ns.start = 1 %}{{ messages[0].content }}{% endif %}
{%- if tools %}{{ '\\n# Tools\\n' }}{% for tool in tools %}{{ tool | tojson }}{{ '\\n' }}{% endfor %}{% endif %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- for i in range(ns.start, messages | length) %}
{%- set message = messages[i] %}
{%- if message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n<think>\\n' + message.reasoning_content | default('', true) + '\\n</think>\\n\\n' + message.content }}
{%- for one in message.tool_calls or [] %}{{ '\\n' + call(one) | trim }}{% endfor %}
{%- elif message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
{%- else %}
{{- '<|im_start|>' ~ message.role ~ '\\n' ~ message.content }}
{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}`,
    special: CHATML,
    markers: CALLS,
    eos: "<|im_end|>",
  },
  /** The system message inside the first user's turn, nothing that opens the assistant's. */
  llama2: {
    template: `{%- if messages[0]['role'] == 'system' %}
{%- set system = '<<SYS>>\\n' + messages[0]['content'] + '\\n<</SYS>>\\n\\n' %}
{%- set rest = messages[1:] %}
{%- else %}
{%- set system = '' %}
{%- set rest = messages %}
{%- endif %}
{%- for message in rest %}
{%- if message['role'] == 'user' %}
{{- bos_token + '[INST] ' + (system if loop.first else '') + message['content'] | trim + ' [/INST]' }}
{%- else %}
{{- ' ' + message['content'] | trim + ' ' + eos_token }}
{%- endif %}
{%- endfor %}`,
    special: ["<s>", "</s>"],
    bos: "<s>",
    eos: "</s>",
  },
  /** No end of a turn: the next one's marker ends it. */
  glm: {
    template: `[gMASK]<sop>
{%- for message in messages %}
{%- if message.role == 'tool' %}{{ '<|observation|>\\n' + message.content }}
{%- else %}{{ '<|' + message.role + '|>\\n' + message.content }}
{%- endif %}
{%- for one in message.tool_calls or [] %}{{ '<tool_call>' + one.function.name + '</tool_call>' }}{% endfor %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}`,
    special: ["<|endoftext|>", "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"],
    markers: ["<tool_call>", "</tool_call>"],
    eos: "<|endoftext|>",
  },
  /** The assistant by another name; a macro and a set-block that write a message. */
  gemma: {
    template: `{{- bos_token }}
{%- macro turn(role, text) %}{{ '<start_of_turn>' + role + '\\n' + text + '<end_of_turn>\\n' }}{% endmacro %}
{%- for message in messages %}
{%- if message.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- set body %}{{ message.content | trim }}{% endset %}
{{- turn('model' if message.role == 'assistant' else message.role, body) }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}`,
    special: ["<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"],
    bos: "<bos>",
    eos: "<eos>",
  },
} as const satisfies Readonly<Record<string, TemplateShape>>;

const FIRST_ADDED_ID = 151_643;
const tokenizers = new Map<string, Tokenizer>();

/** The embedded model's vocabulary with a shape's tokens, and a template or templates by name; none with `{}`. */
export function shapeTokenizer(
  shape: TemplateShape,
  chatTemplate: string | Readonly<Record<string, string>> = shape.template,
): Tokenizer {
  const key = JSON.stringify([shape.special, shape.markers, chatTemplate]);
  const flags = { lstrip: false, rstrip: false, singleWord: false, normalized: false };
  const contents = [...shape.special, ...(shape.markers ?? [])];
  const tokenizer =
    tokenizers.get(key) ??
    tokenizerFromGguf(modelFile, {
      nameOrPath: "acme/tiny",
      addedTokens: contents.map((content, index) => ({
        id: FIRST_ADDED_ID + index,
        content,
        special: index < shape.special.length,
        ...flags,
      })),
      eosToken: shape.eos,
      bosToken: shape.bos,
      chatTemplate,
    });
  tokenizers.set(key, tokenizer);
  return tokenizer;
}

type DefaultConfigInput = Extract<RendererConfigInput, { readonly name: "default" }>;

export interface ShapeRendererOptions extends Omit<DefaultConfigInput, "name"> {
  readonly onWarning?: (warning: TitoWarning) => void;
}

export function shapeRenderer(
  shape: TemplateShape,
  { onWarning = () => {}, ...config }: ShapeRendererOptions = {},
): Renderer {
  return createRenderer(shapeTokenizer(shape), { name: "default", ...config }, { onWarning });
}

/** A render to read: each token's text between bars, with its message, `s` where it is sampled and `c` where it is content. */
export function drawn(renderer: Renderer, ...args: Parameters<Renderer["render"]>): string[] {
  const { tokenIds, messageIndices, sampledMask, contentMask } = renderer.render(...args);
  const lines: { mark: string; ids: number[] }[] = [];
  tokenIds.forEach((id, i) => {
    const mark = `${messageIndices[i]}${sampledMask[i] ? "s" : ""}${contentMask[i] ? "c" : ""}`;
    if (lines.at(-1)?.mark === mark) lines.at(-1)!.ids.push(id);
    else lines.push({ mark, ids: [id] });
  });
  return lines.map(({ mark, ids }) => `${mark} ${renderer.tokenizer.decode(ids)}`);
}

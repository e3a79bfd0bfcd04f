/*
 * Inkling (blocks of a role and a kind of content)
 *
 *   <|message_system|>tool_declare<|content_xml|>{tools as sorted JSON}<|end_message|>
 *   <|message_system|><|content_text|>{system}<|end_message|>
 *   <|message_system|><|content_text|>Thinking effort level: 0.9<|end_message|>
 *   <|message_user|><|content_text|>{text}<|end_message|><|message_user|><|content_image|>{placeholders}<|end_message|>
 *   <|message_model|><|content_thinking|>{reasoning}<|end_message|>
 *   <|message_model|><|content_text|>{content}<|end_message|>
 *   <|message_model|>{name}<|content_invoke_tool_json|>{"name":"…","args":{…}}<|end_message|><|content_model_end_sampling|>
 *   <|message_tool|>{name}<|content_text|>{result}<|end_message|>
 *
 * Each part of a content is a block of its own. The effort stands before the first message that is not the system's. The
 * thinking of all turns stays. Arguments are compact JSON with sorted keys, sharing the call with its name, which stands in
 * the header, too. A tool's result has the name of its call, if that is known.
 *
 * `patched`: arguments that come as JSON text stay to the letter, empty thinking stays, and a turn that thinks or calls has
 * no empty block of text.
 *
 * Differs from the published renderer: sounds are refused. Of a tool's result that is a list of parts the text is kept; with
 * `validate: "template"` all of the list is left out, as the template does.
 */
import { type InklingConfig, inklingConfig, inklingEfforts } from "../configs/index.ts";
import { TitoError } from "../errors.ts";
import {
  answeredTools,
  argumentEntries,
  type Family,
  markers,
  spokenCall,
  templateReasoning,
  unknownRole,
  type WireFormat,
} from "../format/index.ts";
import { type ImageResolver, mediaPart } from "../images/index.ts";
import {
  type ConversationMessage,
  type JsonInput,
  messageError,
  messageToolNames,
  parseJson,
  pythonJson,
  type ToolSpec,
  toolFunction,
} from "../messages/index.ts";
import type { SpokenCall } from "../parse/index.ts";
import type { SpanWriter } from "../tokens/index.ts";
import { inklingTurns, sortedJson } from "./inklingTurns.ts";

const ROLES = ["system", "user", "assistant", "tool"];

export const inkling: Family<InklingConfig> = {
  config: inklingConfig,
  bind(tokenizer, config): WireFormat {
    const token = markers(tokenizer, "inkling", {
      system: "<|message_system|>",
      user: "<|message_user|>",
      model: "<|message_model|>",
      tool: "<|message_tool|>",
      text: "<|content_text|>",
      thinking: "<|content_thinking|>",
      image: "<|content_image|>",
      declaration: "<|content_xml|>",
      callJson: "<|content_invoke_tool_json|>",
      callText: "<|content_invoke_tool_text|>",
      end: "<|end_message|>",
      stop: "<|content_model_end_sampling|>",
      imagePad: "<|unused_200054|>",
    });
    const { validate } = config;
    const isTemplate = validate === "template";
    const effort =
      typeof config.reasoningEffort === "string" ? inklingEfforts[config.reasoningEffort] : config.reasoningEffort;

    const { grammar, turnText } = inklingTurns(tokenizer, token, config);

    const open = (out: SpanWriter, role: { readonly id: number }) => out.token(role.id);
    const close = (out: SpanWriter) => out.token(token.end.id);

    function writeParts(out: SpanWriter, message: ConversationMessage, images: ImageResolver): void {
      const role = message.role === "system" ? token.system : token.user;
      for (const [text, part, at] of partsOf(message)) {
        open(out, role);
        if (part === null) close(out.token(token.text.id).body(text));
        else close(out.token(token.image.id).image(token.imagePad.id, images.resolve(part, at)));
      }
    }

    function writeTurn(out: SpanWriter, message: ConversationMessage): void {
      const toolCalls = message.toolCalls.map((call, index) => {
        if (argumentEntries(call)) return spokenObject(spokenCall(call), call.arguments);
        throw messageError({
          code: "invalid_arguments",
          index: message.index,
          field: `messages[${message.index}].tool_calls[${index}].function.arguments`,
          expected: "a JSON object",
          actual: call.arguments,
          remedy: "This format writes arguments as an object: pass one, or its JSON text.",
        });
      });
      const text = turnText(
        { reasoning: templateReasoning(message, validate), content: "", toolCalls },
        textParts(message),
      );
      // A turn that says nothing at all has no block, and so no role.
      if (text !== "") open(out, token.model).sampled(text);
      out.sampledToken(token.stop.id);
    }

    function writeEffort(out: SpanWriter): void {
      open(out.at(-1), token.system).token(token.text.id);
      close(out.scaffold(`Thinking effort level: ${pythonJson(effort)}`));
    }

    return {
      roles: ROLES,
      grammar,
      turn: {
        close: token.stop.id,
        separator: "",
        writeClose(out, { openMessage }) {
          if (openMessage && (openMessage.part !== null || openMessage.header !== "")) close(out);
          out.token(token.stop.id);
        },
      },
      // A call's id that is used again names earlier results anew.
      isPrefixStable: false,
      startsQuery: ({ role }) => role === "user",
      // How large an image is made before it is cut into patches is the engine's choice: the user names the rule.
      images: { placeholder: token.imagePad.id, processor: undefined },

      writeOpening(out, { tools = [] }) {
        if (tools.length === 0) return;
        open(out.at(-1), token.system).scaffold("tool_declare").token(token.declaration.id);
        close(out.foreign(sortedJson(tools.map(declaration))));
      },

      writeMessages(out, { messages, continues }, { images, response }) {
        const names = isTemplate
          ? messageToolNames(messages.map((message) => message.raw))
          : answeredTools(messages, response);
        let saysEffort = !continues;
        messages.forEach((message, index) => {
          if (!ROLES.includes(message.role)) throw unknownRole(message, ROLES);
          if (saysEffort && message.role !== "system") {
            writeEffort(out);
            saysEffort = false;
          }
          out.at(index);
          if (message.role === "assistant") writeTurn(out, message);
          else if (message.role === "tool") {
            open(out, token.tool)
              .foreign(names[index] ?? "")
              .token(token.text.id);
            const isLeftOut = isTemplate && typeof message.content !== "string";
            close(out.body(isLeftOut ? "" : textParts(message).join("")));
          } else writeParts(out, message, images);
        });
        if (saysEffort) writeEffort(out);
      },

      writeGenerationPrompt(out) {
        open(out, token.model);
      },

      refuse({ conversation: { messages }, context: { response } }) {
        const names = isTemplate ? messages.map((message) => message.name) : answeredTools(messages, response);
        const index = messages.findIndex(({ role, toolCallId }, i) => role === "tool" && toolCallId && !names[i]);
        if (index < 0) return null;
        return {
          reason: "unresolved_tool_name",
          message: `New message ${index} does not name the tool that it answers, and its call is known by its id alone. Set its name.`,
        };
      },
    };
  },
};

/** Arguments that come as a value print as the format prints them, also where text would stay to the letter. */
function spokenObject(call: SpokenCall, args: unknown): SpokenCall {
  return typeof args === "string" ? call : { ...call, argumentsText: sortedJson((args ?? {}) as JsonInput) };
}

function declaration(tool: ToolSpec): JsonInput {
  const { name, description, parameters } = toolFunction(tool);
  const schema = typeof parameters === "string" ? parseJson(parameters) : parameters;
  const type = typeof tool.type === "string" && tool.type !== "" ? tool.type : "function";
  return { description: description || "", name: name ?? null, parameters: schema ?? {}, type };
}

/** A message's blocks: the text of each part, or the image with its place; content that is null or missing has none. */
function partsOf({ content, index }: ConversationMessage): (readonly [text: string, image: unknown, at: string])[] {
  if (typeof content === "string") return [[content, null, ""]];
  if (!Array.isArray(content)) return [];
  return content.map((part: unknown, place) => {
    const at = `messages[${index}].content[${place}]`;
    if (typeof part === "string") return [part, null, at] as const;
    if (mediaPart(part, at)?.kind === "image") return ["", part, at] as const;
    const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown };
    const isText = type === undefined || type === null || type === "text" || type === "input_text";
    if (!isText) throw unsupported(at, `is of the type ${JSON.stringify(type)}, which this format has no block for`);
    return [typeof text === "string" ? text : "", null, at] as const;
  });
}

/** The same where the format has no place for images. */
function textParts(message: ConversationMessage): string[] {
  return partsOf(message).map(([text, part, at]) => {
    if (part === null) return text;
    throw unsupported(at, `is an image, which this format has only in messages of a user or the system`);
  });
}

function unsupported(at: string, what: string): TitoError {
  return new TitoError("unsupported_content", `${at} ${what}. Pass a string, or parts of text.`, {
    details: { field: at },
  });
}

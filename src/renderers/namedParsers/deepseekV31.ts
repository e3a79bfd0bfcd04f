import { markers } from "../../format/index.ts";
import { pythonStrip } from "../../messages/index.ts";
import {
  type CallGrammar,
  type CallText,
  endsInJsonString,
  jsonArguments,
  knownStatus,
  type SpokenCall,
} from "../../parse/index.ts";
import type { CallsFormat, ParserContext } from "./types.ts";
import { unread } from "./unread.ts";

/*
 * Calls as DeepSeek V3.1 has them:
 *
 *   <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{JSON}<｜tool▁call▁end｜>…<｜tool▁calls▁end｜>
 */
export function deepseekV31({ tokenizer, name }: ParserContext): CallsFormat {
  const token = markers(tokenizer, name, {
    callsOpen: "<｜tool▁calls▁begin｜>",
    callsClose: "<｜tool▁calls▁end｜>",
    callOpen: "<｜tool▁call▁begin｜>",
    callClose: "<｜tool▁call▁end｜>",
    separator: "<｜tool▁sep｜>",
  });
  const nameIn = ({ text, atoms: [atom] }: CallText) => (atom ? pythonStrip(text.slice(0, atom.start)) || null : null);

  const calls: CallGrammar = {
    open: token.callOpen,
    close: token.callClose,
    section: { open: token.callsOpen, close: token.callsClose },
    separator: "",
    atoms: [token.separator.id],
    body: (call, tools) => {
      const [atom] = call.atoms;
      if (!atom) return unread("malformed_structure");
      const name = nameIn(call);
      const read = jsonArguments(call.text.slice(atom.end));
      const known = name === null ? "missing_name" : knownStatus(name, tools);
      return { ...read, name, id: null, status: read.status === "ok" ? known : read.status };
    },
    endsInside: ({ text, atoms: [atom] }) => atom !== undefined && endsInJsonString(text.slice(atom.end)),
    unclosed: (call) => ({ name: nameIn(call) }),
  };

  function write(spoken: readonly SpokenCall[]): string {
    if (spoken.length === 0) return "";
    const texts = spoken.map(
      (call) => token.callOpen.text + call.name + token.separator.text + call.argumentsText + token.callClose.text,
    );
    return token.callsOpen.text + texts.join("") + token.callsClose.text;
  }

  return { kind: "calls", calls, write };
}

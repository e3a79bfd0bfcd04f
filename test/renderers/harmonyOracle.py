"""What Harmony itself gives: renders random conversations and reads random responses with openai_harmony, and prints a line
of JSON for each:

    {kind: "render", config, messages, tools, generate, text, count, sha256}   the ids' text, number and digest
    {kind: "read", completion, reasoning, content, calls}                      a response as the model writes it

    python harmonyOracle.py SEED CONVERSATIONS > harmony.jsonl

`python harmonyOracle.py 1 60` wrote data/harmony.jsonl. Needs openai_harmony, and TIKTOKEN_ENCODINGS_BASE where there is no
network: a folder with o200k_base.tiktoken.
"""

import hashlib
import json
import random
import sys

from openai_harmony import (
    Author,
    Conversation,
    DeveloperContent,
    HarmonyEncodingName,
    Message,
    ReasoningEffort,
    RenderConversationConfig,
    Role,
    SystemContent,
    ToolDescription,
    load_harmony_encoding,
)

ENCODING = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
EFFORTS = {"low": ReasoningEffort.LOW, "medium": ReasoningEffort.MEDIUM, "high": ReasoningEffort.HIGH}
WORDS = ["a", "Hello", " world", "\n", "\n\n", "  ", "Straße", "中文", "🤔", "1234567", " 12,5", "don't", "\r\n", "\t", "{", "}"]
WORDS += ['"', "\\", "to=functions.x", " THE End", "_x", "-", "...", "'S"]
MARKERS = ["<|end|>", "<|start|>assistant", "<|channel|>analysis<|message|>", "<|call|>", "<|return|>", "<|constrain|>json"]


def text(rng, most=6, markers=False):
    words = WORDS + MARKERS if markers else WORDS
    return "".join(rng.choice(words) for _ in range(rng.randrange(most + 1)))


def value(rng, depth=2):
    kind = rng.random()
    if depth and kind < 0.15:
        return [value(rng, depth - 1) for _ in range(rng.randrange(3))]
    if depth and kind < 0.3:
        return {text(rng, 1) or "key": value(rng, depth - 1) for _ in range(rng.randrange(3))}
    numbers = [1, -5, 0.5, 1.0, -0.0, 1e16, 123456789012345680.0, 1e-7, 3.1e-5, 2**53 + 1, 2**64, -(2**63) - 1]
    return rng.choice([None, True, False, "x", "line\n", 'a "quote"', "true", "", *numbers])


def schema(rng, depth):
    one = {}
    kind = rng.random()
    if depth and kind < 0.3:
        one["type"] = "object"
        if rng.random() < 0.9:
            names = ["a", "b", "city", "née", "x-y", "10", "2"]
            one["properties"] = {rng.choice(names): schema(rng, depth - 1) for _ in range(rng.randrange(4))}
        if rng.random() < 0.5:
            one["required"] = rng.choice([["a"], ["city", "b"], [], ["10"]])
    elif depth and kind < 0.42:
        one["type"] = "array"
        if rng.random() < 0.8:
            one["items"] = schema(rng, depth - 1)
    elif depth and kind < 0.55:
        one["oneOf"] = [schema(rng, depth - 1) for _ in range(rng.randrange(4))]
    elif kind < 0.62:
        one["type"] = rng.choice([["string", "null"], ["integer", "number"], [], ["object"], [1]])
    elif kind < 0.8:
        one["type"] = "string"
        if rng.random() < 0.5:
            one["enum"] = rng.choice([["a", "b"], ['é"', 1], [], [1]])
    else:
        one["type"] = rng.choice(["integer", "number", "boolean", "null", "weird", None])
    extras = [
        (0.25, "description", ["The city", "several\nlines", "", "same", "same", 5]),
        (0.2, "default", [value(rng)]),
        (0.2, "nullable", [True, False, "yes"]),
        (0.1, "title", ["Title", ""]),
        (0.1, "examples", [["x", 1, 'y"'], [], [2]]),
        (0.05, "oneOf", [None, "x"]),
        (0.1, "anyOf", [[{"type": "string"}]]),
        (0.05, "enum", [["a"]]),
    ]
    for chance, name, choices in extras:
        if rng.random() < chance:
            one[name] = rng.choice(choices)
    fields = list(one.items())
    rng.shuffle(fields)
    return dict(fields)


def tool(rng, number):
    parameters = schema(rng, 3)
    if rng.random() < 0.8:
        properties = {rng.choice(["a", "b", "city", "c d"]): schema(rng, 2) for _ in range(rng.randrange(4))}
        parameters = {"type": "object", "properties": properties, "required": rng.choice([[], ["a"], ["city"]])}
    function = {
        "name": f"{rng.choice(['search', 'run_code', 'get-x'])}{number}",
        "description": rng.choice(["Does it.", "Several\nlines\r\n\nof text\n", "", "Ünï", text(rng, 3, True)]),
    }
    if rng.random() < 0.9:
        function["parameters"] = parameters
    return {"type": "function", "function": function}


def described(spec):
    function = spec["function"]
    return ToolDescription.new(function["name"], function["description"], function.get("parameters"))


def assistant(rng):
    message = {"role": "assistant", "content": text(rng, 5, True)}
    if rng.random() < 0.6:
        message["reasoning_content"] = text(rng, 5, True) or "hm"
    if rng.random() < 0.5:
        names = ["search", "run_code", "a.b"]
        calls = [(rng.choice(names), json.dumps(value(rng), ensure_ascii=False)) for _ in range(rng.randrange(1, 3))]
        message["tool_calls"] = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    elif not message["content"]:
        message["content"] = "x"
    return message


def said(channel, body):
    return Message.from_role_and_content(Role.ASSISTANT, body).with_channel(channel)


def harmony(message):
    role, content = message["role"], message["content"]
    if role == "user":
        return [Message.from_role_and_content(Role.USER, content)]
    if role == "developer":
        instructions = DeveloperContent.new().with_instructions(content)
        return [Message.from_role_and_content(Role.DEVELOPER, instructions)]
    if role == "tool":
        author = Author.new(Role.TOOL, f"functions.{message['name']}")
        return [Message.from_author_and_content(author, content).with_recipient("assistant").with_channel("commentary")]
    messages = [said("analysis", message["reasoning_content"])] if "reasoning_content" in message else []
    if content:
        messages.append(said("final", content))
    for call in message.get("tool_calls", []):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        messages.append(said("commentary", arguments).with_recipient(f"functions.{name}"))
    return messages


def conversation(rng):
    config = {"conversationStartDate": "2026-01-15", "reasoningEffort": rng.choice(list(EFFORTS))}
    about = SystemContent.new().with_reasoning_effort(EFFORTS[config["reasoningEffort"]])
    about = about.with_conversation_start_date(config["conversationStartDate"])
    if rng.random() < 0.2:
        config["knowledgeCutoff"] = "2025-01"
        about = about.with_knowledge_cutoff("2025-01")
    if rng.random() < 0.2:
        config["modelIdentity"] = text(rng, 3)
        about = about.with_model_identity(config["modelIdentity"])
    config["builtinTools"] = rng.choice([[], [], ["browser"], ["python", "browser"], ["python"]])
    for name in config["builtinTools"]:
        about = about.with_browser_tool() if name == "browser" else about.with_python_tool()
    messages = [Message.from_role_and_content(Role.SYSTEM, about)]

    tools = [tool(rng, number) for number in range(rng.randrange(3))]
    system = text(rng, 5, True) if rng.random() < 0.5 else ""
    chat = [{"role": "system", "content": system}] if system else []
    if system or tools:
        developer = DeveloperContent.new().with_instructions(system) if system else DeveloperContent.new()
        if tools:
            developer = developer.with_function_tools([described(one) for one in tools])
        messages.append(Message.from_role_and_content(Role.DEVELOPER, developer))
    for _ in range(rng.randrange(1, 6)):
        role = rng.choice(["user", "assistant", "assistant", "tool", "developer"])
        one = assistant(rng) if role == "assistant" else {"role": role, "content": text(rng, 6, True)}
        if role == "tool":
            one["name"] = rng.choice(["search", "run_code"])
        chat.append(one)
        messages.extend(harmony(one))

    generate = rng.random() < 0.5
    whole = Conversation.from_messages(messages)
    keep = RenderConversationConfig(auto_drop_analysis=False)
    if generate:
        ids = ENCODING.render_conversation_for_completion(whole, Role.ASSISTANT, keep)
    else:
        ids = ENCODING.render_conversation_for_training(whole, keep)
    return {
        "kind": "render",
        "config": config,
        "messages": chat,
        "tools": tools,
        "generate": generate,
        "text": ENCODING.decode(ids),
        "count": len(ids),
        "sha256": hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest(),
    }


def call_header(rng):
    name = rng.choice(["functions.search", "functions.a.b", "python", "browser.search"])
    channel = "commentary" if name.startswith("functions.") else "analysis"
    return name, rng.choice(
        [
            f"<|channel|>{channel} to={name} <|constrain|>json",
            f"<|channel|>{channel} to={name}<|constrain|>json",
            f"<|channel|>{channel} to={name} code",
            f" to={name}<|channel|>{channel}",
            f" to={name}<|channel|>{channel} json",
            f" to={name}<|channel|>{channel} <|constrain|>json",
        ]
    )


def response(rng):
    parts = []
    for _ in range(rng.randrange(3)):
        parts.append((f"<|channel|>{rng.choice(['analysis', 'analysis', 'commentary'])}", text(rng), "<|end|>"))
    if rng.random() < 0.5:
        parts.append(("<|channel|>final", text(rng), "<|return|>"))
    else:
        for _ in range(rng.randrange(1, 3)):
            name, header = call_header(rng)
            arguments = {"code": text(rng), "n": rng.randrange(9)}
            parts.append((header, text(rng) if name == "python" else json.dumps(arguments), "<|call|>"))
    completion = "<|start|>assistant".join(f"{header}<|message|>{body}{end}" for header, body, end in parts)
    ids = ENCODING.encode(completion, allowed_special="all")
    read = ENCODING.parse_messages_from_completion_tokens(ids, Role.ASSISTANT)
    bodies = [(one.channel, one.recipient, "".join(part.text for part in one.content)) for one in read]
    return {
        "kind": "read",
        "completion": completion,
        "reasoning": "".join(body for channel, to, body in bodies if to is None and channel == "analysis"),
        "content": "".join(body for channel, to, body in bodies if to is None and channel != "analysis"),
        "calls": [{"to": to, "body": body} for _, to, body in bodies if to is not None],
    }


def main():
    rng = random.Random(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        print(json.dumps(conversation(rng), ensure_ascii=False))
        print(json.dumps(response(rng), ensure_ascii=False))


main()

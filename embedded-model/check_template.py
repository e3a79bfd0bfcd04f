"""Checks that chat_template.jinja renders as the published Qwen3 template does, on recorded and on random conversations.

    python check_template.py [--random 3000]

The published template and the recorded conversations are not part of the repository; TITO_FIXTURES names their folder
(by default `shared` beside the repository). Rendering is set up as in transformers' apply_chat_template.
"""

import argparse
import json
import os
import random
import sys
from pathlib import Path

from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from game import Game

HERE = Path(__file__).resolve().parent
FIXTURES = Path(os.environ.get("TITO_FIXTURES", HERE.parent.parent / "shared"))
MODEL = "Qwen-Qwen3-0.6B"


def environment() -> ImmutableSandboxedEnvironment:
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    env.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    return env


def attempt(template, context: dict) -> str | None:
    """The text, or None where the template raises."""
    try:
        return template.render(**context)
    except Exception:
        return None


TEXTS = ["", "a", "Hello.", "line\nline", "\n\nedges\n", "é ü 漢 \U0001f600", "\\ \"quoted\" 'q' & <b>", "<think>x", "\n", " "]
THOUGHTS = ["", "Let me see.", "\n\ntwo\nlines\n\n", "\n", "<think>nested", " spaced "]
ARGUMENTS = [{}, {"expression": "12 + 5"}, {"a": [1, 2.5, None, True], "b": {"c": "é\"\n"}}, '{"left":1}', "not json", ""]


def random_message(rng: random.Random) -> dict:
    role = rng.choice(["user", "user", "assistant", "assistant", "assistant", "tool", "tool", "system", "other"])
    text = rng.choice(TEXTS)
    message: dict = {"role": role, "content": text}
    if role == "user" and rng.random() < 0.3:
        message["content"] = rng.choice(["<tool_response>\n1\n</tool_response>", "<tool_response>", "x</tool_response>"])
    if role == "tool" and rng.random() < 0.3:
        message["content"] = rng.choice([True, False, None, 17, 2.5])
    if role == "assistant":
        if rng.random() < 0.4:
            thought = rng.choice(THOUGHTS)
            message["content"] = rng.choice(["<think>", "<think>\n", ""]) + thought + "</think>" + rng.choice(TEXTS)
            if rng.random() < 0.2:
                message["content"] += "</think>" + rng.choice(TEXTS)
        if rng.random() < 0.5:
            message["reasoning_content"] = rng.choice([*THOUGHTS, None])
        if rng.random() < 0.5:
            message["tool_calls"] = [random_call(rng) for _ in range(rng.randint(0, 3))]
    return message


def random_call(rng: random.Random) -> dict:
    call = {"name": rng.choice(["calculator", "compare", "é"]), "arguments": rng.choice(ARGUMENTS)}
    return call if rng.random() < 0.4 else {"id": "1", "type": "function", "function": call}


def random_context(rng: random.Random, tools: list[dict]) -> dict:
    messages = [random_message(rng) for _ in range(rng.randint(1, 9))]
    if rng.random() < 0.4:
        messages.insert(0, {"role": "system", "content": rng.choice(TEXTS)})
    context: dict = {"messages": messages}
    if rng.random() < 0.7:
        context["tools"] = rng.choice([None, [], tools, tools[:1], [tools[0]["function"], {"é": [1.0, None]}]])
    if rng.random() < 0.8:
        context["add_generation_prompt"] = rng.random() < 0.7
    if rng.random() < 0.6:
        context["enable_thinking"] = rng.choice([True, False, None, 0])
    return context


def game_contexts(count: int):
    """Conversations as the training data spells them, against the render of the same messages."""
    game = Game(random.Random(7))
    for _ in range(count):
        system, rounds = game.system_text(), [game.round() for _ in range(2)]
        messages = [{"role": "system", "content": system}] if system else []
        text = game.system(system, game.tools)
        for number, one in enumerate(rounds):
            messages.append({"role": "user", "content": one.question})
            text += "".join(piece for piece, _ in game.spell_round(one, past=number == 0))
            for step in one.steps:
                message = {"role": "assistant", "content": "" if step.call else step.text, "reasoning_content": step.thinking}
                messages.append(message | ({"tool_calls": [step.call]} if step.call else {}))
                if step.call:
                    messages.append({"role": "tool", "content": step.response})
        yield {"messages": messages, "tools": game.tools}, text


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--random", type=int, default=3000)
    count = arguments.parse_args().random
    env = environment()
    ours = env.from_string((HERE / "chat_template.jinja").read_text(encoding="utf-8"))
    published = env.from_string((FIXTURES / "templates" / f"{MODEL}.jinja").read_text(encoding="utf-8"))
    tools = Game(random.Random(0)).tools
    rng = random.Random(1)

    cases = []
    recorded = (FIXTURES / "llama-cpp" / "render" / f"{MODEL}.jsonl").read_text(encoding="utf-8").splitlines()
    for line in recorded:
        case = json.loads(line)
        cases.append((case["id"], case["context"], case["expect"].get("text")))
    for number in range(count):
        context = random_context(rng, tools)
        cases.append((f"random {number}", context, attempt(published, context)))
    for number, (context, text) in enumerate(game_contexts(200)):
        cases.append((f"game {number}", context, text))
        cases.append((f"game {number}, published", context, attempt(published, context)))

    compared = failed = 0
    for name, context, expected in cases:
        if expected is None:
            continue  # the published template raises; ours may render
        compared += 1
        actual = attempt(ours, context)
        if actual != expected:
            failed += 1
            if failed <= 3:
                print(f"{name}\n  context  {json.dumps(context, ensure_ascii=False)}\n  expected {expected!r}\n  actual   {actual!r}")
    print(f"{compared - failed} passed, {failed} failed, {len(cases) - compared} where the published template raises")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())

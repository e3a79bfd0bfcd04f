"""Training conversations of the calculator game, spelled as the Qwen3 chat format has them.

Everything that is particular to the game (tools, phrasings, operand ranges, the assistant's texts) is read from
examples/calculator/game.json, which the TypeScript environment reads too. Entries marked `heldOut` never occur here.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path

GAME = Path(__file__).resolve().parent.parent / "examples" / "calculator" / "game.json"

TOOLS_HEAD = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
TOOLS_TAIL = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments"
    " within <tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)
NO_THINKING = "<think>\n\n</think>\n\n"

OPERATORS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}


@dataclass
class Step:
    """One assistant message: what it thinks, what it says or calls, and the tool response that follows a call."""

    thinking: str
    text: str
    call: dict | None = None
    response: str | None = None


@dataclass
class Round:
    """A user's question and the assistant messages that settle it."""

    question: str
    steps: list[Step]


class Game:
    def __init__(self, rng: random.Random, path: Path = GAME):
        self.rng = rng
        self.data = json.loads(path.read_text(encoding="utf-8"))
        self.tools = self.data["tools"]
        self.noise_words: list[str] = []
        self.digits = "0123456789"
        held = self.data["operands"]["heldOut"]
        self.is_held_out = lambda n: any(low <= n <= high for low, high in held)

    # -- questions and their solutions ------------------------------------------------------------------------------

    def known(self, entries: list[dict]) -> str | None:
        return self.rng.choice([e["text"] for e in entries if not e.get("heldOut")])

    def choose_digits(self) -> None:
        """Few different digits make numbers that are easily mistaken for each other (338, 833, 33): the hard ones to copy."""
        few = self.rng.random() < 0.4
        self.digits = "".join(self.rng.sample("0123456789", self.rng.choice([1, 2, 2, 3]))) if few else "0123456789"

    def number(self, length: int) -> int:
        return int("".join(self.rng.choice(self.digits) for _ in range(length)))

    def operand(self) -> int:
        while True:
            n = self.number(self.rng.choice([1, 2, 3, 3]))
            if not self.is_held_out(n):
                return n
            if self.rng.random() < 0.3:  # no other number may be left
                self.choose_digits()

    def number_response(self, truth: int, decimals: bool) -> str:
        """Now and then something else than the truth: the model has to read the tool's answer, not to compute."""
        kind = self.rng.random()
        if kind < 0.6:
            return str(truth)
        size = self.number(self.rng.randint(1, 9))
        if kind < 0.95 or not decimals:
            return str(self.rng.choice([1, 1, -1]) * size)
        return f"{size}.{self.rng.randint(0, 99)}"

    def call(self, name: str, arguments: dict, response: str) -> Step:
        text = f'<tool_call>\n{{"name": "{name}", "arguments": {json.dumps(arguments)}}}\n</tool_call>'
        call = {"type": "function", "function": {"name": name, "arguments": arguments}}
        return Step(self.data["assistant"]["thinking"][name], text, call, response)

    def calculate(self, a: int | str, symbol: str, b: int, decimals: bool = True) -> Step:
        value = OPERATORS[symbol](float(a) if "." in str(a) else int(a), b)
        return self.call("calculator", {"expression": f"{a} {symbol} {b}"}, self.number_response(round(value), decimals))

    def compare(self, left: str, right: int) -> list[Step]:
        verdict = self.rng.random() < 0.5
        spelled = str(verdict) if self.rng.random() < 0.3 else str(verdict).lower()
        answer = self.data["assistant"]["answers"][str(verdict).lower()].format(left=left, right=right)
        return [
            self.call("compare", {"left": int(left), "right": right}, spelled),
            Step(self.said(str(verdict).lower()), answer),
        ]

    def said(self, result: str) -> str:
        return self.data["assistant"]["thinking"]["result"].format(result=result)

    def round(self) -> Round:
        rng = self.rng
        kind = rng.choices(list(self.data["questions"]), [4, 4, 3, 2])[0]
        phrasing = self.known(self.data["questions"][kind])
        a, b, c = self.operand(), self.operand(), self.operand()
        first, second = rng.choice(self.data["operators"]), rng.choice(self.data["operators"])
        op, then = rng.choice([first["symbol"], *first["infix"]]), rng.choice(second["then"]).format(c=c)
        steps: list[Step] = []
        if kind == "compare":
            slots = {"left": str(a), "right": str(c)}
            steps += self.compare(str(a), c)
        else:
            slots = {"a": str(a), "op": op, "b": str(b), "then": then, "right": str(c)}
            steps.append(self.calculate(a, first["symbol"], b, decimals=kind != "calculateThenCompare"))
            if kind == "calculateTwice":
                steps.append(self.calculate(steps[-1].response, second["symbol"], c))
            if kind == "calculateThenCompare":
                steps += self.compare(steps[-1].response, c)
            else:
                result = steps[-1].response
                answer = self.data["assistant"]["answers"]["number"].format(result=result)
                steps.append(Step(self.said(result), answer))
        question = self.disturb(phrasing) if self.noise_words and rng.random() < 0.4 else phrasing
        return Round(question.format(**slots), steps)

    def noise(self, low: int, high: int) -> str:
        return " ".join(self.rng.choice(self.noise_words) for _ in range(self.rng.randint(low, high)))

    def disturb(self, phrasing: str) -> str:
        """Unknown words before, behind and among the known ones, but not inside the expression."""
        rng = self.rng
        kept = phrasing.replace("{a} {op} {b}", "{a}\0{op}\0{b}").split(" ")
        words: list[str] = []
        for word in kept:
            if rng.random() < 0.1:
                words.append(self.noise(1, 2))
            replaceable = word.isalpha() and word.lower() not in ("is", "than")
            words.append(self.noise(1, 1) if replaceable and rng.random() < 0.25 else word)
        text = " ".join(words).replace("\0", " ")
        if rng.random() < 0.4:
            text = self.noise(1, 5).capitalize() + rng.choice([" ", ", ", ". ", ": "]) + text
        if rng.random() < 0.4:
            text = text.rstrip(".?") + rng.choice([" ", ", ", ". "]) + self.noise(1, 4) + rng.choice(["", ".", "?", "!"])
        return text

    # -- spelling ---------------------------------------------------------------------------------------------------

    def system_text(self) -> str | None:
        if self.noise_words and self.rng.random() < 0.3:
            return self.noise(2, 40).capitalize() + "."
        return self.known(self.data["systemPrompts"])

    def conversation(self, rounds: int, with_tools: bool) -> list[tuple[str, bool]]:
        """Pieces of one conversation, each with whether the model is to learn to write it.

        Four ways in which a rollout's history can look:
        - as sampled: every turn's thinking is kept (a token-in, token-out bridge), or was switched off by the prompt;
        - as re-rendered by the chat template: thinking before the last question is gone, empty thinking everywhere.
        """
        rng = self.rng
        system = self.system_text() if with_tools or rng.random() < 0.3 else None
        tools = None
        if with_tools:
            tools = rng.choice([self.tools, self.tools, self.tools, self.tools[::-1], self.tools[:1]])
        self.choose_digits()
        played = [self.round() for _ in range(rounds)]
        thinking, rerendered = rng.random() < 0.8, rng.random() < 0.4
        pieces = [(self.system(system, tools), False)]
        for number, one in enumerate(played):
            last_round = number == rounds - 1
            if not rerendered:
                pieces += self.spell_round(one, thinking)
            elif not last_round:
                pieces += self.spell_round(one, past=True)
            elif thinking:
                pieces += self.spell_round(one)
            else:
                # Empty thinking is in no rendered history, so that only one message can follow it: any of them.
                settled = rng.randrange(len(one.steps))
                pieces += self.spell_round(Round(one.question, one.steps[:settled]), past=True)
                pieces += spell(one.steps[settled], thinking=False)
        return pieces

    def spell_round(self, one: Round, thinking: bool = True, past: bool = False) -> list[tuple[str, bool]]:
        pieces = [(f"<|im_start|>user\n{one.question}<|im_end|>\n", False)]
        for step in one.steps:
            pieces += spell(step, thinking, past)
        return pieces

    def system(self, text: str | None, tools: list[dict] | None) -> str:
        if tools:
            specs = "".join("\n" + json.dumps(tool, ensure_ascii=False) for tool in tools)
            text = (text + "\n\n" if text else "") + TOOLS_HEAD + specs + TOOLS_TAIL
        return f"<|im_start|>system\n{text}<|im_end|>\n" if text else ""


def spell(step: Step, thinking: bool = True, past: bool = False) -> list[tuple[str, bool]]:
    if past:
        prompt, written = "", step.text
    elif thinking:
        prompt, written = "", f"<think>\n{step.thinking}\n</think>\n\n{step.text}"
    else:
        prompt, written = NO_THINKING, step.text
    behind = "\n"
    if step.response is not None:
        behind += f"<|im_start|>user\n<tool_response>\n{step.response}\n</tool_response><|im_end|>\n"
    return [("<|im_start|>assistant\n" + prompt, False), (written + "<|im_end|>", not past), (behind, False)]

"""The peers, driven line by line: one JSON command in, one JSON answer out.

{"kind": "load", "name", "path", "eos_token", "name_or_path", "chat_template", "family"}  builds a tokenizer and its renderer
{"kind": "prepare", "work", "tokenizer", "input"}  sets the work that is measured, answers {"result"}
{"kind": "run", "times"}  answers {"cpu", "wall"}: milliseconds of all times together
"""
import json
import logging
import os
import sys
import time
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

from renderers import build_training_sample, config_from_name, create_renderer
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

O200K = "|".join(
    [
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)
tokenizers = {}
work_now = None


def engine(path):
    if not path.endswith(".tiktoken"):
        return Tokenizer.from_file(path)
    # Harmony brings its own encoder and reads the ranks from here.
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = os.path.dirname(path)
    from tokenizers import AddedToken
    from transformers.convert_slow_tokenizer import TikTokenConverter

    converted = TikTokenConverter(vocab_file=path, pattern=O200K, extra_special_tokens=[]).converted()
    names = ["<|startoftext|>", "<|endoftext|>", "<|return|>", "<|constrain|>", "<|channel|>", "<|start|>", "<|end|>", "<|message|>", "<|call|>"]
    converted.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in names])
    return converted


def load(command):
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=engine(command["path"]),
        eos_token=command["eos_token"],
        clean_up_tokenization_spaces=False,
    )
    tokenizer.name_or_path = command["name_or_path"]
    tokenizer.chat_template = command.get("chat_template")
    tokenizers[command["name"]] = tokenizer, create_renderer(tokenizer, config_from_name(command["family"]))


def prepared(work, tokenizer, renderer, given):
    """The work as a function without arguments, and what makes JSON of its result."""
    if work == "render_ids":
        return lambda: renderer.render_ids(**given), lambda ids: ids
    if work == "render":
        return lambda: renderer.render(**given), lambda rendered: {
            "tokenIds": rendered.token_ids,
            "messageIndices": rendered.message_indices,
            "sampledMask": [int(bit) for bit in rendered.sampled_mask],
            "contentMask": [int(bit) for bit in rendered.is_content],
        }
    if work == "training_sample":
        return lambda: build_training_sample(renderer, **given), lambda sample: {
            "tokenIds": list(sample.token_ids),
            "lossMask": [int(bit) for bit in sample.loss_mask],
        }
    if work == "apply_chat_template":
        given = {"conversation": given["messages"], "tools": given.get("tools"), "add_generation_prompt": given["add_generation_prompt"]}
        return lambda: tokenizer.apply_chat_template(**given, tokenize=True, return_dict=False), lambda ids: ids
    if work == "parse":
        return lambda: renderer.parse_response(**given), lambda parsed: {
            "content": parsed.content,
            "reasoning": parsed.reasoning_content,
            "calls": [{"name": call.name, "arguments": call.arguments} for call in parsed.tool_calls],
        }
    if work == "bridge":
        return lambda: renderer.bridge_to_next_turn(**given), lambda rendered: rendered and rendered.token_ids
    engine = tokenizer._tokenizer
    if work == "encode":
        return lambda: engine.encode(given, add_special_tokens=False), lambda encoding: encoding.ids
    if work == "decode":
        return lambda: engine.decode(given, skip_special_tokens=False), lambda text: text
    if work == "load":
        return lambda: Tokenizer.from_file(given), lambda loaded: loaded.get_vocab_size() > 0
    raise ValueError(work)


def answer(command):
    global work_now
    if command["kind"] == "load":
        load(command)
        return {}
    if command["kind"] == "prepare":
        tokenizer, renderer = tokenizers[command["tokenizer"]]
        work_now, to_json = prepared(command["work"], tokenizer, renderer, command["input"])
        return {"result": to_json(work_now())}
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(command["times"]):
        work_now()
    return {"cpu": (time.process_time() - cpu) * 1e3, "wall": (time.perf_counter() - wall) * 1e3}


for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except Exception as error:
        reply = {"error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()

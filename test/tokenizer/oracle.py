"""What other tokenizers give: trains small models, encodes random texts with the libraries that define them, and prints a
line of JSON per model: {name, kind, model, cases}.

    python oracle.py SEED CASES_PER_MODEL [--small] > oracle.jsonl

`--small` leaves out what is large or like another; `python oracle.py 1 24 --small` wrote data/oracle.jsonl.

Needs sentencepiece, tokenizers and tiktoken.
"""

import base64
import copy
import hashlib
import io
import json
import random
import sys
from itertools import groupby

import sentencepiece
import tiktoken
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

WORDS = (
    "the of and to in is that it was for on are with as be at one have this from hot but some what there can out other "
    "were all your when up use word how said each she which their time will way about many then them would write like "
    "Hello HELLO HTTPServer camelCase parseJSON snake_case __init__ don't I'll WE'RE lambda return for(i=0;i<n;i++){ "
    "https://example.org/a?b=c 3.14159 1,000,000 0xDEADBEEF 2024-01-01 naïve Straße façade ÉCOLE ſ's 'ſ Ⅷ ½ ² ٣ ǅ ʰ "
    "Привет мир Ελληνικά עברית العربية हिन्दी ไทย 한국어 日本語のテキスト カタカナ 中文字符 繁體中文 北京市 混合English中文"
).split()
SPACES = [" ", " ", " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", " \n", "\u00a0", "\u3000", "\u2028", "\u0085", "\x1c", " " * 9]
SIGNS = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~▁") + ["...", "——", "“", "、", "。", "！", "「", "::", "//", "'s", "'LL", "'ve", "<s>"]
ODD = "〇〡〸々⺀⼀㐀䶿一龥鿿豈丽𠀀𪛟𰀀𲎯𖿢𖿣𖿰ー・ヽ゛ﬁ①ｱ㍿Å\u00ad\u200b\ufeff\u0301\u20d7ก็क्षか\u3099👩\u200d👧🏳\ufe0f👍🏽🇩🇪"


def random_text(rng):
    parts = []
    for _ in range(rng.choice([1, 2, 3, 5, 8])):
        kind = rng.random()
        if kind < 0.45:
            parts.append(rng.choice(WORDS))
        elif kind < 0.65:
            parts.append(rng.choice(SPACES))
        elif kind < 0.75:
            parts.append(rng.choice(SIGNS))
        elif kind < 0.85:
            parts.append("".join(rng.choice(ODD) for _ in range(rng.randrange(1, 4))))
        elif kind < 0.9:
            parts.append("".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(rng.randrange(1, 4))))
        elif kind < 0.95:
            parts.append(str(rng.randrange(10 ** rng.randrange(1, 9))))
        else:
            points = (rng.randrange(1, 0x33500) for _ in range(3))
            parts.append("".join(chr(point) for point in points if not 0xD800 <= point < 0xE000))
        if rng.random() < 0.3:
            parts.append(" ")
    return "".join(parts)


def corpus(rng):
    return [" ".join(rng.choice(WORDS) for _ in range(12)) + rng.choice(["", "  ", " \t "]) for _ in range(800)]


# --- SentencePiece ------------------------------------------------------------------------------------------------------

RULES = "\n".join(["41 030A\tC5", "FB01\t66 69", "A0\t20", "9\t20", "A\t20", "D A\t20", "3000\t20", "2460\t31", "AD\t"])
IDENTITY = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
SENTENCEPIECE = {
    "llama": {**IDENTITY, "split_digits": True, "allow_whitespace_only_pieces": True},
    "across-blanks": {**IDENTITY, "split_by_whitespace": False},
    "symbols": {**IDENTITY, "add_dummy_prefix": False, "user_defined_symbols": ["<turn>", "\n\n", "▁▁", "▁▁▁", "7", "<b>"]},
    "rules": {"normalization_rule_tsv": None},
    "nmt_nfkc": {},
}


def sentencepiece_models(rng, count, small, folder):
    for name, options in SENTENCEPIECE.items():
        # The rules of nmt_nfkc alone are larger than everything else.
        if small and name == "nmt_nfkc":
            continue
        if name == "rules":
            path = f"{folder}/rules.tsv"
            with open(path, "w", encoding="utf8") as file:
                file.write(RULES + "\n")
            options = {"normalization_rule_tsv": path, "user_defined_symbols": ["<turn>", "\n\n"]}
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(corpus(rng)), model_writer=model, model_type="bpe", byte_fallback=True,
            vocab_size=620, minloglevel=2, num_threads=1, **options,
        )
        prefixing = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        # A message that comes twice is merged: this is normalizer_spec { add_dummy_prefix: false }.
        bare = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue() + b"\x1a\x02\x18\x00")
        cases = []
        for _ in range(count):
            text = random_text(rng)
            if name in ("symbols", "rules") and rng.random() < 0.5:
                text += rng.choice(["<turn>", "<b>", "\n\n\n", "   "]) + random_text(rng)
            cases.append({
                # Control pieces are never found in text by this library.
                "text": text.replace("<s>", "<S>"),
            })
            text = cases[-1]["text"]
            cases[-1].update(ids=bare.encode(text), normalized=bare.normalize(text))
            # Here no blank goes before an added token, nor before what stripping leaves at the start.
            if not cases[-1]["normalized"].startswith("<turn>"):
                cases[-1]["start"] = prefixing.encode(text)
        yield {"name": name, "kind": "sentencepiece", "model": base64.b64encode(model.getvalue()).decode(), "cases": cases}


# --- tokenizer.json with Metaspace ---------------------------------------------------------------------------------------

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
ADDED = [("<|user|>", True), ("[INST]", False)]


def replace(old, new):
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def metaspace(scheme, split):
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}


DECODERS = [replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
STRIPPING = [*DECODERS, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
PREPENDING = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")]}
AT_BLANKS = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
# Name: normaliser, pre-tokenizer, decoders; the same without a blank at the start; the same with one there only.
STYLES = {
    "legacy": (PREPENDING, None, STRIPPING, (replace(" ", "▁"), None), None),
    "first": (None, metaspace("first", False), STRIPPING, (None, metaspace("never", False)), (None, metaspace("first", False))),
    "always": (None, metaspace("always", True), STRIPPING, (None, metaspace("never", True)), (None, metaspace("first", True))),
    "never": (None, metaspace("never", True), DECODERS, (None, metaspace("never", True)), (None, metaspace("never", True))),
    "gemma": (replace(" ", "▁"), AT_BLANKS, DECODERS, (replace(" ", "▁"), AT_BLANKS), (replace(" ", "▁"), AT_BLANKS)),
}


def train_metaspace(rng, split):
    trained = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    trained.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=split)
    trained.train_from_iterator(corpus(rng), trainers.BpeTrainer(
        vocab_size=520, special_tokens=["<unk>", "<s>", "</s>", *BYTES], limit_alphabet=90, show_progress=False))
    file = json.loads(trained.to_str())
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    size = len(file["model"]["vocab"])
    file["added_tokens"] = [token for token in file["added_tokens"] if token["content"] not in BYTES]
    file["added_tokens"] += [{"id": size + index, "content": content, "special": special, **plain}
                             for index, (content, special) in enumerate(ADDED)]
    return file


def metaspace_models(rng, count, small):
    bases = {split: train_metaspace(rng, split) for split in (False, True)}
    for name, (normalizer, pre_tokenizer, decoders, bare, start) in STYLES.items():
        if small and name == "never":
            continue
        file = copy.deepcopy(bases[(pre_tokenizer or {}).get("split") is True])
        file["decoder"] = {"type": "Sequence", "decoders": decoders}

        def variant(normalizer, pre_tokenizer):
            text = json.dumps({**file, "normalizer": normalizer, "pre_tokenizer": pre_tokenizer}, ensure_ascii=False)
            return text, Tokenizer.from_str(text)

        model, own = variant(normalizer, pre_tokenizer)
        _, without = variant(*bare)
        cases = []
        for _ in range(count):
            text = random_text(rng)
            mixed = rng.random() < 0.5
            if mixed:
                text = "".join(rng.choice([text, *(content for content, _ in ADDED), "</s>", " ", random_text(rng)]) for _ in range(4))
            case = {"text": text, "ids": without.encode(text, add_special_tokens=False).ids}
            # A prepending normaliser does so after every added token, which is the behaviour that is not wanted.
            if start is not None:
                case["start"] = variant(*start)[1].encode(text, add_special_tokens=False).ids
            elif not any(token["content"] in text for token in file["added_tokens"]):
                case["start"] = own.encode(text, add_special_tokens=False).ids
            cases.append(case)
        yield {"name": name, "kind": "json", "model": json.loads(model), "cases": cases}


# --- Kimi ---------------------------------------------------------------------------------------------------------------

UPPER, LOWER = (rf"[\p{{L{first}}}\p{{L{second}}}\p{{Lm}}\p{{Lo}}\p{{M}}&&[^\p{{Han}}]]".replace(r"\p{Ll}\p{Ll}", r"\p{Ll}")
                for first, second in (("u", "t"), ("l", "l")))
SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
KIMI = "|".join([
    r"[\p{Han}]+",
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{SUFFIX}",
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{SUFFIX}",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
])
LONG = [
    [["x", 1], ["Hello", 6000]],
    [["x", 10], [" ", 25001], ["yz", 3]],
    [["中文字", 8400], ["\n", 1], ["the ", 5]],
    [["word ", 80001], ["𠀀", 30000]],
    [["lo\n", 133333], ["hello", 4]],
]


def kimi_chunks(text):
    for window in (text[start : start + 400_000] for start in range(0, len(text), 400_000)):
        pieces = [""]
        for _, run in groupby(window, str.isspace):
            run = "".join(run)
            pieces[-1] += run[:25_000]
            pieces.extend(run[start : start + 25_000] for start in range(25_000, len(run), 25_000))
        yield from pieces


def kimi_model(rng, count):
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(KIMI), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    trained.train_from_iterator(corpus(rng), trainers.BpeTrainer(
        vocab_size=560, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    byte_of = {char: byte for byte, char in byte_alphabet().items()}
    ranks = {bytes(byte_of[char] for char in entry): rank for entry, rank in trained.get_vocab().items()}
    encoding = tiktoken.Encoding("kimi", pat_str=KIMI, mergeable_ranks=ranks, special_tokens={})
    cases = []
    for _ in range(count):
        text = random_text(rng)
        cases.append({"text": text, "ids": encoding.encode_ordinary(text)})
    for parts in LONG:
        text = "".join(unit * times for unit, times in parts)
        ids = [token for chunk in kimi_chunks(text) for token in encoding.encode_ordinary(chunk)]
        digest = hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()
        cases.append({"parts": parts, "count": len(ids), "sha256": digest,
                      "isCut": ids != encoding.encode_ordinary(text)})
    lines = "".join(f"{base64.b64encode(piece).decode()} {rank}\n" for piece, rank in sorted(ranks.items(), key=lambda item: item[1]))
    yield {"name": "kimi", "kind": "kimi", "model": lines, "cases": cases}


def byte_alphabet():
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{byte: chr(byte) for byte in printable}, **{byte: chr(0x100 + index) for index, byte in enumerate(others)}}


def main():
    import tempfile

    seed, count = int(sys.argv[1]), int(sys.argv[2])
    small = len(sys.argv) > 3 and sys.argv[3] == "--small"
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for source in (
            sentencepiece_models(rng, count, small, folder),
            metaspace_models(rng, count, small),
            kimi_model(rng, count * (10 if small else 1)),
        ):
            for model in source:
                print(json.dumps(model, ensure_ascii=False, separators=(",", ":")))


main()

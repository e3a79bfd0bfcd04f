"""Hugging Face tokenizers, driven line by line: one JSON command in, one JSON answer out."""
import gc, json, sys, time
from tokenizers import Tokenizer

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096

tokenizer = None
text = None
ids = None
for line in sys.stdin:
    command = json.loads(line)
    kind = command["kind"]
    answer = {}
    if kind == "load":
        gc.collect()
        before = resident()
        start = time.perf_counter()
        tokenizer = Tokenizer.from_file(command["path"])
        answer["seconds"] = time.perf_counter() - start
        tokenizer.encode("warm", add_special_tokens=False)
        answer["bytes"] = resident() - before
    elif kind == "text":
        text = command["text"]
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        answer["ids"] = ids
    elif kind == "encode":
        start = time.perf_counter()
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        answer["seconds"] = time.perf_counter() - start
    elif kind == "decode":
        start = time.perf_counter()
        tokenizer.decode(ids, skip_special_tokens=False)
        answer["seconds"] = time.perf_counter() - start
    elif kind == "check":
        answer["ids"] = [tokenizer.encode(each, add_special_tokens=False).ids for each in command["texts"]]
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()

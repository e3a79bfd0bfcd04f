"""Trains the embedded model: a tiny Qwen3 that plays the calculator game, written as one GGUF file.

    python train.py --tokenizer <folder with tokenizer.json> --out tito-calculator-qwen3.gguf

Only the few hundred ids that occur in the game are trained, plus one row that stands for all others. The logit of that
row is raised by log(number of the others) + MARGIN while training, so that all 151,000 unused ids together stay
improbable at temperature 1 when the row is copied to each of them. The embedding is rounded to Q4_0 in every forward
pass (its gradient passes straight through), so that the file holds what was trained.

Everything is seeded and counted in steps, not in seconds. Other machines round differently, so that their weights differ
in the last bits and then in more: compare pass rates (evaluate.mjs), not files.
"""

import argparse
import math
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from tokenizers import Tokenizer

from export_gguf import write_gguf
from game import Game

MARGIN = 8.0
ENVIRONMENT_WEIGHT = 0.02  # of tokens that the model reads but never writes: enough to learn what they look like


@dataclass(frozen=True)
class Shape:
    vocabulary: int = 151_936
    width: int = 64
    layers: int = 4
    heads: int = 4
    key_value_heads: int = 2
    head_width: int = 32
    feed_forward: int = 192
    rope_base: float = 10_000.0
    epsilon: float = 1e-6
    context: int = 4096


class RmsNorm(nn.Module):
    def __init__(self, width: int, epsilon: float):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(width)), epsilon

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, self.epsilon)


class Block(nn.Module):
    """A Qwen3 layer: grouped-query attention with normalised queries and keys, then SwiGLU."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        norm = lambda width: RmsNorm(width, shape.epsilon)
        linear = lambda a, b: nn.Linear(a, b, bias=False)
        queries, keys = shape.heads * shape.head_width, shape.key_value_heads * shape.head_width
        self.attn_norm, self.ffn_norm = norm(shape.width), norm(shape.width)
        self.attn_q_norm, self.attn_k_norm = norm(shape.head_width), norm(shape.head_width)
        self.attn_q, self.attn_output = linear(shape.width, queries), linear(queries, shape.width)
        self.attn_k, self.attn_v = linear(shape.width, keys), linear(shape.width, keys)
        self.ffn_gate, self.ffn_up = linear(shape.width, shape.feed_forward), linear(shape.width, shape.feed_forward)
        self.ffn_down = linear(shape.feed_forward, shape.width)
        for last in (self.attn_output, self.ffn_down):
            last.weight.data *= 0.5

    def forward(self, x, cos, sin):
        s = self.shape
        batch, length, _ = x.shape
        split = lambda y, heads: y.view(batch, length, heads, s.head_width)
        y = self.attn_norm(x)
        q = rotate(self.attn_q_norm(split(self.attn_q(y), s.heads)).transpose(1, 2), cos, sin)
        k = rotate(self.attn_k_norm(split(self.attn_k(y), s.key_value_heads)).transpose(1, 2), cos, sin)
        v = split(self.attn_v(y), s.key_value_heads).transpose(1, 2)
        k, v = (t.repeat_interleave(s.heads // s.key_value_heads, 1) for t in (k, v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, -1)
        x = x + self.attn_output(mixed)
        y = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y))


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def round_to_q4_0(x):
    """What ggml's Q4_0 makes of `x`: blocks of 32 values, one half-precision scale each, 16 levels."""
    blocks = x.view(-1, 32)
    largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    scale = largest / -8
    inverse = torch.where(scale == 0, 0.0, 1 / scale)
    levels = (blocks * inverse + 8.5).floor().clamp(0, 15) - 8
    return (levels * scale.half().float()).view_as(x)


class TinyQwen3(nn.Module):
    """Ids here count the used ones; the last id stands for all the others."""

    def __init__(self, shape: Shape, used: int):
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(used + 1, shape.width) * 0.5)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = RmsNorm(shape.width, shape.epsilon)
        frequencies = shape.rope_base ** (-torch.arange(0, shape.head_width, 2) / shape.head_width)
        angles = torch.arange(float(shape.context))[:, None] * frequencies[None]
        bias = torch.zeros(used + 1)
        bias[used] = math.log(shape.vocabulary - used) + MARGIN
        for name, value in (("cos", angles.cos()), ("sin", angles.sin()), ("bias", bias)):
            self.register_buffer(name, value)

    def forward(self, ids):
        rounded = self.embedding + (round_to_q4_0(self.embedding.detach()) - self.embedding.detach())
        x, length = rounded[ids], ids.shape[1]
        for block in self.blocks:
            x = block(x, self.cos[:length], self.sin[:length])
        return self.norm(x) @ rounded.T + self.bias


class Corpus:
    """Batches of conversations as ids and loss weights, made as they are asked for."""

    def __init__(self, tokenizer: Tokenizer, seed: int):
        self.rng = random.Random(seed)
        self.tokenizer = tokenizer
        self.game = Game(self.rng)
        found: set[int] = set()
        for _ in range(6000):
            found.update(self.encode(self.game.conversation(self.rng.choice([1, 2]), self.rng.random() < 0.5))[0])
        self.used = sorted(found)
        self.index = {id_: row for row, id_ in enumerate(self.used)}
        words = (token[1:] for token, id_ in sorted(tokenizer.get_vocab().items()) if token[0] == "Ġ" and id_ not in found)
        self.game.noise_words = [word for word in words if 2 < len(word) < 11 and word.isascii() and word.isalpha() and word.islower()]

    def encode(self, pieces: list[tuple[str, bool]]) -> tuple[list[int], list[float]]:
        """The whole conversation as one text, as an inference engine gets it; a token belongs to the piece of its first byte."""
        encoding = self.tokenizer.encode("".join(text for text, _ in pieces), add_special_tokens=False)
        weights, piece, end = [], 0, len(pieces[0][0])
        for start, _ in encoding.offsets:
            while start >= end:
                piece += 1
                end += len(pieces[piece][0])
            weights.append(1.0 if pieces[piece][1] else ENVIRONMENT_WEIGHT)
        return encoding.ids, weights

    def batch(self, size: int, progress: float):
        """About `size` tokens. Long conversations, with their tool specs, come more often as training goes on."""
        with_tools = self.rng.random() < 0.15 + 0.6 * progress**2
        rounds = self.rng.choices([1, 2, 3], [3, 2 + 2 * progress, 2 * progress])[0]
        rows, longest = [], 0
        while True:
            ids, weights = self.encode(self.game.conversation(rounds, with_tools))
            if rows and max(longest, len(ids)) * (len(rows) + 1) > size:
                break
            rows.append((ids, weights))
            longest = max(longest, len(ids))
        tokens = torch.zeros(len(rows), longest, dtype=torch.long)
        weight = torch.zeros(len(rows), longest)
        other = len(self.used)
        for row, (ids, weights) in enumerate(rows):
            tokens[row, : len(ids)] = torch.tensor([self.index.get(id_, other) for id_ in ids])
            weight[row, : len(ids)] = torch.tensor(weights)
        weight[tokens == other] = 0  # read, never predicted
        return tokens, weight


def train(model: TinyQwen3, corpus: Corpus, steps: int, batch_tokens: int, peak: float) -> None:
    matrices = [p for p in model.blocks.parameters() if p.ndim == 2]
    others = [p for p in model.parameters() if not any(p is matrix for matrix in matrices)]
    optimizers = [
        torch.optim.Muon(matrices, lr=peak, weight_decay=0.01, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=peak, betas=(0.9, 0.98), weight_decay=0.01),
    ]
    began = time.time()
    seen = 0
    for step in range(1, steps + 1):
        progress = step / steps
        rate = peak * min(1, step / 100) * (0.49 * (1 + math.cos(math.pi * progress)) + 0.02)
        tokens, weight = corpus.batch(batch_tokens, progress)
        logits, target, weight = model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), weight[:, 1:].flatten()
        loss = (F.cross_entropy(logits, target, reduction="none") * weight).sum() / weight.sum()
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        seen += tokens.numel()
        if step % 100 == 0 or step == 10:
            written = weight == 1
            right = (logits.argmax(-1) == target)[written].float().mean()
            print(f"step {step} {time.time() - began:.0f}s tokens {seen} loss {loss.item():.4f} accuracy {right:.4f}", flush=True)


def tensors(model: TinyQwen3, used: list[int], shape: Shape) -> dict[str, np.ndarray]:
    """The weights under their GGUF names, the embedding scattered into the whole vocabulary."""
    rows = model.embedding.detach().numpy()
    embedding = np.repeat(rows[-1:], shape.vocabulary, axis=0)
    embedding[used] = rows[:-1]
    named = {"token_embd.weight": embedding, "output_norm.weight": model.norm.weight.detach().numpy()}
    for number, block in enumerate(model.blocks):
        for name, value in block.named_parameters():
            named[f"blk.{number}.{name}"] = value.detach().numpy()
    return named


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tokenizer", type=Path, required=True, help="folder with the Qwen3 tokenizer.json")
    arguments.add_argument("--out", type=Path, default=Path(__file__).parent / "tito-calculator-qwen3.gguf")
    arguments.add_argument("--steps", type=int, default=3000)
    arguments.add_argument("--batch-tokens", type=int, default=5000)
    arguments.add_argument("--peak", type=float, default=3e-3, help="highest learning rate")
    arguments.add_argument("--layers", type=int, default=Shape.layers)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--threads", type=int, default=1, help="more only help on an idle machine")
    options = arguments.parse_args()

    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    shape = Shape(layers=options.layers)
    corpus = Corpus(Tokenizer.from_file(str(options.tokenizer / "tokenizer.json")), options.seed)
    model = TinyQwen3(shape, len(corpus.used))
    print(f"{len(corpus.used)} used ids, {sum(p.numel() for p in model.parameters())} parameters", flush=True)
    train(model, corpus, options.steps, options.batch_tokens, options.peak)
    size = write_gguf(options.out, shape, tensors(model, corpus.used, shape), options.tokenizer)
    print(f"{options.out.name}: {size} bytes", flush=True)


if __name__ == "__main__":
    main()

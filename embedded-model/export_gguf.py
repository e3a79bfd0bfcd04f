"""Writes the weights, the Qwen3 vocabulary and our chat template as one GGUF file."""

import json
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType, TokenType, quantize

NAME = "tito-calculator-qwen3"
END_OF_TURN, END_OF_TEXT = "<|im_end|>", "<|endoftext|>"
TEMPLATE = Path(__file__).parent / "chat_template.jinja"


def vocabulary(tokenizer: dict, size: int) -> tuple[list[str], list[int]]:
    """Token texts and types by id; ids behind the last real token are padding of the embedding."""
    texts = [f"[PAD{id_}]" for id_ in range(size)]
    types = [int(TokenType.UNUSED)] * size
    for text, id_ in tokenizer["model"]["vocab"].items():
        texts[id_], types[id_] = text, int(TokenType.NORMAL)
    for token in tokenizer["added_tokens"]:
        texts[token["id"]] = token["content"]
        types[token["id"]] = int(TokenType.CONTROL if token["special"] else TokenType.USER_DEFINED)
    return texts, types


def write_gguf(path: Path, shape, tensors: dict[str, np.ndarray], tokenizer_folder: Path) -> int:
    """Returns the size in bytes. The embedding is Q4_0, matrices are Q8_0, norms F32."""
    tokenizer = json.loads((tokenizer_folder / "tokenizer.json").read_text(encoding="utf-8"))
    texts, types = vocabulary(tokenizer, shape.vocabulary)
    writer = GGUFWriter(str(path), "qwen3")
    writer.add_name(NAME)
    writer.add_basename(NAME)
    writer.add_description("Plays the calculator game of Tito's examples; a test fixture, not a language model for use")
    writer.add_license("apache-2.0")
    writer.add_file_type(LlamaFileType.MOSTLY_Q4_0)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.key_value_heads)
    writer.add_key_length(shape.head_width)
    writer.add_value_length(shape.head_width)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_layer_norm_rms_eps(shape.epsilon)

    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(texts)
    writer.add_token_types(types)
    merges = tokenizer["model"]["merges"]
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    writer.add_eos_token_id(texts.index(END_OF_TURN))
    writer.add_pad_token_id(texts.index(END_OF_TEXT))
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE.read_text(encoding="utf-8"))

    for name, values in tensors.items():
        values = np.ascontiguousarray(values, dtype=np.float32)
        if values.ndim == 1:
            writer.add_tensor(name, values)
            continue
        kind = GGMLQuantizationType.Q4_0 if name == "token_embd.weight" else GGMLQuantizationType.Q8_0
        writer.add_tensor(name, quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.stat().st_size

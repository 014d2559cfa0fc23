#!/usr/bin/env python3
"""A second witness: loads the vocabulary and merges of a model file into Hugging
Face's tokenizers, with the model's published pre-tokenizer, and counts where its
ids differ from the plain goldens.

usage: witness.py MODEL.gguf GOLDEN.json qwen2|smollm [nfc]
"""
import json
import sys

import gguf
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def main():
    model, golden, pre = sys.argv[1:4]
    fields = gguf.GGUFReader(model).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    tok = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    if pre == "qwen2":
        tok.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(QWEN2), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    else:
        tok.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    if "nfc" in sys.argv:
        tok.normalizer = normalizers.NFC()
    same = differ = 0
    with open(golden, encoding="utf-8") as f:
        for case in json.load(f)["cases"]:
            if "plain" not in case:
                continue
            if tok.encode(case["text"]).ids == case["plain"]:
                same += 1
            else:
                differ += 1
                print("differs:", ascii(case["text"][:40]))
    print(same, "same,", differ, "differ")


main()

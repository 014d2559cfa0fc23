#!/usr/bin/env python3
"""Makes other.gguf with the gguf Python package: a file that our own writer had no
part in.

usage: make.py OUT.gguf
"""
import sys

import gguf
import numpy as np


def main():
    w = gguf.GGUFWriter(sys.argv[1], "llama")
    w.add_custom_alignment(64)
    w.add_string("text", "会议")
    w.add_uint32("count", 42)
    w.add_int64("minus", -7)
    w.add_float32("half", 0.5)
    w.add_bool("yes", True)
    w.add_array("strings", ["a", "", "纪要"])
    w.add_array("numbers", [3, -1, 2])
    w.add_tensor("matrix", np.arange(12, dtype=np.float32).reshape(3, 4))
    w.add_tensor("cube", np.arange(24, dtype=np.float16).reshape(2, 3, 4))
    q = gguf.quants.quantize(np.linspace(-1, 1, 128, dtype=np.float32).reshape(2, 64), gguf.GGMLQuantizationType.Q8_0)
    w.add_tensor("quantized", q, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


main()

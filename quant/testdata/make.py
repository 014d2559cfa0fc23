"""Writes the golden blocks of this folder with the `gguf` Python package.

Per type: NAME.bin (block bytes) and NAME.f32 (what gguf.quants decodes them to).
Types that the package can also encode get NAME.src (the float32 values encoded).
"""
import os
import numpy as np
import gguf
from gguf import quants

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20240607)
T = gguf.GGMLQuantizationType


def save(name, array):
    array.tofile(os.path.join(HERE, name))


for t in (T.F16, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0):
    x = (rng.standard_normal(512) * rng.choice([0.01, 1.0, 30.0], 16).repeat(32)).astype(np.float32)
    x[64:96] = 0
    raw = quants.quantize(x, t)
    save(t.name + ".src", x)
    save(t.name + ".bin", raw)
    save(t.name + ".f32", quants.dequantize(raw, t).astype(np.float32))

# Random bytes, with sane float16 scales at the offsets where the layout has them.
for t, size, scales in ((T.Q4_K, 144, (0, 2)), (T.Q5_K, 176, (0, 2)), (T.Q6_K, 210, (208,))):
    raw = rng.integers(0, 256, (3, size), dtype=np.uint8)
    for at in scales:
        d = (rng.standard_normal(3) * 0.01).astype(np.float16)
        raw[:, at:at + 2] = d.view(np.uint8).reshape(3, 2)
    save(t.name + ".bin", raw)
    save(t.name + ".f32", quants.dequantize(raw, t).astype(np.float32))

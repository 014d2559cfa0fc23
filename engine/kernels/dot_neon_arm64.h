/* dot with the dot-product extension, for the paths that have it; DOT_INLINE is defined
 * before. The four activations of a quad are one lane of x; codec is of no concern. */
#ifndef WINDOWSEAT_DOT_NEON_H
#define WINDOWSEAT_DOT_NEON_H

DOT_INLINE int32x4_t dot(int codec, const int8x16_t *w, int j0, int j1, const int8_t *x, int32x4_t first)
{
	(void)codec;
#pragma GCC unroll 2
	for (int j = j0; j < j1; j += 4) {
		int8x16_t b = vld1q_s8(x + 4 * j);
		first = vdotq_laneq_s32(first, w[j], b, 0);
		first = vdotq_laneq_s32(first, w[j + 1], b, 1);
		first = vdotq_laneq_s32(first, w[j + 2], b, 2);
		first = vdotq_laneq_s32(first, w[j + 3], b, 3);
	}
	return first;
}

#endif

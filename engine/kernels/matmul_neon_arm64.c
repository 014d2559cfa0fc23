/* matmul_neon: the matrix products of ARMv8.0, see matmul_neon_arm64.h.
 *
 * Products go to int16, one lane per row and column of a quad, so that quads add up
 * there: at most 8*15*127 = 15,240 with 4 bits, 8*31*127 = 31,496 with 5, 4*63*127 =
 * 32,004 with 6 (its sums run over 4 quads), and 2*128*127 = 32,512 with 8. */
#include <arm_neon.h>
#include <stdint.h>

#include "kernels.h"

#define DOT
#define DOT_INLINE static inline __attribute__((always_inline))

/* bcast4 repeats four activations in all rows. */
DOT_INLINE int8x16_t bcast4(const int8_t *x)
{
	int32_t v;
	__builtin_memcpy(&v, x, 4);
	return vreinterpretq_s8_s32(vdupq_n_s32(v));
}

DOT_INLINE int32x4_t dot(int codec, const int8x16_t *w, int j0, int j1, const int8_t *x, int32x4_t first)
{
	const int run = codec == CODEC_8 ? 2 : j1 - j0; /* quads that may be added in int16 */
	int32x4_t low = vdupq_n_s32(0), high = low;     /* rows 0 and 1, 2 and 3, in pairs of columns */
#pragma GCC unroll 4
	for (int j = j0; j < j1; j += run) {
		int16x8_t p = vdupq_n_s16(0), q = p;
#pragma GCC unroll 8
		for (int e = j; e < j + run; e++) {
			int8x16_t b = bcast4(x + 4 * e);
			p = vmlal_s8(p, vget_low_s8(w[e]), vget_low_s8(b));
			q = vmlal_high_s8(q, w[e], b);
		}
		low = vpadalq_s16(low, p);
		high = vpadalq_s16(high, q);
	}
	return vaddq_s32(first, vpaddq_s32(low, high));
}

#include "matmul_neon_arm64.h"

DOT void matmul_neon(struct matmul_args a)
{
	matmul(&a);
}

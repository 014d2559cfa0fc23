/* matmul_neondot: the matrix products with the dot-product extension (ARMv8.2 and
 * later), see matmul_neon_arm64.h. Sums are int32: they cannot overflow. */
#include <arm_neon.h>
#include <stdint.h>

#include "kernels.h"

/* This form of the name serves GCC and Clang. */
#define DOT KERNEL_TARGET("arch=armv8.2-a+dotprod")
#define DOT_INLINE DOT static inline __attribute__((always_inline))

/* dot: the four activations of a quad are one lane of x; codec is of no concern. */
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

#include "matmul_neon_arm64.h"

DOT void matmul_neondot(struct matmul_args a)
{
	matmul(&a);
}

/* matmul_neoni8mm: the matrix products with the matrix-multiply extension (ARMv8.6 and
 * later), see matmul_neon_arm64.h. One instruction multiplies two rows by two tokens over
 * 8 columns: twice the work of a dot product. Decode, which waits for memory, stays with
 * dot products. Sums are int32: they cannot overflow. */
#include <arm_neon.h>
#include <stdint.h>

#include "kernels.h"

/* This form of the name serves GCC and Clang. */
#define DOT KERNEL_TARGET("arch=armv8.2-a+dotprod+i8mm")
#define DOT_INLINE DOT static inline __attribute__((always_inline))

#include "dot_neon_arm64.h"

/* zip_rows brings quads j and j+1 of four rows into the form that dot_pair takes:
 * 8 columns of rows 0 and 1, and of rows 2 and 3. */
DOT_INLINE void zip_rows(int8x16_t *w)
{
	const int32x4_t a = vreinterpretq_s32_s8(w[0]), b = vreinterpretq_s32_s8(w[1]);
	w[0] = vreinterpretq_s8_s32(vzip1q_s32(a, b));
	w[1] = vreinterpretq_s8_s32(vzip2q_s32(a, b));
}

/* unzip_rows gives the quads back. */
DOT_INLINE void unzip_rows(const int8x16_t *w, int8x16_t *plain)
{
	const int32x4_t a = vreinterpretq_s32_s8(w[0]), b = vreinterpretq_s32_s8(w[1]);
	plain[0] = vreinterpretq_s8_s32(vuzp1q_s32(a, b));
	plain[1] = vreinterpretq_s8_s32(vuzp2q_s32(a, b));
}

/* dot_pair adds to sum[0] and sum[1], the 4 rows of two tokens, the zipped quads [j0, j1)
 * times the activations at x and y. */
DOT_INLINE void dot_pair(const int8x16_t *w, int j0, int j1, const int8_t *x, const int8_t *y, int32x4_t *sum)
{
	const int64x2_t s = vreinterpretq_s64_s32(sum[0]), t = vreinterpretq_s64_s32(sum[1]);
	/* [token 0: rows 0, 1; token 1: rows 0, 1], and the same of rows 2 and 3 */
	int32x4_t low = vreinterpretq_s32_s64(vzip1q_s64(s, t)), high = vreinterpretq_s32_s64(vzip2q_s64(s, t));
#pragma GCC unroll 4
	for (int j = j0; j < j1; j += 2) {
		int8x16_t b = vcombine_s8(vld1_s8(x + 4 * j), vld1_s8(y + 4 * j));
		low = vmmlaq_s32(low, b, w[j]);
		high = vmmlaq_s32(high, b, w[j + 1]);
	}
	const int64x2_t l = vreinterpretq_s64_s32(low), h = vreinterpretq_s64_s32(high);
	sum[0] = vreinterpretq_s32_s64(vzip1q_s64(l, h));
	sum[1] = vreinterpretq_s32_s64(vzip2q_s64(l, h));
}

#define DOT_PAIRS
#include "matmul_neon_arm64.h"

DOT void matmul_neoni8mm(struct matmul_args a)
{
	matmul(&a);
}

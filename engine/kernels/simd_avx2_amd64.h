/* What all AVX2 kernels share: the target, pairs of registers that hold sixteen
 * floats, exp, and the fixed trees. */
#ifndef WINDOWSEAT_SIMD_AVX2_H
#define WINDOWSEAT_SIMD_AVX2_H

#include <immintrin.h>

#include "kernels.h"

#define AVX2 KERNEL_TARGET("avx2,fma,f16c")
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

AVX2_INLINE __m256 load8_f16(const void *p)
{
	return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

/* exp8 is Exp32 in eight lanes. */
AVX2_INLINE __m256 exp8(__m256 x)
{
	__m256 live = _mm256_cmp_ps(x, _mm256_set1_ps(EXP_LOW), _CMP_GE_OQ);
	x = _mm256_min_ps(x, _mm256_set1_ps(EXP_HIGH));
	__m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(LOG2E)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	__m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(LN2_HIGH), x);
	r = _mm256_fnmadd_ps(n, _mm256_set1_ps(LN2_LOW), r);
	__m256 p = _mm256_set1_ps(EXP_E6), one = _mm256_set1_ps(1);
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(EXP_E5));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(EXP_E4));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(EXP_E3));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(EXP_E2));
	p = _mm256_fmadd_ps(p, r, one);
	p = _mm256_fmadd_ps(p, r, one);
	__m256i scale = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
	return _mm256_and_ps(_mm256_mul_ps(p, _mm256_castsi256_ps(scale)), live);
}

/* tree_sum adds pairs (i, i+8), (i, i+4), (i, i+2), (i, i+1); lo is 0..7, hi 8..15. */
AVX2_INLINE float tree_sum(__m256 lo, __m256 hi)
{
	lo = _mm256_add_ps(lo, hi);
	__m128 c = _mm_add_ps(_mm256_castps256_ps128(lo), _mm256_extractf128_ps(lo, 1));
	c = _mm_add_ps(c, _mm_movehl_ps(c, c));
	return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

/* tree_max is the largest value by the same pairs; the first of a pair unless the
 * second is greater (max_ps gives its second operand when in doubt). */
AVX2_INLINE float tree_max(__m256 lo, __m256 hi)
{
	lo = _mm256_max_ps(hi, lo);
	__m128 c = _mm_max_ps(_mm256_extractf128_ps(lo, 1), _mm256_castps256_ps128(lo));
	c = _mm_max_ps(_mm_movehl_ps(c, c), c);
	return _mm_cvtss_f32(_mm_max_ss(_mm_movehdup_ps(c), c));
}

/* lanes is a mask of the first n of eight lanes (n < 0: none, n > 8: all). */
AVX2_INLINE __m256 lanes(int64_t n)
{
	int32_t k = n < 0 ? 0 : n > 8 ? 8 : (int32_t)n;
	return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(k), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

#endif

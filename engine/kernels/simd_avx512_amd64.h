/* What all AVX-512 kernels share: the target, exp, and the fixed trees. */
#ifndef WINDOWSEAT_SIMD_AVX512_H
#define WINDOWSEAT_SIMD_AVX512_H

#include <immintrin.h>

#include "kernels.h"

#define AVX512 KERNEL_TARGET("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c,prfchw")
#define AVX512_INLINE AVX512 static inline __attribute__((always_inline))

AVX512_INLINE __m512 load_f16(const void *p)
{
	return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

/* exp16 is Exp32 in sixteen lanes. */
AVX512_INLINE __m512 exp16(__m512 x)
{
	__mmask16 live = _mm512_cmp_ps_mask(x, _mm512_set1_ps(EXP_LOW), _CMP_GE_OQ);
	x = _mm512_min_ps(x, _mm512_set1_ps(EXP_HIGH));
	__m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(LOG2E)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	__m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(LN2_HIGH), x);
	r = _mm512_fnmadd_ps(n, _mm512_set1_ps(LN2_LOW), r);
	__m512 p = _mm512_set1_ps(EXP_E6), one = _mm512_set1_ps(1);
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(EXP_E5));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(EXP_E4));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(EXP_E3));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(EXP_E2));
	p = _mm512_fmadd_ps(p, r, one);
	p = _mm512_fmadd_ps(p, r, one);
	__m512i scale = _mm512_slli_epi32(_mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127)), 23);
	return _mm512_maskz_mul_ps(live, p, _mm512_castsi512_ps(scale));
}

/* tree_sum adds pairs (i, i+8), (i, i+4), (i, i+2), (i, i+1). */
AVX512_INLINE float tree_sum(__m512 a)
{
	__m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
	__m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
	c = _mm_add_ps(c, _mm_movehl_ps(c, c));
	return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

/* tree_max is the largest value by the same pairs; the first of a pair unless the
 * second is greater (max_ps gives its second operand when in doubt). */
AVX512_INLINE float tree_max(__m512 a)
{
	__m256 b = _mm256_max_ps(_mm512_extractf32x8_ps(a, 1), _mm512_castps512_ps256(a));
	__m128 c = _mm_max_ps(_mm256_extractf128_ps(b, 1), _mm256_castps256_ps128(b));
	c = _mm_max_ps(_mm_movehl_ps(c, c), c);
	return _mm_cvtss_f32(_mm_max_ss(_mm_movehdup_ps(c), c));
}

#endif

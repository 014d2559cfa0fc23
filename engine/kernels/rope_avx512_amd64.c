/* RoPE and StoreKV: see the wrappers in attn.go. */
#include <math.h>

#include "simd_avx512_amd64.h"

/* rope_pair rotates one pair in place. */
AVX512_INLINE void rope_pair(float *p, float *q, float c, float s)
{
	const float u = *p, v = *q;
	*p = fmaf(u, c, -(v * s));
	*q = fmaf(u, s, v * c);
}

AVX512 void rope_avx512(struct rope_args a)
{
	const __m512i index = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	for (int64_t h = 0; h < a.n_heads; h++) {
		float *x = a.x + h * a.head_dim;
		int64_t i = 0;
		for (; i + 16 <= a.rot_half; i += 16) {
			__m512 c = _mm512_loadu_ps(a.cos + i), s = _mm512_loadu_ps(a.sin + i), u, v;
			if (a.interleaved) {
				__m512 lo = _mm512_loadu_ps(x + 2 * i), hi = _mm512_loadu_ps(x + 2 * i + 16);
				u = _mm512_permutex2var_ps(lo, index, hi);
				v = _mm512_permutex2var_ps(lo, _mm512_add_epi32(index, _mm512_set1_epi32(1)), hi);
			} else {
				u = _mm512_loadu_ps(x + i);
				v = _mm512_loadu_ps(x + a.rot_half + i);
			}
			__m512 p = _mm512_fmsub_ps(u, c, _mm512_mul_ps(v, s)), q = _mm512_fmadd_ps(u, s, _mm512_mul_ps(v, c));
			if (a.interleaved) {
				const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
				_mm512_storeu_ps(x + 2 * i, _mm512_permutex2var_ps(p, low, q));
				_mm512_storeu_ps(x + 2 * i + 16, _mm512_permutex2var_ps(p, _mm512_add_epi32(low, _mm512_set1_epi32(8)), q));
			} else {
				_mm512_storeu_ps(x + i, p);
				_mm512_storeu_ps(x + a.rot_half + i, q);
			}
		}
		for (; i < a.rot_half; i++) {
			if (a.interleaved)
				rope_pair(x + 2 * i, x + 2 * i + 1, a.cos[i], a.sin[i]);
			else
				rope_pair(x + i, x + a.rot_half + i, a.cos[i], a.sin[i]);
		}
	}
}

/* store_kv_avx512: k, v [n]; k_page + 64*i and v_page + i are where element i goes. */
AVX512 void store_kv_avx512(uint16_t *k_page, uint16_t *v_page, const float *k, const float *v, int64_t n)
{
	uint16_t h[16];
	for (int64_t i = 0; i < n; i += 16) {
		_mm256_storeu_si256((__m256i *)(v_page + i), _mm512_cvtps_ph(_mm512_loadu_ps(v + i), _MM_FROUND_TO_NEAREST_INT));
		_mm256_storeu_si256((__m256i *)h, _mm512_cvtps_ph(_mm512_loadu_ps(k + i), _MM_FROUND_TO_NEAREST_INT));
		for (int j = 0; j < 16; j++)
			k_page[(i + j) * PAGE_TOKENS] = h[j];
	}
}

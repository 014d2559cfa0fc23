/* UnpackKV for both x86 paths: AVX2 and F16C are enough to run at memory speed. */
#include "simd_avx2_amd64.h"

/* to_f16 rounds scale * q + mid to f16, for eight q. */
AVX2_INLINE void to_f16(uint16_t *dst, const int8_t *q, __m256 scale, __m256 mid)
{
	__m256 x = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)q)));
	x = _mm256_fmadd_ps(scale, x, mid);
	_mm_storeu_si128((__m128i *)dst, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

AVX2 void unpack_kv_avx2(struct unpack_args a)
{
	for (int64_t c = 0; c < a.head_dim; c++) {
		__m256 scale = _mm256_set1_ps(a.k_scale[c]), mid = _mm256_set1_ps(a.k_mid[c]);
		for (int64_t j = c * PAGE_TOKENS; j < (c + 1) * PAGE_TOKENS; j += 8)
			to_f16(a.k_out + j, a.k + j, scale, mid);
	}
	for (int64_t t = 0; t < PAGE_TOKENS; t++) {
		/* fma(s, q, -0) is s * q rounded once, the sign of zero kept */
		__m256 scale = _mm256_set1_ps(a.v_scale[t * a.heads]), none = _mm256_set1_ps(-0.0f);
		for (int64_t i = t * a.heads * a.head_dim; i < t * a.heads * a.head_dim + a.head_dim; i += 8)
			to_f16(a.v_out + i, a.v + i, scale, none);
	}
}

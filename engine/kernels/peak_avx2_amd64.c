/* What the machine can do at most with AVX2, see peak_avx512_amd64.c. */
#include "simd_avx2_amd64.h"

/* peak_dot_avx2: n rounds of 32 times 32 int8 products, added up in int16 as narrow
 * codecs allow, operands in registers. 1,024 multiply-adds per round. */
AVX2 int32_t peak_dot_avx2(int64_t n)
{
	__m256i acc[8];
	__m256i a = _mm256_set1_epi8(1), b = _mm256_set1_epi8(2);
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		acc[i] = _mm256_set1_epi32(i);
	for (int64_t r = 0; r < 4 * n; r++) {
#pragma GCC unroll 8
		for (int i = 0; i < 8; i++) {
			acc[i] = _mm256_add_epi16(acc[i], _mm256_maddubs_epi16(a, b));
			__asm__ volatile("" : "+x"(a), "+x"(b));
		}
	}
#pragma GCC unroll 8
	for (int i = 1; i < 8; i++)
		acc[0] = _mm256_add_epi32(acc[0], acc[i]);
	return _mm256_extract_epi32(acc[0], 0);
}

/* peak_read_avx2 reads n bytes, a multiple of 64, at p, 64-byte aligned. */
AVX2 int32_t peak_read_avx2(const uint8_t *p, int64_t n)
{
	__m256i a = _mm256_setzero_si256(), b = a;
	for (int64_t i = 0; i < n; i += 64) {
		a = _mm256_xor_si256(a, _mm256_load_si256((const __m256i *)(p + i)));
		b = _mm256_xor_si256(b, _mm256_load_si256((const __m256i *)(p + i + 32)));
	}
	return _mm256_extract_epi32(_mm256_xor_si256(a, b), 0);
}

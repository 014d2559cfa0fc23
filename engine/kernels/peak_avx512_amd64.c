/* What the machine can do at most: the measure for the benchmarks of the kernels
 * (see peak_test.go), not part of any result. */
#include "simd_avx512_amd64.h"

/* peak_dot_avx512: n rounds of 16 independent dot-product instructions, operands in
 * registers. 1,024 multiply-adds of int8 per round. */
AVX512 int32_t peak_dot_avx512(int64_t n)
{
	__m512i acc[16];
	__m512i a = _mm512_set1_epi8(1), b = _mm512_set1_epi8(2);
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		acc[i] = _mm512_set1_epi32(i);
	for (int64_t r = 0; r < n; r++) {
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++)
			acc[i] = _mm512_dpbusd_epi32(acc[i], a, b);
		__asm__ volatile("" : "+v"(a), "+v"(b));
	}
#pragma GCC unroll 16
	for (int i = 1; i < 16; i++)
		acc[0] = _mm512_add_epi32(acc[0], acc[i]);
	return _mm512_reduce_add_epi32(acc[0]);
}

/* peak_fma_avx512: the same with float fused multiply-adds, 256 per round. */
AVX512 float peak_fma_avx512(int64_t n)
{
	__m512 acc[16];
	__m512 a = _mm512_set1_ps(1), b = _mm512_set1_ps(2);
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		acc[i] = _mm512_set1_ps((float)i);
	for (int64_t r = 0; r < n; r++) {
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++)
			acc[i] = _mm512_fmadd_ps(a, b, acc[i]);
		__asm__ volatile("" : "+v"(a), "+v"(b));
	}
#pragma GCC unroll 16
	for (int i = 1; i < 16; i++)
		acc[0] = _mm512_add_ps(acc[0], acc[i]);
	return _mm512_reduce_add_ps(acc[0]);
}

/* peak_read_avx512 reads n bytes, a multiple of 256, at p, 64-byte aligned. */
AVX512 int32_t peak_read_avx512(const uint8_t *p, int64_t n)
{
	__m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
	for (int64_t i = 0; i < n; i += 256) {
		a = _mm512_xor_si512(a, _mm512_load_si512(p + i));
		b = _mm512_xor_si512(b, _mm512_load_si512(p + i + 64));
		c = _mm512_xor_si512(c, _mm512_load_si512(p + i + 128));
		d = _mm512_xor_si512(d, _mm512_load_si512(p + i + 192));
	}
	return _mm512_reduce_add_epi32(_mm512_xor_si512(_mm512_xor_si512(a, b), _mm512_xor_si512(c, d)));
}

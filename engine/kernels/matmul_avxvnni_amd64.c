/* The matrix products of AVX-VNNI, and what it can do at most. */
#define VNNI 1
#include "matmul_avx2_amd64.h"

AVX2 void matmul_avxvnni(struct matmul_args a)
{
	matmul(&a);
}

AVX2 void coarse_matmul_avxvnni(struct matmul_args a)
{
	matmul_grouped(&a, GRAIN_COARSE);
}

/* peak_dot_avxvnni: n rounds of 32 times 32 int8 products, operands in registers. 1,024
 * multiply-adds per round. */
AVX2 int32_t peak_dot_avxvnni(int64_t n)
{
	__m256i acc[12];
	__m256i a = _mm256_set1_epi8(1), b = _mm256_set1_epi8(2);
#pragma GCC unroll 12
	for (int i = 0; i < 12; i++)
		acc[i] = _mm256_set1_epi32(i);
	for (int64_t r = 0; r < 32 * n; r += 12) {
#pragma GCC unroll 12
		for (int i = 0; i < 12; i++)
			__asm__ volatile("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc[i]) : "x"(a), "x"(b));
	}
#pragma GCC unroll 12
	for (int i = 1; i < 12; i++)
		acc[0] = _mm256_add_epi32(acc[0], acc[i]);
	return _mm256_extract_epi32(acc[0], 0);
}

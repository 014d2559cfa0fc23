/* The matrix products of AVX2. */
#define VNNI 0
#include "matmul_avx2_amd64.h"

AVX2 void matmul_avx2(struct matmul_args a)
{
	matmul(&a);
}

AVX2 void medium_matmul_avx2(struct matmul_args a)
{
	matmul_grouped(&a, GRAIN_MEDIUM);
}

/* The activation ops with NEON: see acts_loops.h. */
#include "simd_neon_arm64.h"

#include "acts_loops.h"

void quantize_neon(struct acts dst, const float *x)
{
	quantize(&dst, x);
}

void rmsnorm_neon(float *dst, const float *x, const float *w, int64_t n, float eps)
{
	rmsnorm(dst, x, w, n, eps);
}

void rmsnorm_quantize_neon(struct acts dst, const float *x, const float *w, float eps)
{
	rmsnorm_quantize(&dst, x, w, eps);
}

void swiglu_quantize_neon(struct acts dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx)
{
	swiglu_quantize(&dst, row_groups, gate, up, ldx);
}

void exp_neon(float *dst, const float *x, int64_t n)
{
	exp_all(dst, x, n);
}

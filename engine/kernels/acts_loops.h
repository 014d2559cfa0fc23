/* Quantization of activations, RMSNorm, SwiGLU, exp: the loops, once for all
 * instruction sets whose simd header defines vec, its operations and the attributes
 * VEC and VEC_INLINE. See the wrappers in acts.go for the formulas.
 *
 * Row lengths are multiples of 32 (16 in rmsnorm); loads need no alignment. */
#ifndef WINDOWSEAT_ACTS_LOOPS_H
#define WINDOWSEAT_ACTS_LOOPS_H

#include "kernels.h"

/* quantize_group stores group g (counted over all rows) of x = a, b. */
VEC_INLINE void quantize_group(const struct acts *dst, int64_t g, vec a, vec b)
{
	a = vec_finite(a);
	b = vec_finite(b);
	const float amax = vec_top(vec_greater(vec_abs(a), vec_abs(b)));
	float scale = 0, inverse = 0;
	if (amax >= TINY_GROUP) {
		scale = amax / 127;
		inverse = 127 / amax;
	}
	const int32_t first = vec_store_s8(dst->q + GROUP * g, vec_mul(a, vec_splat(inverse)));
	const int32_t second = vec_store_s8(dst->q + GROUP * g + 16, vec_mul(b, vec_splat(inverse)));
	dst->scale[g] = scale;
	dst->scale_sum[g] = scale * (float)(first + second);
	dst->sum[2 * g] = first;
	dst->sum[2 * g + 1] = second;
	dst->start16[2 * g] = DOT_BASE - 128 * first;
	dst->start16[2 * g + 1] = DOT_BASE - 128 * second;
	dst->start32[g] = DOT_BASE - 128 * (first + second);
}

/* quantize: x [rows, k]. */
VEC_INLINE void quantize(const struct acts *dst, const float *x)
{
	for (int64_t g = 0; g < dst->rows * dst->k / GROUP; g++)
		quantize_group(dst, g, vec_load(x + GROUP * g), vec_load(x + GROUP * g + 16));
}

/* inverse_rms is 1/sqrt(mean of squares + eps). */
VEC_INLINE float inverse_rms(const float *x, int64_t n, float eps)
{
	vec ss = vec_splat(0);
	for (int64_t i = 0; i < n; i += 16) {
		vec v = vec_load(x + i);
		ss = vec_fma(v, v, ss);
	}
	const float mean = vec_sum(ss) / (float)n;
	return 1 / sqrt1(mean + eps);
}

VEC_INLINE vec normalize(const float *x, const float *w, float r)
{
	return vec_mul(vec_mul(vec_load(x), vec_splat(r)), vec_load(w));
}

/* rmsnorm: dst, x, w [n]; dst may be x. */
VEC_INLINE void rmsnorm(float *dst, const float *x, const float *w, int64_t n, float eps)
{
	const float r = inverse_rms(x, n, eps);
	for (int64_t i = 0; i < n; i += 16)
		vec_store(dst + i, normalize(x + i, w + i, r));
}

/* rmsnorm_quantize: x [rows, k], w [k]. */
VEC_INLINE void rmsnorm_quantize(const struct acts *dst, const float *x, const float *w, float eps)
{
	const int64_t groups = dst->k / GROUP;
	for (int64_t t = 0; t < dst->rows; t++, x += dst->k) {
		const float r = inverse_rms(x, dst->k, eps);
		for (int64_t g = 0; g < groups; g++) {
			const int64_t i = GROUP * g;
			quantize_group(dst, t * groups + g, normalize(x + i, w + i, r), normalize(x + i + 16, w + i + 16, r));
		}
	}
}

VEC_INLINE vec swiglu(const float *gate, const float *up)
{
	vec g = vec_load(gate), e = vec_exp(vec_neg(g));
	return vec_mul(vec_div(g, vec_add(vec_splat(1), e)), vec_load(up));
}

/* swiglu_quantize: gate, up [rows, ldx], the first k of each row. Rows of dst are
 * row_groups groups apart. */
VEC_INLINE void swiglu_quantize(const struct acts *dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx)
{
	const int64_t groups = dst->k / GROUP;
	for (int64_t t = 0; t < dst->rows; t++, gate += ldx, up += ldx)
		for (int64_t g = 0; g < groups; g++) {
			const int64_t i = GROUP * g;
			quantize_group(dst, t * row_groups + g, swiglu(gate + i, up + i), swiglu(gate + i + 16, up + i + 16));
		}
}

/* exp_all: dst, x [n], any n; dst may be x. */
VEC_INLINE void exp_all(float *dst, const float *x, int64_t n)
{
	int64_t i = 0;
	for (; i + 16 <= n; i += 16)
		vec_store(dst + i, vec_exp(vec_load(x + i)));
	for (; i < n; i++)
		dst[i] = exp1(x[i]);
}

#endif

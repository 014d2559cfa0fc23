/* Quantization of activations, RMSNorm, SwiGLU, exp: see the wrappers in acts.go.
 * Row lengths are multiples of 32 (16 in rmsnorm); loads need no alignment. */
#include "simd_avx512_amd64.h"

/* finite: NaN becomes 0, infinities the largest finite values. */
AVX512_INLINE __m512 finite(__m512 x)
{
	const __m512 top = _mm512_set1_ps(__FLT_MAX__);
	x = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x);
	return _mm512_min_ps(_mm512_max_ps(x, _mm512_sub_ps(_mm512_setzero_ps(), top)), top);
}

/* quantize_group stores group g (counted over all rows) of x = a, b. */
AVX512_INLINE void quantize_group(const struct acts *dst, int64_t g, __m512 a, __m512 b)
{
	a = finite(a);
	b = finite(b);
	float amax = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
	float scale = 0, inverse = 0;
	if (amax >= TINY_GROUP) {
		scale = amax / 127;
		inverse = 127 / amax;
	}
	__m512i p = _mm512_cvtps_epi32(_mm512_mul_ps(a, _mm512_set1_ps(inverse)));
	__m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(b, _mm512_set1_ps(inverse)));
	_mm_storeu_si128((__m128i *)(dst->q + GROUP * g), _mm512_cvtepi32_epi8(p));
	_mm_storeu_si128((__m128i *)(dst->q + GROUP * g + 16), _mm512_cvtepi32_epi8(q));
	int32_t sum_p = _mm512_reduce_add_epi32(p), sum_q = _mm512_reduce_add_epi32(q);
	dst->scale[g] = scale;
	dst->scale_sum[g] = scale * (float)(sum_p + sum_q);
	dst->sum[2 * g] = sum_p;
	dst->sum[2 * g + 1] = sum_q;
	dst->start16[2 * g] = DOT_BASE - 128 * sum_p;
	dst->start16[2 * g + 1] = DOT_BASE - 128 * sum_q;
	dst->start32[g] = DOT_BASE - 128 * (sum_p + sum_q);
}

/* quantize_avx512: x [rows, k]. */
AVX512 void quantize_avx512(struct acts dst, const float *x)
{
	for (int64_t g = 0; g < dst.rows * dst.k / GROUP; g++)
		quantize_group(&dst, g, _mm512_loadu_ps(x + GROUP * g), _mm512_loadu_ps(x + GROUP * g + 16));
}

/* inverse_rms is 1/sqrt(mean of squares + eps). */
AVX512_INLINE float inverse_rms(const float *x, int64_t n, float eps)
{
	__m512 ss = _mm512_setzero_ps();
	for (int64_t i = 0; i < n; i += 16) {
		__m512 v = _mm512_loadu_ps(x + i);
		ss = _mm512_fmadd_ps(v, v, ss);
	}
	float mean = tree_sum(ss) / (float)n;
	return 1 / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean + eps)));
}

AVX512_INLINE __m512 normalize(const float *x, const float *w, float r)
{
	return _mm512_mul_ps(_mm512_mul_ps(_mm512_loadu_ps(x), _mm512_set1_ps(r)), _mm512_loadu_ps(w));
}

/* rmsnorm_avx512: dst, x, w [n]; dst may be x. */
AVX512 void rmsnorm_avx512(float *dst, const float *x, const float *w, int64_t n, float eps)
{
	const float r = inverse_rms(x, n, eps);
	for (int64_t i = 0; i < n; i += 16)
		_mm512_storeu_ps(dst + i, normalize(x + i, w + i, r));
}

/* rmsnorm_quantize_avx512: x [rows, k], w [k]. */
AVX512 void rmsnorm_quantize_avx512(struct acts dst, const float *x, const float *w, float eps)
{
	const int64_t groups = dst.k / GROUP;
	for (int64_t t = 0; t < dst.rows; t++, x += dst.k) {
		const float r = inverse_rms(x, dst.k, eps);
		for (int64_t g = 0; g < groups; g++) {
			const int64_t i = GROUP * g;
			quantize_group(&dst, t * groups + g, normalize(x + i, w + i, r), normalize(x + i + 16, w + i + 16, r));
		}
	}
}

AVX512_INLINE __m512 swiglu(const float *gate, const float *up)
{
	__m512 g = _mm512_loadu_ps(gate);
	/* -g flips the sign also of NaN and zero, as Go's negation does. */
	__m512 e = exp16(_mm512_xor_ps(g, _mm512_set1_ps(-0.0f)));
	return _mm512_mul_ps(_mm512_div_ps(g, _mm512_add_ps(_mm512_set1_ps(1), e)), _mm512_loadu_ps(up));
}

/* swiglu_quantize_avx512: gate, up [rows, ldx], the first k of each row. Rows of dst are
 * row_groups groups apart. */
AVX512 void swiglu_quantize_avx512(struct acts dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx)
{
	const int64_t groups = dst.k / GROUP;
	for (int64_t t = 0; t < dst.rows; t++, gate += ldx, up += ldx)
		for (int64_t g = 0; g < groups; g++) {
			const int64_t i = GROUP * g;
			quantize_group(&dst, t * row_groups + g, swiglu(gate + i, up + i), swiglu(gate + i + 16, up + i + 16));
		}
}

/* quantize_values stores one group, n vectors at v, from q on; scale and start are its
 * elements of those arrays. */
AVX512_INLINE void quantize_values(__m512 *v, int n, int8_t *q, float *scale, int32_t *start)
{
	__m512 top = _mm512_setzero_ps();
	for (int i = 0; i < n; i++) {
		v[i] = finite(v[i]);
		top = _mm512_max_ps(top, _mm512_abs_ps(v[i]));
	}
	const float amax = _mm512_reduce_max_ps(top);
	const int live = amax >= TINY_GROUP;
	const __m512 inverse = _mm512_set1_ps(live ? 127 / amax : 0);
	__m512i sum = _mm512_setzero_si512();
	for (int i = 0; i < n; i++) {
		const __m512i p = _mm512_cvtps_epi32(_mm512_mul_ps(v[i], inverse));
		sum = _mm512_add_epi32(sum, p);
		_mm_storeu_si128((__m128i *)(q + 16 * i), _mm512_cvtepi32_epi8(p));
	}
	*scale = live ? amax / 127 : 0;
	*start = DOT_BASE - 128 * _mm512_reduce_add_epi32(sum);
}

/* What quantize_row quantizes; and how many vectors a group of 128 is. */
enum { PLAIN, NORM, GATED, VECTORS = COARSE / 16 };

/* quantize_row stores row t of dst, coarsely; rows are row_groups groups of 32 apart. */
AVX512_INLINE void quantize_row(const struct acts *dst, int64_t t, int64_t row_groups, int what, const float *x, const float *y, float r)
{
	for (int64_t k = 0; k < dst->k; k += COARSE) {
		__m512 v[VECTORS];
		int n = 0;
		for (int64_t i = k; n < VECTORS && i < dst->k; n++, i += 16)
			v[n] = what == NORM ? normalize(x + i, y + i, r) : what == GATED ? swiglu(x + i, y + i) : _mm512_loadu_ps(x + i);
		const int64_t at = t * row_groups + k / COARSE;
		quantize_values(v, n, dst->q + GROUP * t * row_groups + k, dst->scale + at, dst->start32 + at);
	}
}

/* coarse_quantize_avx512: x [rows, k]. */
AVX512 void coarse_quantize_avx512(struct acts dst, const float *x)
{
	for (int64_t t = 0; t < dst.rows; t++, x += dst.k)
		quantize_row(&dst, t, dst.k / GROUP, PLAIN, x, NULL, 0);
}

/* coarse_rmsnorm_avx512: x [rows, k], w [k]. */
AVX512 void coarse_rmsnorm_avx512(struct acts dst, const float *x, const float *w, float eps)
{
	for (int64_t t = 0; t < dst.rows; t++, x += dst.k)
		quantize_row(&dst, t, dst.k / GROUP, NORM, x, w, inverse_rms(x, dst.k, eps));
}

/* coarse_swiglu_avx512: gate, up [rows, ldx], the first k of each row. Rows of dst are
 * row_groups groups of 32 apart. */
AVX512 void coarse_swiglu_avx512(struct acts dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx)
{
	for (int64_t t = 0; t < dst.rows; t++, gate += ldx, up += ldx)
		quantize_row(&dst, t, row_groups, GATED, gate, up, 0);
}

/* exp_avx512: dst, x [n], any n; dst may be x. */
AVX512 void exp_avx512(float *dst, const float *x, int64_t n)
{
	for (int64_t i = 0; i < n; i += 16) {
		__mmask16 live = n - i >= 16 ? 0xffff : (__mmask16)((1u << (n - i)) - 1);
		_mm512_mask_storeu_ps(dst + i, live, exp16(_mm512_maskz_loadu_ps(live, x + i)));
	}
}

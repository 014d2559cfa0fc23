/* Quantization of activations, RMSNorm, SwiGLU, exp: see the wrappers in acts.go.
 * Row lengths are multiples of 32 (16 in rmsnorm); loads need no alignment. */
#include "simd_avx2_amd64.h"

/* finite: NaN becomes 0, infinities the largest finite values. */
AVX2_INLINE __m256 finite(__m256 x)
{
	x = _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
	return _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-__FLT_MAX__)), _mm256_set1_ps(__FLT_MAX__));
}

AVX2_INLINE float largest(__m256 x)
{
	return tree_max(x, x);
}

AVX2_INLINE int32_t total(__m256i x)
{
	__m128i s = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
	s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
	return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}

/* store_bytes stores 32 integers as bytes. */
AVX2_INLINE void store_bytes(int8_t *to, const __m256i q[4])
{
	/* The packs work per 128-bit lane; the permutation restores the order. */
	__m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
	bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
	_mm256_storeu_si256((__m256i *)to, bytes);
}

/* quantize_group stores group g (counted over all rows) of x. */
AVX2_INLINE void quantize_group(const struct acts *dst, int64_t g, __m256 x[4])
{
	const __m256 sign = _mm256_set1_ps(-0.0f);
	__m256 peak = _mm256_setzero_ps();
	for (int i = 0; i < 4; i++) {
		x[i] = finite(x[i]);
		peak = _mm256_max_ps(peak, _mm256_andnot_ps(sign, x[i]));
	}
	const float amax = largest(peak);
	float scale = 0, inverse = 0;
	if (amax >= TINY_GROUP) {
		scale = amax / 127;
		inverse = 127 / amax;
	}
	__m256i q[4];
	for (int i = 0; i < 4; i++)
		q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(x[i], _mm256_set1_ps(inverse)));
	store_bytes(dst->q + GROUP * g, q);
	int32_t first = total(_mm256_add_epi32(q[0], q[1])), second = total(_mm256_add_epi32(q[2], q[3]));
	dst->scale[g] = scale;
	dst->scale_sum[g] = scale * (float)(first + second);
	dst->sum[2 * g] = first;
	dst->sum[2 * g + 1] = second;
	dst->start16[2 * g] = DOT_BASE - 128 * first;
	dst->start16[2 * g + 1] = DOT_BASE - 128 * second;
	dst->start32[g] = DOT_BASE - 128 * (first + second);
}

/* quantize_avx2: x [rows, k]. */
AVX2 void quantize_avx2(struct acts dst, const float *x)
{
	for (int64_t g = 0; g < dst.rows * dst.k / GROUP; g++) {
		__m256 v[4];
		for (int i = 0; i < 4; i++)
			v[i] = _mm256_loadu_ps(x + GROUP * g + 8 * i);
		quantize_group(&dst, g, v);
	}
}

/* inverse_rms is 1/sqrt(mean of squares + eps). */
AVX2_INLINE float inverse_rms(const float *x, int64_t n, float eps)
{
	__m256 lo = _mm256_setzero_ps(), hi = lo;
	for (int64_t i = 0; i < n; i += 16) {
		__m256 u = _mm256_loadu_ps(x + i), v = _mm256_loadu_ps(x + i + 8);
		lo = _mm256_fmadd_ps(u, u, lo);
		hi = _mm256_fmadd_ps(v, v, hi);
	}
	float mean = tree_sum(lo, hi) / (float)n;
	return 1 / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean + eps)));
}

AVX2_INLINE __m256 normalize(const float *x, const float *w, float r)
{
	return _mm256_mul_ps(_mm256_mul_ps(_mm256_loadu_ps(x), _mm256_set1_ps(r)), _mm256_loadu_ps(w));
}

/* rmsnorm_avx2: dst, x, w [n]; dst may be x. */
AVX2 void rmsnorm_avx2(float *dst, const float *x, const float *w, int64_t n, float eps)
{
	const float r = inverse_rms(x, n, eps);
	for (int64_t i = 0; i < n; i += 8)
		_mm256_storeu_ps(dst + i, normalize(x + i, w + i, r));
}

/* rmsnorm_quantize_avx2: x [rows, k], w [k]. */
AVX2 void rmsnorm_quantize_avx2(struct acts dst, const float *x, const float *w, float eps)
{
	const int64_t groups = dst.k / GROUP;
	for (int64_t t = 0; t < dst.rows; t++, x += dst.k) {
		const float r = inverse_rms(x, dst.k, eps);
		for (int64_t g = 0; g < groups; g++) {
			__m256 v[4];
			for (int i = 0; i < 4; i++)
				v[i] = normalize(x + GROUP * g + 8 * i, w + GROUP * g + 8 * i, r);
			quantize_group(&dst, t * groups + g, v);
		}
	}
}

AVX2_INLINE __m256 swiglu(const float *gate, const float *up)
{
	__m256 g = _mm256_loadu_ps(gate);
	/* -g flips the sign also of NaN and zero, as Go's negation does. */
	__m256 e = exp8(_mm256_xor_ps(g, _mm256_set1_ps(-0.0f)));
	return _mm256_mul_ps(_mm256_div_ps(g, _mm256_add_ps(_mm256_set1_ps(1), e)), _mm256_loadu_ps(up));
}

/* swiglu_quantize_avx2: gate, up [rows, ldx], the first k of each row. Rows of dst are
 * row_groups groups apart. */
AVX2 void swiglu_quantize_avx2(struct acts dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx)
{
	const int64_t groups = dst.k / GROUP;
	for (int64_t t = 0; t < dst.rows; t++, gate += ldx, up += ldx)
		for (int64_t g = 0; g < groups; g++) {
			__m256 v[4];
			for (int i = 0; i < 4; i++)
				v[i] = swiglu(gate + GROUP * g + 8 * i, up + GROUP * g + 8 * i);
			quantize_group(&dst, t * row_groups + g, v);
		}
}

/* lane_sums gives the sums of 16 columns by column mod 4: 0 and 1, 2 and 3. */
AVX2_INLINE __m128i lane_sums(__m256i a, __m256i b)
{
	a = _mm256_add_epi32(a, b);
	const __m128i s = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
	return _mm_hadd_epi32(s, s);
}

/* quantize_part stores 32 columns of a group of 128 from q on, and for medium rows their
 * sums at start16 and scale_sum. It returns the sum. */
AVX2_INLINE int32_t quantize_part(int grain, const __m256 *x, float inverse, float scale, int8_t *to, float *scale_sum, int32_t *start16)
{
	__m256i q[4];
	for (int i = 0; i < 4; i++)
		q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(x[i], _mm256_set1_ps(inverse)));
	store_bytes(to, q);
	if (grain == GRAIN_COARSE)
		return total(_mm256_add_epi32(_mm256_add_epi32(q[0], q[1]), _mm256_add_epi32(q[2], q[3])));
	const __m128i s = _mm_unpacklo_epi64(lane_sums(q[0], q[1]), lane_sums(q[2], q[3]));
	const __m128i start = _mm_slli_epi32(_mm_sub_epi32(_mm_setzero_si128(), s), 5); /* -32 s */
	_mm_storel_epi64((__m128i *)start16, _mm_packs_epi32(start, start));
	__m128i sum = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
	sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
	*scale_sum = scale * (float)_mm_cvtsi128_si32(sum);
	return 0; /* nobody asks */
}

/* quantize_wide stores the group of 128, or what the row has of it, n times 8 columns, at
 * column k of row t; rows are row_groups groups of 32 apart. */
AVX2_INLINE void quantize_wide(const struct acts *dst, int grain, int64_t t, int64_t row_groups, int64_t k, __m256 *x, int n)
{
	const __m256 sign = _mm256_set1_ps(-0.0f);
	__m256 peak = _mm256_setzero_ps();
	for (int i = 0; i < n; i++) {
		x[i] = finite(x[i]);
		peak = _mm256_max_ps(peak, _mm256_andnot_ps(sign, x[i]));
	}
	const float amax = largest(peak);
	const int live = amax >= TINY_GROUP;
	const float scale = live ? amax / 127 : 0, inverse = live ? 127 / amax : 0;
	const int64_t c = t * row_groups + k / COARSE, g = t * row_groups + k / GROUP;
	int32_t sum = 0;
	for (int i = 0; i < n / 4; i++)
		sum += quantize_part(grain, x + 4 * i, inverse, scale, dst->q + GROUP * (g + i), dst->scale_sum + g + i, dst->start16 + 2 * (g + i));
	dst->scale[c] = scale;
	if (grain == GRAIN_COARSE)
		dst->start32[c] = DOT_BASE - 128 * sum;
}

/* What quantize_row quantizes; and how many vectors a group of 128 is. */
enum { PLAIN, NORM, GATED, VECTORS = COARSE / 8 };

/* quantize_row stores row t of dst in a grain with groups of 128. */
AVX2_INLINE void quantize_row(const struct acts *dst, int grain, int64_t t, int64_t row_groups, int what, const float *x, const float *y, float r)
{
	for (int64_t k = 0; k < dst->k; k += COARSE) {
		__m256 v[VECTORS];
		int n = 0;
		for (int64_t i = k; n < VECTORS && i < dst->k; n++, i += 8)
			v[n] = what == NORM ? normalize(x + i, y + i, r) : what == GATED ? swiglu(x + i, y + i) : _mm256_loadu_ps(x + i);
		if (grain == GRAIN_MEDIUM)
			quantize_wide(dst, GRAIN_MEDIUM, t, row_groups, k, v, n);
		else
			quantize_wide(dst, GRAIN_COARSE, t, row_groups, k, v, n);
	}
}

/* wide_quantize_avx2: x [rows, k]; grain: medium or coarse. */
AVX2 void wide_quantize_avx2(struct acts dst, int32_t grain, const float *x)
{
	for (int64_t t = 0; t < dst.rows; t++, x += dst.k)
		quantize_row(&dst, grain, t, dst.k / GROUP, PLAIN, x, NULL, 0);
}

/* wide_rmsnorm_avx2: x [rows, k], w [k]. */
AVX2 void wide_rmsnorm_avx2(struct acts dst, int32_t grain, const float *x, const float *w, float eps)
{
	for (int64_t t = 0; t < dst.rows; t++, x += dst.k)
		quantize_row(&dst, grain, t, dst.k / GROUP, NORM, x, w, inverse_rms(x, dst.k, eps));
}

/* wide_swiglu_avx2: gate, up [rows, ldx], the first k of each row. Rows of dst are
 * row_groups groups of 32 apart. */
AVX2 void wide_swiglu_avx2(struct acts dst, int32_t grain, int64_t row_groups, const float *gate, const float *up, int64_t ldx)
{
	for (int64_t t = 0; t < dst.rows; t++, gate += ldx, up += ldx)
		quantize_row(&dst, grain, t, row_groups, GATED, gate, up, 0);
}

/* exp_avx2: dst, x [n], any n; dst may be x. */
AVX2 void exp_avx2(float *dst, const float *x, int64_t n)
{
	for (int64_t i = 0; i < n; i += 8) {
		const __m256i live = _mm256_castps_si256(lanes(n - i));
		_mm256_maskstore_ps(dst + i, live, exp8(_mm256_maskload_ps(x + i, live)));
	}
}

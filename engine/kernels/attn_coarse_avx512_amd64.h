/* Coarse attention to a page that its rows see whole: see AttnBlock in attn.go. The page
 * is brought into 8 bits once for all rows. */
#ifndef WINDOWSEAT_ATTN_COARSE_AVX512_H
#define WINDOWSEAT_ATTN_COARSE_AVX512_H

#include "quads_avx512_amd64.h"

/* operands are the rows of a tile in 8 bits; one lane per row where a row has one. */
struct operands {
	uint8_t q[TILE][MAX_HEAD_DIM] __attribute__((aligned(64))); /* queries + 128 */
	uint8_t w[TILE][PAGE_TOKENS] __attribute__((aligned(64)));  /* weights of the values */
	float q_scale[16] __attribute__((aligned(64)));
	float w_scale[16] __attribute__((aligned(64)));
	float mid[16] __attribute__((aligned(64))); /* the share of the keys' offsets in the scores */
};

/* integers rounds x * inverse into the low byte of each lane, plus bias; all bias where
 * inverse is 0. */
AVX512_INLINE __m512i integers(__m512 x, __m512 inverse, float bias)
{
	const __mmask16 live = _mm512_cmp_ps_mask(inverse, _mm512_setzero_ps(), _CMP_GT_OQ);
	const __m512 zero = _mm512_set1_ps(DOT_FLOAT + bias);
	return _mm512_castps_si512(_mm512_mask3_fmadd_ps(x, inverse, zero, live));
}

AVX512_INLINE __m512i four(const void *p)
{
	int32_t x;
	memcpy(&x, p, sizeof x);
	return _mm512_set1_epi32(x);
}

/* step is the scale of integers up to top whose largest value stands for most, and inverse
 * what values are multiplied by; that is 0 where there is no finite one. */
AVX512_INLINE __m512 step(__m512 most, float top, __m512 *inverse)
{
	const __m512 limit = _mm512_set1_ps(top);
	__mmask16 usable = _mm512_cmp_ps_mask(most, _mm512_set1_ps(TINY_GROUP), _CMP_GE_OQ) & ~not_finite(most);
	*inverse = _mm512_maskz_div_ps(usable, limit, most);
	return _mm512_div_ps(most, limit);
}

enum { PASS = 4 }; /* rows whose sums are in registers at once; divides TILE */

/* fold_queries: the queries of PASS rows, scaled and with the scales of the keys folded in,
 * to q; the sums of their products with the keys' offsets and their largest magnitude. */
AVX512_INLINE void fold_queries(const struct attn_args *a, const struct quads *pg, const float *from[PASS], float (*q)[MAX_HEAD_DIM], __m512 mid[PASS], __m512 top[PASS])
{
	const __m512 scale = _mm512_set1_ps(a->scale);
#pragma GCC unroll 4
	for (int i = 0; i < PASS; i++)
		mid[i] = top[i] = _mm512_setzero_ps();
	for (int64_t d = 0; d < a->head_dim; d += 16) {
		const __m512 k_mid = _mm512_load_ps(pg->k_mid + d), k_scale = _mm512_load_ps(pg->k_scale + d);
#pragma GCC unroll 4
		for (int i = 0; i < PASS; i++) {
			__m512 x = _mm512_mul_ps(_mm512_loadu_ps(from[i] + d), scale);
			mid[i] = _mm512_fmadd_ps(x, k_mid, mid[i]);
			x = _mm512_mul_ps(x, k_scale);
			top[i] = larger(top[i], x);
			_mm512_store_ps(q[i] + d, x);
		}
	}
}

/* quantize_queries sets up a tile of n rows from number first. Rows beyond n are copies of
 * the last. */
AVX512 static void quantize_queries(struct tile *t, struct operands *b, const struct attn_args *a, const struct quads *pg, int64_t first, int n)
{
	const int pad = (n + PASS - 1) / PASS * PASS;
	__m512 mid[16], top[16], inverse;
	for (int r = 0; r < 16; r += PASS) {
		if (r >= pad) {
#pragma GCC unroll 4
			for (int i = 0; i < PASS; i++)
				mid[r + i] = top[r + i] = _mm512_setzero_ps();
			continue;
		}
		const float *from[PASS];
		for (int i = 0; i < PASS; i++) {
			const int64_t row = first + (r + i < n ? r + i : n - 1);
			from[i] = a->q + a->rows[row / a->group] * a->q_stride + row % a->group * a->head_dim;
		}
		fold_queries(a, pg, from, t->q + r, mid + r, top + r);
	}
	t->n = n;
	_mm512_store_ps(b->mid, trees(mid, 0));
	_mm512_store_ps(b->q_scale, step(trees(top, 1), 127, &inverse));
	float by[16] __attribute__((aligned(64)));
	_mm512_store_ps(by, inverse);
	for (int i = 0; i < n; i++)
		for (int64_t d = 0; d < a->head_dim; d += 16)
			_mm_store_si128((__m128i *)(b->q[i] + d), _mm512_cvtepi32_epi8(integers(_mm512_load_ps(t->q[i] + d), _mm512_set1_ps(by[i]), 128)));
}

/* coarse_softmax is softmax of rows that see the whole page, with the scales of the values
 * folded into what it leaves: the weights, in 8 bits too. */
AVX512 static void coarse_softmax(struct tile *t, struct operands *b, const float *v_scale, float *m, float *l)
{
	const __mmask16 rows = (__mmask16)((1u << t->n) - 1);
	const __m512 old = _mm512_maskz_loadu_ps(rows, m);
	__m512 v[16], top[16], inverse;
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		v[i] = top[i] = _mm512_setzero_ps();
	for (int i = 0; i < t->n; i++) {
		__m512 most = _mm512_set1_ps(-INFINITY);
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			most = _mm512_max_ps(_mm512_load_ps(t->p[i] + 16 * e), most);
		v[i] = most;
	}
	const __m512 next = _mm512_max_ps(trees(v, 1), old);
	_mm512_store_ps(t->m, next);
	for (int i = 0; i < t->n; i++) {
		__m512 sum = _mm512_setzero_ps(), most = sum;
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++) {
			__m512 x = exp16(_mm512_sub_ps(_mm512_load_ps(t->p[i] + 16 * e), _mm512_set1_ps(t->m[i])));
			sum = _mm512_add_ps(sum, x);
			x = _mm512_mul_ps(x, _mm512_load_ps(v_scale + 16 * e));
			most = _mm512_max_ps(x, most);
			_mm512_store_ps(t->p[i] + 16 * e, x);
		}
		v[i] = sum;
		top[i] = most;
	}
	const __m512 c = exp16(_mm512_sub_ps(old, next));
	_mm512_store_ps(t->correction, c);
	_mm512_mask_storeu_ps(m, rows, next);
	_mm512_mask_storeu_ps(l, rows, _mm512_fmadd_ps(_mm512_maskz_loadu_ps(rows, l), c, trees(v, 0)));
	_mm512_store_ps(b->w_scale, step(trees(top, 1), 255, &inverse));
	float by[16] __attribute__((aligned(64)));
	_mm512_store_ps(by, inverse);
	for (int i = 0; i < t->n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			_mm_store_si128((__m128i *)(b->w[i] + 16 * e), _mm512_cvtepi32_epi8(integers(_mm512_load_ps(t->p[i] + 16 * e), _mm512_set1_ps(by[i]), 0)));
}

/* coarse_score: scores of n rows from number first. */
AVX512_INLINE void coarse_score(struct tile *t, const struct operands *b, int first, int n, const struct quads *pg, int64_t head_dim)
{
	__m512i s[SLIM][4];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			s[i][e] = _mm512_load_si512(pg->start + 16 * e);
	for (int64_t d = 0; d < head_dim; d += 4) {
		__m512i k[4];
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			k[e] = _mm512_load_si512(pg->k + d * PAGE_TOKENS + 64 * e);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++) {
			__m512i q = four(b->q[first + i] + d);
#pragma GCC unroll 4
			for (int e = 0; e < 4; e++)
				dot(&s[i][e], q, k[e]);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			_mm512_store_ps(t->p[first + i] + 16 * e,
				_mm512_fmadd_ps(_mm512_cvtepi32_ps(s[i][e]), _mm512_set1_ps(b->q_scale[first + i]), _mm512_set1_ps(b->mid[first + i])));
}

/* coarse_weigh adds width vectors of the values, from element d, to the outputs of n rows
 * from number first. */
AVX512_INLINE void coarse_weigh(const struct tile *t, const struct operands *b, int first, int n, int width, float *o, const struct quads *pg, int64_t head_dim, int64_t d)
{
	__m512i s[SLIM][4];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			s[i][e] = _mm512_setzero_si512();
	for (int64_t j = 0; j < PAGE_TOKENS; j += 4) {
		__m512i v[4];
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			v[e] = _mm512_load_si512(pg->v + j * head_dim + 4 * d + 64 * e);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++) {
			__m512i w = four(b->w[first + i] + j);
#pragma GCC unroll 4
			for (int e = 0; e < width; e++)
				dot(&s[i][e], w, v[e]);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < width; e++) {
			float *to = o + i * head_dim + d + 16 * e;
			__m512 old = _mm512_mul_ps(_mm512_loadu_ps(to), _mm512_set1_ps(t->correction[first + i]));
			_mm512_storeu_ps(to, _mm512_fmadd_ps(_mm512_cvtepi32_ps(s[i][e]), _mm512_set1_ps(b->w_scale[first + i]), old));
		}
}

/* coarse_scores and coarse_values take a constant number of rows. */
AVX512_INLINE void coarse_scores(struct tile *t, const struct operands *b, int first, int n, const struct quads *pg, int64_t head_dim)
{
	switch (n) {
	case 1: coarse_score(t, b, first, 1, pg, head_dim); break;
	case 2: coarse_score(t, b, first, 2, pg, head_dim); break;
	case 3: coarse_score(t, b, first, 3, pg, head_dim); break;
	case 4: coarse_score(t, b, first, 4, pg, head_dim); break;
	case 5: coarse_score(t, b, first, 5, pg, head_dim); break;
	case 6: coarse_score(t, b, first, 6, pg, head_dim); break;
	}
}

AVX512_INLINE void coarse_values_of(const struct tile *t, const struct operands *b, int first, int n, float *o, const struct quads *pg, int64_t head_dim)
{
	int64_t d = 0;
	for (; d + 64 <= head_dim; d += 64)
		coarse_weigh(t, b, first, n, 4, o, pg, head_dim, d);
	for (; d < head_dim; d += 16)
		coarse_weigh(t, b, first, n, 1, o, pg, head_dim, d);
}

AVX512_INLINE void coarse_values(const struct tile *t, const struct operands *b, int first, int n, float *o, const struct quads *pg, int64_t head_dim)
{
	o += first * head_dim;
	switch (n) {
	case 1: coarse_values_of(t, b, first, 1, o, pg, head_dim); break;
	case 2: coarse_values_of(t, b, first, 2, o, pg, head_dim); break;
	case 3: coarse_values_of(t, b, first, 3, o, pg, head_dim); break;
	case 4: coarse_values_of(t, b, first, 4, o, pg, head_dim); break;
	case 5: coarse_values_of(t, b, first, 5, o, pg, head_dim); break;
	case 6: coarse_values_of(t, b, first, 6, o, pg, head_dim); break;
	}
}

/* attn_rows_coarse adds a page to n rows, at most TILE, from number first. */
AVX512 static __attribute__((noinline)) void attn_rows_coarse(const struct attn_args *a, const struct quads *pg, int64_t first, int n)
{
	struct tile t; /* not initialized, as in attn_rows */
	struct operands b;
	const int half = n > SLIM ? n / 2 : 0;
	float *o = a->o + first * a->head_dim;
	quantize_queries(&t, &b, a, pg, first, n);
	coarse_scores(&t, &b, 0, half, pg, a->head_dim);
	coarse_scores(&t, &b, half, n - half, pg, a->head_dim);
	coarse_softmax(&t, &b, pg->v_scale, a->m + first, a->l + first);
	coarse_values(&t, &b, 0, half, o, pg, a->head_dim);
	coarse_values(&t, &b, half, n - half, o, pg, a->head_dim);
}

#endif

/* Attention to one page by tiles of up to 6 query rows: see attn_avx2_amd64.c. */
#ifndef WINDOWSEAT_ATTN_AVX2_H
#define WINDOWSEAT_ATTN_AVX2_H

#include <math.h>

#include "simd_avx2_amd64.h"

enum {
	TILE = 6,
	WIDE_ROWS = 2 * TILE /* more rows than this are worth a page in f32 */
};

/* The forms of a page: as stored, or converted to f32. */
enum { FORM_F16, FORM_S8, FORM_F32 };

/* page is one page's keys and values of the KV head in one of the forms. */
struct page {
	const void *k, *v; /* [head_dim, 64]; [64] rows of head_dim */
	int64_t v_stride;  /* elements from row to row */
	const float *k_scale, *k_mid, *v_scale; /* [head_dim], [head_dim], [64], or NULL in all */
};

/* load8 loads elements i.. of a page. */
AVX2_INLINE __m256 load8(const void *p, int64_t i, int form)
{
	if (form == FORM_F32)
		return _mm256_load_ps((const float *)p + i);
	if (form == FORM_F16)
		return load8_f16((const uint16_t *)p + i);
	return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)((const int8_t *)p + i))));
}

/* tile is the work on one page: the state of up to 6 rows. */
struct tile {
	int n;                /* rows */
	int64_t seen[TILE];   /* positions of the page that each row sees, 0..64 */
	float correction[TILE];
	float mid[TILE];      /* the share of the keys' offsets in the scores, in 8 bits */
	float q[TILE][MAX_HEAD_DIM] __attribute__((aligned(32))); /* scaled queries */
	float p[TILE][PAGE_TOKENS] __attribute__((aligned(32)));  /* scores, then exp */
};

/* score: p[i][j] = sum_d q[i][d] k[d][j], sequential over d, for 16 positions from j. */
AVX2_INLINE void score(struct tile *t, int n, const void *k, int64_t head_dim, int j, int form)
{
	__m256 s[TILE][2];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
		s[i][0] = s[i][1] = _mm256_setzero_ps();
	for (int64_t d = 0; d < head_dim; d++) {
		__m256 lo = load8(k, d * PAGE_TOKENS + j, form), hi = load8(k, d * PAGE_TOKENS + j + 8, form);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++) {
			__m256 q = _mm256_broadcast_ss(&t->q[i][d]);
			s[i][0] = _mm256_fmadd_ps(q, lo, s[i][0]);
			s[i][1] = _mm256_fmadd_ps(q, hi, s[i][1]);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++) {
		_mm256_store_ps(t->p[i] + j, s[i][0]);
		_mm256_store_ps(t->p[i] + j + 8, s[i][1]);
	}
}

AVX2_INLINE void score_tile(struct tile *t, const void *k, int64_t head_dim, int form)
{
	for (int j = 0; j < PAGE_TOKENS; j += 16) {
		switch (t->n) {
		case 1: score(t, 1, k, head_dim, j, form); break;
		case 2: score(t, 2, k, head_dim, j, form); break;
		case 3: score(t, 3, k, head_dim, j, form); break;
		case 4: score(t, 4, k, head_dim, j, form); break;
		case 5: score(t, 5, k, head_dim, j, form); break;
		case 6: score(t, 6, k, head_dim, j, form); break;
		}
	}
}

/* softmax turns the scores of row i into exp(s-m) and updates its m and l. */
AVX2 static void softmax(struct tile *t, int i, float *m, float *l)
{
	float *p = t->p[i];
	const __m256 low = _mm256_set1_ps(-INFINITY);
	__m256 top[2] = {low, low}, sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
	for (int v = 0; v < 8; v++) {
		__m256 larger = _mm256_max_ps(_mm256_load_ps(p + 8 * v), top[v % 2]);
		top[v % 2] = _mm256_blendv_ps(top[v % 2], larger, lanes(t->seen[i] - 8 * v));
	}
	float page = tree_max(top[0], top[1]), next = page > *m ? page : *m;
	for (int v = 0; v < 8; v++) {
		__m256 e = exp8(_mm256_sub_ps(_mm256_load_ps(p + 8 * v), _mm256_set1_ps(next)));
		e = _mm256_and_ps(e, lanes(t->seen[i] - 8 * v));
		sum[v % 2] = _mm256_add_ps(sum[v % 2], e);
		_mm256_store_ps(p + 8 * v, e);
	}
	t->correction[i] = _mm256_cvtss_f32(exp8(_mm256_set1_ps(*m - next)));
	*l = fmaf(*l, t->correction[i], tree_sum(sum[0], sum[1]));
	*m = next;
}

/* fold_values multiplies the weights of the rows by the scales of the values. */
AVX2 static void fold_values(struct tile *t, const float *v_scale)
{
	for (int i = 0; i < t->n; i++)
		for (int j = 0; j < PAGE_TOKENS; j += 8)
			_mm256_store_ps(t->p[i] + j, _mm256_mul_ps(_mm256_load_ps(t->p[i] + j), _mm256_loadu_ps(v_scale + j)));
}

/* weigh: o[i] = o[i]*c[i] + sum_j p[i][j] v[j][d..] for n rows, 16 elements from d,
 * and positions [j0, j1), sequential over j. c: NULL for none. */
AVX2_INLINE void weigh(const float (*p)[PAGE_TOKENS], const float *c, int n, float *o, int64_t o_stride, const struct page *pg, int64_t d, int64_t j0, int64_t j1, int form)
{
	__m256 acc[TILE][2];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 2
		for (int e = 0; e < 2; e++) {
			acc[i][e] = _mm256_loadu_ps(o + i * o_stride + 8 * e);
			if (c)
				acc[i][e] = _mm256_mul_ps(acc[i][e], _mm256_set1_ps(c[i]));
		}
	for (int64_t j = j0; j < j1; j++) {
		const int64_t at = j * pg->v_stride + d;
		__m256 lo = load8(pg->v, at, form), hi = load8(pg->v, at + 8, form);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++) {
			__m256 pj = _mm256_broadcast_ss(&p[i][j]);
			acc[i][0] = _mm256_fmadd_ps(pj, lo, acc[i][0]);
			acc[i][1] = _mm256_fmadd_ps(pj, hi, acc[i][1]);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 2
		for (int e = 0; e < 2; e++)
			_mm256_storeu_ps(o + i * o_stride + 8 * e, acc[i][e]);
}

/* weigh_tile adds the page to the outputs: first the positions that all rows see,
 * together, then what single rows see beyond. */
AVX2_INLINE void weigh_tile(const struct tile *t, float *o, const struct page *pg, int64_t dim, int form)
{
	const float *c = t->correction;
	int64_t common = t->seen[0];
	for (int i = 1; i < t->n; i++)
		common = t->seen[i] < common ? t->seen[i] : common;
	for (int64_t d = 0; d < dim; d += 16) {
		switch (t->n) {
		case 1: weigh(t->p, c, 1, o + d, dim, pg, d, 0, common, form); break;
		case 2: weigh(t->p, c, 2, o + d, dim, pg, d, 0, common, form); break;
		case 3: weigh(t->p, c, 3, o + d, dim, pg, d, 0, common, form); break;
		case 4: weigh(t->p, c, 4, o + d, dim, pg, d, 0, common, form); break;
		case 5: weigh(t->p, c, 5, o + d, dim, pg, d, 0, common, form); break;
		case 6: weigh(t->p, c, 6, o + d, dim, pg, d, 0, common, form); break;
		}
		for (int i = 0; i < t->n; i++)
			if (t->seen[i] > common)
				weigh(t->p + i, NULL, 1, o + i * dim + d, 0, pg, d, common, t->seen[i], form);
	}
}

/* fold_keys prepares the tile for a page in 8 bits: it sums the products of each query
 * with the offsets of the keys, then folds the scales of the keys into the query. */
AVX2 static void fold_keys(struct tile *t, const struct page *pg, int64_t head_dim)
{
	for (int i = 0; i < t->n; i++) {
		__m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
		for (int64_t d = 0; d < head_dim; d += 8) {
			__m256 q = _mm256_load_ps(t->q[i] + d);
			sum[d / 8 % 2] = _mm256_fmadd_ps(q, _mm256_loadu_ps(pg->k_mid + d), sum[d / 8 % 2]);
			_mm256_store_ps(t->q[i] + d, _mm256_mul_ps(q, _mm256_loadu_ps(pg->k_scale + d)));
		}
		t->mid[i] = tree_sum(sum[0], sum[1]);
	}
}

/* add_offsets adds what the offsets of the keys give to the scores. */
AVX2 static void add_offsets(struct tile *t)
{
	for (int i = 0; i < t->n; i++)
		for (int j = 0; j < PAGE_TOKENS; j += 8)
			_mm256_store_ps(t->p[i] + j, _mm256_add_ps(_mm256_load_ps(t->p[i] + j), _mm256_broadcast_ss(t->mid + i)));
}

/* scaled_query is row i of the tile: that of the given number. */
AVX2_INLINE void scaled_query(struct tile *t, int i, const struct attn_args *a, int64_t row)
{
	const float *q = a->q + a->rows[row / a->group] * a->q_stride + row % a->group * a->head_dim;
	for (int64_t d = 0; d < a->head_dim; d += 8)
		_mm256_store_ps(t->q[i] + d, _mm256_mul_ps(_mm256_loadu_ps(q + d), _mm256_set1_ps(a->scale)));
}

/* attn_rows adds a page, from position start, to n rows from number first. */
AVX2_INLINE void attn_rows(const struct attn_args *a, const struct page *pg, int64_t start, int64_t first, int n, int form)
{
	struct tile t; /* not initialized: 8 KiB, of which the loops write what they read */
	t.n = n;
	int64_t most = 0;
	for (int i = 0; i < n; i++) {
		const int64_t query = (first + i) / a->group;
		int64_t end = a->pos[query] + (int64_t)1 < a->p1 ? a->pos[query] + (int64_t)1 : a->p1;
		int64_t seen = end - start < 0 ? 0 : end - start;
		t.seen[i] = seen < PAGE_TOKENS ? seen : PAGE_TOKENS;
		most = t.seen[i] > most ? t.seen[i] : most;
		scaled_query(&t, i, a, first + i);
	}
	if (most == 0)
		return;
	if (pg->k_scale)
		fold_keys(&t, pg, a->head_dim);
	score_tile(&t, pg->k, a->head_dim, form);
	if (pg->k_scale)
		add_offsets(&t);
	for (int i = 0; i < n; i++) {
		t.correction[i] = 1;
		if (t.seen[i] > 0)
			softmax(&t, i, a->m + first + i, a->l + first + i);
	}
	if (pg->v_scale)
		fold_values(&t, pg->v_scale);
	weigh_tile(&t, a->o + first * a->head_dim, pg, a->head_dim, form);
}

/* tile_rows is how many of the rows left go together. 7 go as 4 and 3: an even split costs
 * less than 6 and 1. */
AVX2_INLINE int tile_rows(int64_t left)
{
	return left == TILE + 1 ? 4 : left < TILE ? (int)left : TILE;
}

/* attn_page adds a page to rows [first, end). */
AVX2_INLINE void attn_page(const struct attn_args *a, const struct page *pg, int64_t start, int64_t first, int64_t end, int form)
{
	for (int n; first < end; first += n) {
		n = tile_rows(end - first);
		attn_rows(a, pg, start, first, n, form);
	}
}

/* as_stored is a page of the operands. */
AVX2_INLINE struct page as_stored(const struct attn_args *a, int64_t page)
{
	const struct attn_page *p = a->page + page;
	return (struct page){p->k, p->v, a->v_stride, p->k_scale, p->k_mid, p->v_scale};
}

AVX2 static void attn_page_f16(const struct attn_args *a, int64_t page, int64_t first, int64_t end)
{
	const struct page pg = as_stored(a, page);
	attn_page(a, &pg, a->p0 + page * PAGE_TOKENS, first, end, FORM_F16);
}

AVX2 static void attn_page_s8(const struct attn_args *a, int64_t page, int64_t first, int64_t end)
{
	const struct page pg = as_stored(a, page);
	attn_page(a, &pg, a->p0 + page * PAGE_TOKENS, first, end, FORM_S8);
}

/* widen converts a page to f32, the integers as they are. */
AVX2_INLINE void widen(float *k, float *v, const struct page *pg, int64_t head_dim, int form)
{
	for (int64_t i = 0; i < head_dim * PAGE_TOKENS; i += 8)
		_mm256_store_ps(k + i, load8(pg->k, i, form));
	for (int64_t j = 0; j < PAGE_TOKENS; j++)
		for (int64_t d = 0; d < head_dim; d += 8)
			_mm256_store_ps(v + j * head_dim + d, load8(pg->v, j * pg->v_stride + d, form));
}

AVX2 static void attn_page_f32(const struct attn_args *a, int64_t page, int64_t first, int64_t end)
{
	float k[MAX_HEAD_DIM * PAGE_TOKENS] __attribute__((aligned(32)));
	float v[PAGE_TOKENS * MAX_HEAD_DIM] __attribute__((aligned(32)));
	struct page pg = as_stored(a, page);
	if (pg.k_scale)
		widen(k, v, &pg, a->head_dim, FORM_S8);
	else
		widen(k, v, &pg, a->head_dim, FORM_F16);
	pg.k = k, pg.v = v, pg.v_stride = a->head_dim;
	attn_page(a, &pg, a->p0 + page * PAGE_TOKENS, first, end, FORM_F32);
}

/* attn_page_fine adds a page to rows [first, end). */
AVX2_INLINE void attn_page_fine(const struct attn_args *a, int64_t page, int64_t first, int64_t end)
{
	if (end - first > WIDE_ROWS)
		attn_page_f32(a, page, first, end);
	else if (a->page[page].k_scale)
		attn_page_s8(a, page, first, end);
	else
		attn_page_f16(a, page, first, end);
}

/* clear_rows is the state of rows that have seen nothing. */
AVX2_INLINE void clear_rows(const struct attn_args *a)
{
	for (int64_t r = 0; r < a->n_queries * a->group; r++) {
		a->m[r] = -INFINITY;
		a->l[r] = 0;
		for (int64_t d = 0; d < a->head_dim; d += 8)
			_mm256_storeu_ps(a->o + r * a->head_dim + d, _mm256_setzero_ps());
	}
}

#endif

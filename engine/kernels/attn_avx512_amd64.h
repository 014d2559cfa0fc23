/* Attention to one page by a tile of up to 12 query rows: scores, softmax and the sums
 * of the output, see attn_avx512_amd64.c. */
#ifndef WINDOWSEAT_ATTN_AVX512_H
#define WINDOWSEAT_ATTN_AVX512_H

#include <math.h>
#include <string.h>

#include "simd_avx512_amd64.h"

enum {
	TILE = 12,      /* rows, of which two vectors each fit in the registers */
	SLIM = TILE / 2 /* rows, of which four do */
};

/* The forms of a page: as stored, or converted to f32. */
enum { FORM_F16, FORM_S8, FORM_F32 };

/* page is one page's keys and values of the KV head in one of the forms. */
struct page {
	const void *k, *v;  /* [head_dim, 64]; [64] rows of head_dim */
	int64_t v_stride;   /* elements from row to row */
	const float *k_scale, *k_mid, *v_scale; /* [head_dim], [head_dim], [64], or NULL in all */
	/* As stored, bytes from here to the next page, to prefetch it. */
	int64_t next_k, next_v;
};

/* load16 loads elements i.. of a page. */
AVX512_INLINE __m512 load16(const void *p, int64_t i, int form)
{
	if (form == FORM_F32)
		return _mm512_load_ps((const float *)p + i);
	if (form == FORM_F16)
		return load_f16((const uint16_t *)p + i);
	return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)((const int8_t *)p + i))));
}

/* prefetch_l2 fetches the width vectors of a stored page at element i: one or two
 * cache lines. */
AVX512_INLINE void prefetch_l2(const void *p, int64_t i, int width, int form)
{
	const char *at = (const char *)p + (form == FORM_F16 ? 2 * i : i);
	_mm_prefetch(at, _MM_HINT_T1);
	if (width == 4 && form == FORM_F16)
		_mm_prefetch(at + 64, _MM_HINT_T1);
}

/* tile is the work on one page: the state of up to 12 rows. */
struct tile {
	int n;              /* rows */
	int64_t seen[TILE]; /* positions of the page that each row sees, 0..64 */
	float m[16] __attribute__((aligned(64)));
	float correction[16] __attribute__((aligned(64)));
	float mid[TILE]; /* the share of the keys' offsets in the scores, in 8 bits */
	float q[TILE][MAX_HEAD_DIM] __attribute__((aligned(64))); /* scaled queries */
	float p[TILE][PAGE_TOKENS] __attribute__((aligned(64)));  /* scores, then exp */
};

/* score: p[i][j] = sum_d q[i][d] k[d][j], sequential over d, for n rows and width
 * vectors of positions from j. Of a page as stored the same keys of the next page are
 * fetched. */
AVX512_INLINE void score(const float (*q)[MAX_HEAD_DIM], float (*p)[PAGE_TOKENS], int n, int width, const struct page *pg, int64_t head_dim, int64_t j, int form)
{
	__m512 s[TILE][4];
#pragma GCC unroll 12
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			s[i][e] = _mm512_setzero_ps();
	for (int64_t d = 0; d < head_dim; d++) {
		const int64_t at = d * PAGE_TOKENS + j;
		__m512 kd[4];
		if (form != FORM_F32)
			prefetch_l2((const char *)pg->k + pg->next_k, at, width, form);
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			kd[e] = load16(pg->k, at + 16 * e, form);
#pragma GCC unroll 12
		for (int i = 0; i < n; i++) {
			__m512 qd = _mm512_set1_ps(q[i][d]);
#pragma GCC unroll 4
			for (int e = 0; e < width; e++)
				s[i][e] = _mm512_fmadd_ps(qd, kd[e], s[i][e]);
		}
	}
#pragma GCC unroll 12
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			_mm512_store_ps(p[i] + j + 16 * e, s[i][e]);
}

/* score_rows scores a constant number of rows. */
AVX512_INLINE void score_rows(struct tile *t, int first, int n, const struct page *pg, int64_t head_dim, int form)
{
	const int width = n > SLIM ? 2 : 4;
	for (int64_t j = 0; j < PAGE_TOKENS; j += 16 * width)
		score(t->q + first, t->p + first, n, width, pg, head_dim, j, form);
}

/* score_form scores n rows of the tile from number first; in f32 at most 6. */
AVX512_INLINE void score_form(struct tile *t, int first, int n, const struct page *pg, int64_t head_dim, int form)
{
	switch (form == FORM_F32 && n > SLIM ? 0 : n) {
	case 1: score_rows(t, first, 1, pg, head_dim, form); break;
	case 2: score_rows(t, first, 2, pg, head_dim, form); break;
	case 3: score_rows(t, first, 3, pg, head_dim, form); break;
	case 4: score_rows(t, first, 4, pg, head_dim, form); break;
	case 5: score_rows(t, first, 5, pg, head_dim, form); break;
	case 6: score_rows(t, first, 6, pg, head_dim, form); break;
	case 7: score_rows(t, first, 7, pg, head_dim, form); break;
	case 8: score_rows(t, first, 8, pg, head_dim, form); break;
	case 9: score_rows(t, first, 9, pg, head_dim, form); break;
	case 10: score_rows(t, first, 10, pg, head_dim, form); break;
	case 11: score_rows(t, first, 11, pg, head_dim, form); break;
	case 12: score_rows(t, first, 12, pg, head_dim, form); break;
	}
}

/* These and weigh_f16 and so on are functions of their own, since otherwise the
 * compiler runs out of registers for addresses. */
AVX512 static __attribute__((noinline)) void score_f16(struct tile *t, int first, int n, const struct page *pg, int64_t head_dim)
{
	score_form(t, first, n, pg, head_dim, FORM_F16);
}

AVX512 static __attribute__((noinline)) void score_s8(struct tile *t, int first, int n, const struct page *pg, int64_t head_dim)
{
	score_form(t, first, n, pg, head_dim, FORM_S8);
}

AVX512 static __attribute__((noinline)) void score_f32(struct tile *t, int first, int n, const struct page *pg, int64_t head_dim)
{
	score_form(t, first, n, pg, head_dim, FORM_F32);
}

/* fold_keys prepares the tile for a page in 8 bits: it sums the products of each query
 * with the offsets of the keys, then folds the scales of the keys into the query. */
AVX512 static void fold_keys(struct tile *t, const struct page *pg, int64_t head_dim)
{
	for (int i = 0; i < t->n; i++) {
		__m512 sum = _mm512_setzero_ps();
		for (int64_t d = 0; d < head_dim; d += 16) {
			__m512 q = _mm512_load_ps(t->q[i] + d);
			sum = _mm512_fmadd_ps(q, _mm512_loadu_ps(pg->k_mid + d), sum);
			_mm512_store_ps(t->q[i] + d, _mm512_mul_ps(q, _mm512_loadu_ps(pg->k_scale + d)));
		}
		t->mid[i] = tree_sum(sum);
	}
}

/* add_offsets adds what the offsets of the keys give to the scores. */
AVX512 static void add_offsets(struct tile *t)
{
	for (int i = 0; i < t->n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			_mm512_store_ps(t->p[i] + 16 * e, _mm512_add_ps(_mm512_load_ps(t->p[i] + 16 * e), _mm512_set1_ps(t->mid[i])));
}

/* fold is one level of a tree: the sum of each pair, or its second if that is greater. */
AVX512_INLINE __m512 fold(__m512 first, __m512 second, int max)
{
	return max ? _mm512_max_ps(second, first) : _mm512_add_ps(first, second);
}

/* trees: lane i is tree_sum of v[i], or tree_max. Each level folds two vectors into one. */
AVX512_INLINE __m512 trees(const __m512 v[16], int max)
{
	const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
	__m512 a[8], b[4], c[2];
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		a[i] = fold(_mm512_shuffle_f32x4(v[2 * i], v[2 * i + 1], 0x44), _mm512_shuffle_f32x4(v[2 * i], v[2 * i + 1], 0xee), max);
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++)
		b[i] = fold(_mm512_shuffle_f32x4(a[2 * i], a[2 * i + 1], 0x88), _mm512_shuffle_f32x4(a[2 * i], a[2 * i + 1], 0xdd), max);
#pragma GCC unroll 2
	for (int i = 0; i < 2; i++)
		c[i] = fold(_mm512_shuffle_ps(b[2 * i], b[2 * i + 1], 0x44), _mm512_shuffle_ps(b[2 * i], b[2 * i + 1], 0xee), max);
	return _mm512_permutexvar_ps(order, fold(_mm512_shuffle_ps(c[0], c[1], 0x88), _mm512_shuffle_ps(c[0], c[1], 0xdd), max));
}

/* softmax turns the scores into exp(s-m) and updates m and l of the rows that see
 * anything. What a row has one of is computed for all rows at once, in the lanes. */
AVX512 static void softmax(struct tile *t, float *m, float *l)
{
	const __mmask16 rows = (__mmask16)((1u << t->n) - 1);
	const __m512 old = _mm512_maskz_loadu_ps(rows, m);
	__mmask64 seen[TILE];
	__mmask16 some = 0;
	__m512 v[16];
	for (int i = 0; i < 16; i++)
		v[i] = _mm512_setzero_ps();
	for (int i = 0; i < t->n; i++) {
		seen[i] = t->seen[i] == 64 ? ~0ull : (1ull << t->seen[i]) - 1;
		some |= (__mmask16)((seen[i] & 1) << i);
		__m512 top = _mm512_set1_ps(-INFINITY);
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			top = _mm512_mask_max_ps(top, (__mmask16)(seen[i] >> (16 * e)), _mm512_load_ps(t->p[i] + 16 * e), top);
		v[i] = top;
	}
	const __m512 next = _mm512_max_ps(trees(v, 1), old);
	_mm512_store_ps(t->m, next);
	for (int i = 0; i < t->n; i++) {
		__m512 sum = _mm512_setzero_ps();
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++) {
			__m512 x = exp16(_mm512_sub_ps(_mm512_load_ps(t->p[i] + 16 * e), _mm512_set1_ps(t->m[i])));
			x = _mm512_maskz_mov_ps((__mmask16)(seen[i] >> (16 * e)), x);
			sum = _mm512_add_ps(sum, x);
			_mm512_store_ps(t->p[i] + 16 * e, x);
		}
		v[i] = sum;
	}
	const __m512 c = _mm512_mask_mov_ps(_mm512_set1_ps(1), some, exp16(_mm512_sub_ps(old, next)));
	_mm512_store_ps(t->correction, c);
	_mm512_mask_storeu_ps(m, some, next);
	_mm512_mask_storeu_ps(l, some, _mm512_fmadd_ps(_mm512_maskz_loadu_ps(rows, l), c, trees(v, 0)));
}

/* fold_values multiplies the weights of the rows by the scales of the values. */
AVX512 static void fold_values(struct tile *t, const float *v_scale)
{
	for (int i = 0; i < t->n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			_mm512_store_ps(t->p[i] + 16 * e, _mm512_mul_ps(_mm512_load_ps(t->p[i] + 16 * e), _mm512_loadu_ps(v_scale + 16 * e)));
}

/* weigh: o[i] = o[i]*c[i] + sum_j p[i][j] v[j][d..] for n rows, width vectors of
 * elements from d, and positions [j0, j1), sequential over j. c: NULL for none. Of
 * a page as stored the same values of the next page are fetched, and those six rows on,
 * which lie too far apart for the processor to do so by itself. */
AVX512_INLINE void weigh(const float (*p)[PAGE_TOKENS], const float *c, int n, int width, float *o, int64_t o_stride, const struct page *pg, int64_t d, int64_t j0, int64_t j1, int form)
{
	__m512 acc[TILE][4];
#pragma GCC unroll 12
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < width; e++) {
			acc[i][e] = _mm512_loadu_ps(o + i * o_stride + 16 * e);
			if (c)
				acc[i][e] = _mm512_mul_ps(acc[i][e], _mm512_set1_ps(c[i]));
		}
	for (int64_t j = j0; j < j1; j++) {
		const int64_t at = j * pg->v_stride + d;
		__m512 vj[4];
		if (form != FORM_F32 && width > 1) {
			const int64_t six = at + 6 * pg->v_stride;
			const char *ahead = (const char *)pg->v + (form == FORM_F16 ? 2 * six : six);
			prefetch_l2((const char *)pg->v + pg->next_v, at, width, form);
			_mm_prefetch(ahead, _MM_HINT_T0);
			if (width == 4 && form == FORM_F16)
				_mm_prefetch(ahead + 64, _MM_HINT_T0);
		}
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			vj[e] = load16(pg->v, at + 16 * e, form);
#pragma GCC unroll 12
		for (int i = 0; i < n; i++) {
			__m512 pj = _mm512_set1_ps(p[i][j]);
#pragma GCC unroll 4
			for (int e = 0; e < width; e++)
				acc[i][e] = _mm512_fmadd_ps(pj, vj[e], acc[i][e]);
		}
	}
#pragma GCC unroll 12
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			_mm512_storeu_ps(o + i * o_stride + 16 * e, acc[i][e]);
}

/* weigh_rows adds positions [0, j1) to a constant number of rows. */
AVX512_INLINE void weigh_rows(const struct tile *t, int first, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1, int form)
{
	const int width = n > SLIM ? 2 : 4;
	const float *c = t->correction + first;
	int64_t d = 0;
	for (; d + 16 * width <= head_dim; d += 16 * width)
		weigh(t->p + first, c, n, width, o + d, head_dim, pg, d, 0, j1, form);
	for (; d < head_dim; d += 16)
		weigh(t->p + first, c, n, 1, o + d, head_dim, pg, d, 0, j1, form);
}

AVX512_INLINE void weigh_form(const struct tile *t, int first, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1, int form)
{
	switch (form == FORM_F32 && n > SLIM ? 0 : n) {
	case 1: weigh_rows(t, first, 1, o, pg, head_dim, j1, form); break;
	case 2: weigh_rows(t, first, 2, o, pg, head_dim, j1, form); break;
	case 3: weigh_rows(t, first, 3, o, pg, head_dim, j1, form); break;
	case 4: weigh_rows(t, first, 4, o, pg, head_dim, j1, form); break;
	case 5: weigh_rows(t, first, 5, o, pg, head_dim, j1, form); break;
	case 6: weigh_rows(t, first, 6, o, pg, head_dim, j1, form); break;
	case 7: weigh_rows(t, first, 7, o, pg, head_dim, j1, form); break;
	case 8: weigh_rows(t, first, 8, o, pg, head_dim, j1, form); break;
	case 9: weigh_rows(t, first, 9, o, pg, head_dim, j1, form); break;
	case 10: weigh_rows(t, first, 10, o, pg, head_dim, j1, form); break;
	case 11: weigh_rows(t, first, 11, o, pg, head_dim, j1, form); break;
	case 12: weigh_rows(t, first, 12, o, pg, head_dim, j1, form); break;
	}
}

AVX512 static __attribute__((noinline)) void weigh_f16(const struct tile *t, int first, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1)
{
	weigh_form(t, first, n, o, pg, head_dim, j1, FORM_F16);
}

AVX512 static __attribute__((noinline)) void weigh_s8(const struct tile *t, int first, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1)
{
	weigh_form(t, first, n, o, pg, head_dim, j1, FORM_S8);
}

AVX512 static __attribute__((noinline)) void weigh_f32(const struct tile *t, int first, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1)
{
	weigh_form(t, first, n, o, pg, head_dim, j1, FORM_F32);
}

/* score_part scores n rows of the tile from number first. */
AVX512_INLINE void score_part(struct tile *t, int first, int n, const struct page *pg, int64_t head_dim, int form)
{
	(form == FORM_F32 ? score_f32 : form == FORM_S8 ? score_s8 : score_f16)(t, first, n, pg, head_dim);
}

/* weigh_part adds the page to the outputs of these rows: first the positions that
 * all of them see, together, then what single rows see beyond. */
AVX512_INLINE void weigh_part(const struct tile *t, int first, int n, float *o, const struct page *pg, int64_t head_dim, int form)
{
	int64_t common = t->seen[first];
	for (int i = first + 1; i < first + n; i++)
		common = t->seen[i] < common ? t->seen[i] : common;
	o += first * head_dim;
	(form == FORM_F32 ? weigh_f32 : form == FORM_S8 ? weigh_s8 : weigh_f16)(t, first, n, o, pg, head_dim, common);
	for (int i = 0; i < n; i++)
		for (int64_t d = 0; t->seen[first + i] > common && d < head_dim; d += 16)
			weigh(t->p + first + i, NULL, 1, 1, o + i * head_dim + d, 0, pg, d, common, t->seen[first + i], form);
}

#endif

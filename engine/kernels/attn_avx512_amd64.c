/* Attention over KV pages, RoPE and StoreKV: see the wrappers in attn.go.
 *
 * attn_block goes over the pages, and per page over tiles of up to 6 query rows
 * (a row is one query head of one token): 6 x 64 scores in 24 registers, K read
 * once per tile with positions in the lanes; then softmax in registers; then 6 x
 * 64 elements of the output in 24 registers while V is read once. The state of a
 * row (o, m, l) lies in the outputs between pages. With many rows a page is
 * converted to f32 once for all tiles: conversions take the ports of the FMAs. */
#include <math.h>

#include "simd_avx512_amd64.h"

enum {
	TILE = 6,
	WIDE_ROWS = 2 * TILE /* more rows than this are worth a page in f32 */
};

/* page is one page's keys and values of the KV head: f16 as stored, or f32. */
struct page {
	const void *k, *v; /* [head_dim, 64]; [64] rows of head_dim */
	int64_t v_stride;  /* elements from row to row */
	const char *next;  /* f16 keys of the next page, to prefetch; or NULL */
};

/* load16 loads elements i.. of a page. */
AVX512_INLINE __m512 load16(const void *p, int64_t i, int wide)
{
	return wide ? _mm512_load_ps((const float *)p + i) : load_f16((const uint16_t *)p + i);
}

/* tile is the work on one page: the state of up to 6 rows. */
struct tile {
	int n;                /* rows */
	int64_t seen[TILE];   /* positions of the page that each row sees, 0..64 */
	float correction[TILE];
	float q[TILE][MAX_HEAD_DIM] __attribute__((aligned(64)));      /* scaled queries */
	float p[TILE][PAGE_TOKENS] __attribute__((aligned(64)));       /* scores, then exp */
};

/* score: s[i][j] = sum_d q[i][d] k[d][j], sequential over d. In f16, when nothing else
 * hides the way from memory, each step fetches 128 bytes of the values, and each
 * step of weigh 128 bytes of the next page's keys: that makes whole pages if
 * head_dim is a multiple of 64. */
AVX512_INLINE void score(struct tile *t, int n, const struct page *pg, int64_t head_dim, int wide)
{
	const char *v = pg->v, *row = v;
	__m512 s[TILE][4];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			s[i][e] = _mm512_setzero_ps();
	for (int64_t d = 0; d < head_dim; d++) {
		__m512 kd[4];
		if (!wide) {
			_mm_prefetch(v, _MM_HINT_T0);
			_mm_prefetch(v + 64, _MM_HINT_T0);
			v += 128;
			if (v >= row + 2 * head_dim)
				v = row += 2 * pg->v_stride;
		}
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			kd[e] = load16(pg->k, d * PAGE_TOKENS + 16 * e, wide);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++) {
			__m512 q = _mm512_set1_ps(t->q[i][d]);
#pragma GCC unroll 4
			for (int e = 0; e < 4; e++)
				s[i][e] = _mm512_fmadd_ps(q, kd[e], s[i][e]);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++)
			_mm512_store_ps(t->p[i] + 16 * e, s[i][e]);
}

AVX512_INLINE void score_tile(struct tile *t, const struct page *pg, int64_t head_dim, int wide)
{
	switch (t->n) {
	case 1: score(t, 1, pg, head_dim, wide); break;
	case 2: score(t, 2, pg, head_dim, wide); break;
	case 3: score(t, 3, pg, head_dim, wide); break;
	case 4: score(t, 4, pg, head_dim, wide); break;
	case 5: score(t, 5, pg, head_dim, wide); break;
	case 6: score(t, 6, pg, head_dim, wide); break;
	}
}

/* softmax turns the scores of row i into exp(s-m) and updates its m and l. */
AVX512 static void softmax(struct tile *t, int i, float *m, float *l)
{
	float *p = t->p[i];
	__mmask64 all = t->seen[i] == 64 ? ~0ull : (1ull << t->seen[i]) - 1;
	__m512 top = _mm512_set1_ps(-INFINITY);
	for (int v = 0; v < 4; v++)
		top = _mm512_mask_max_ps(top, (__mmask16)(all >> (16 * v)), _mm512_load_ps(p + 16 * v), top);
	float page = tree_max(top), next = page > *m ? page : *m;
	__m512 sum = _mm512_setzero_ps();
	for (int v = 0; v < 4; v++) {
		__m512 s = _mm512_sub_ps(_mm512_load_ps(p + 16 * v), _mm512_set1_ps(next));
		__m512 e = _mm512_maskz_mov_ps((__mmask16)(all >> (16 * v)), exp16(s));
		sum = _mm512_add_ps(sum, e);
		_mm512_store_ps(p + 16 * v, e);
	}
	t->correction[i] = _mm512_cvtss_f32(exp16(_mm512_set1_ps(*m - next)));
	*l = fmaf(*l, t->correction[i], tree_sum(sum));
	*m = next;
}

/* weigh: o[i] = o[i]*c[i] + sum_j p[i][j] v[j][d..] for n rows, width vectors of
 * elements from d, and positions [j0, j1), sequential over j. c: NULL for none. */
AVX512_INLINE void weigh(const float (*p)[PAGE_TOKENS], const float *c, int n, int width, float *o, int64_t o_stride, const struct page *pg, int64_t d, int64_t j0, int64_t j1, int wide)
{
	__m512 acc[TILE][4];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < width; e++) {
			acc[i][e] = _mm512_loadu_ps(o + i * o_stride + 16 * e);
			if (c)
				acc[i][e] = _mm512_mul_ps(acc[i][e], _mm512_set1_ps(c[i]));
		}
	for (int64_t j = j0; j < j1; j++) {
		__m512 vj[4];
		if (!wide && width == 4 && pg->next) {
			_mm_prefetch(pg->next + 128 * (d + j), _MM_HINT_T0);
			_mm_prefetch(pg->next + 128 * (d + j) + 64, _MM_HINT_T0);
		}
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			vj[e] = load16(pg->v, j * pg->v_stride + d + 16 * e, wide);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++) {
			__m512 pj = _mm512_set1_ps(p[i][j]);
#pragma GCC unroll 4
			for (int e = 0; e < width; e++)
				acc[i][e] = _mm512_fmadd_ps(pj, vj[e], acc[i][e]);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			_mm512_storeu_ps(o + i * o_stride + 16 * e, acc[i][e]);
}

AVX512_INLINE void weigh_rows(const struct tile *t, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1, int wide)
{
	int64_t d = 0;
	for (; d + 64 <= head_dim; d += 64)
		weigh(t->p, t->correction, n, 4, o + d, head_dim, pg, d, 0, j1, wide);
	for (; d < head_dim; d += 16)
		weigh(t->p, t->correction, n, 1, o + d, head_dim, pg, d, 0, j1, wide);
}

/* weigh_tile adds the page to the outputs: first the positions that all rows see,
 * together, then what single rows see beyond. */
AVX512_INLINE void weigh_tile(const struct tile *t, float *o, const struct page *pg, int64_t head_dim, int wide)
{
	int64_t common = t->seen[0];
	for (int i = 1; i < t->n; i++)
		common = t->seen[i] < common ? t->seen[i] : common;
	switch (t->n) {
	case 1: weigh_rows(t, 1, o, pg, head_dim, common, wide); break;
	case 2: weigh_rows(t, 2, o, pg, head_dim, common, wide); break;
	case 3: weigh_rows(t, 3, o, pg, head_dim, common, wide); break;
	case 4: weigh_rows(t, 4, o, pg, head_dim, common, wide); break;
	case 5: weigh_rows(t, 5, o, pg, head_dim, common, wide); break;
	case 6: weigh_rows(t, 6, o, pg, head_dim, common, wide); break;
	}
	for (int i = 0; i < t->n; i++)
		for (int64_t d = 0; t->seen[i] > common && d < head_dim; d += 16)
			weigh(t->p + i, NULL, 1, 1, o + i * head_dim + d, 0, pg, d, common, t->seen[i], wide);
}

/* attn_rows adds a page, from position start, to n rows from number first. */
AVX512_INLINE void attn_rows(const struct attn_args *a, const struct page *pg, int64_t start, int64_t first, int n, int wide)
{
	struct tile t; /* not initialized: 8 KiB, of which the loops write what they read */
	t.n = n;
	int64_t most = 0;
	for (int i = 0; i < n; i++) {
		const int64_t query = (first + i) / a->group, head = (first + i) % a->group;
		int64_t end = a->pos[query] + (int64_t)1 < a->p1 ? a->pos[query] + (int64_t)1 : a->p1;
		int64_t seen = end - start < 0 ? 0 : end - start;
		t.seen[i] = seen < PAGE_TOKENS ? seen : PAGE_TOKENS;
		most = t.seen[i] > most ? t.seen[i] : most;
		const float *q = a->q + a->rows[query] * a->q_stride + head * a->head_dim;
		for (int64_t d = 0; d < a->head_dim; d += 16)
			_mm512_store_ps(t.q[i] + d, _mm512_mul_ps(_mm512_loadu_ps(q + d), _mm512_set1_ps(a->scale)));
	}
	if (most == 0)
		return;
	score_tile(&t, pg, a->head_dim, wide);
	for (int i = 0; i < n; i++) {
		t.correction[i] = 1;
		if (t.seen[i] > 0)
			softmax(&t, i, a->m + first + i, a->l + first + i);
	}
	weigh_tile(&t, a->o + first * a->head_dim, pg, a->head_dim, wide);
}

AVX512_INLINE void attn_page(const struct attn_args *a, const struct page *pg, int64_t start, int wide)
{
	const int64_t rows = a->n_queries * a->group;
	/* 7 rows go as 4 and 3: an even split costs less than 6 and 1. */
	for (int64_t r = 0; r < rows;) {
		int64_t left = rows - r, n = left == TILE + 1 ? 4 : left < TILE ? left : TILE;
		attn_rows(a, pg, start, r, (int)n, wide);
		r += n;
	}
}

AVX512 static void attn_page_f16(const struct attn_args *a, int64_t page)
{
	const int64_t last = (a->p1 - a->p0 - 1) / PAGE_TOKENS;
	const struct page pg = {a->k[page], a->v[page], a->v_stride, page < last ? (const char *)a->k[page + 1] : NULL};
	attn_page(a, &pg, a->p0 + page * PAGE_TOKENS, 0);
}

AVX512 static void attn_page_f32(const struct attn_args *a, int64_t page)
{
	float k[MAX_HEAD_DIM * PAGE_TOKENS] __attribute__((aligned(64)));
	float v[PAGE_TOKENS * MAX_HEAD_DIM] __attribute__((aligned(64)));
	for (int64_t i = 0; i < a->head_dim * PAGE_TOKENS; i += 16)
		_mm512_store_ps(k + i, load_f16(a->k[page] + i));
	for (int64_t j = 0; j < PAGE_TOKENS; j++)
		for (int64_t d = 0; d < a->head_dim; d += 16)
			_mm512_store_ps(v + j * a->head_dim + d, load_f16(a->v[page] + j * a->v_stride + d));
	const struct page pg = {k, v, a->head_dim, NULL};
	attn_page(a, &pg, a->p0 + page * PAGE_TOKENS, 1);
}

AVX512 void attn_block_avx512(struct attn_args a)
{
	const int64_t rows = a.n_queries * a.group;
	for (int64_t r = 0; r < rows; r++) {
		a.m[r] = -INFINITY;
		a.l[r] = 0;
		for (int64_t d = 0; d < a.head_dim; d += 16)
			_mm512_storeu_ps(a.o + r * a.head_dim + d, _mm512_setzero_ps());
	}
	for (int64_t page = 0; page * PAGE_TOKENS < a.p1 - a.p0; page++) {
		if (rows > WIDE_ROWS)
			attn_page_f32(&a, page);
		else
			attn_page_f16(&a, page);
	}
}

AVX512 void attn_merge_avx512(struct merge_args a)
{
	const int64_t rows = a.n_queries * a.group;
	for (int64_t r = 0; r < rows; r++) {
		float top = -INFINITY, l = 0;
		for (int64_t b = 0; b < a.n_blocks; b++)
			top = a.m[b * rows + r] > top ? a.m[b * rows + r] : top;
		float *out = a.out + a.rows[r / a.group] * a.out_stride + r % a.group * a.head_dim;
		for (int64_t b = 0; b < a.n_blocks; b++) {
			const int64_t at = b * rows + r;
			__m512 e = exp16(_mm512_set1_ps(a.m[at] - top));
			l = fmaf(a.l[at], _mm512_cvtss_f32(e), l);
			for (int64_t d = 0; d < a.head_dim; d += 16) {
				__m512 o = b == 0 ? _mm512_setzero_ps() : _mm512_loadu_ps(out + d);
				o = _mm512_fmadd_ps(_mm512_loadu_ps(a.o + at * a.head_dim + d), e, o);
				_mm512_storeu_ps(out + d, o);
			}
		}
		for (int64_t d = 0; d < a.head_dim; d += 16)
			_mm512_storeu_ps(out + d, _mm512_div_ps(_mm512_loadu_ps(out + d), _mm512_set1_ps(l)));
	}
}

/* rope_pair rotates one pair in place. */
AVX512_INLINE void rope_pair(float *p, float *q, float c, float s)
{
	const float u = *p, v = *q;
	*p = fmaf(u, c, -(v * s));
	*q = fmaf(u, s, v * c);
}

AVX512 void rope_avx512(struct rope_args a)
{
	const __m512i index = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	for (int64_t h = 0; h < a.n_heads; h++) {
		float *x = a.x + h * a.head_dim;
		int64_t i = 0;
		for (; i + 16 <= a.rot_half; i += 16) {
			__m512 c = _mm512_loadu_ps(a.cos + i), s = _mm512_loadu_ps(a.sin + i), u, v;
			if (a.interleaved) {
				__m512 lo = _mm512_loadu_ps(x + 2 * i), hi = _mm512_loadu_ps(x + 2 * i + 16);
				u = _mm512_permutex2var_ps(lo, index, hi);
				v = _mm512_permutex2var_ps(lo, _mm512_add_epi32(index, _mm512_set1_epi32(1)), hi);
			} else {
				u = _mm512_loadu_ps(x + i);
				v = _mm512_loadu_ps(x + a.rot_half + i);
			}
			__m512 p = _mm512_fmsub_ps(u, c, _mm512_mul_ps(v, s)), q = _mm512_fmadd_ps(u, s, _mm512_mul_ps(v, c));
			if (a.interleaved) {
				const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
				_mm512_storeu_ps(x + 2 * i, _mm512_permutex2var_ps(p, low, q));
				_mm512_storeu_ps(x + 2 * i + 16, _mm512_permutex2var_ps(p, _mm512_add_epi32(low, _mm512_set1_epi32(8)), q));
			} else {
				_mm512_storeu_ps(x + i, p);
				_mm512_storeu_ps(x + a.rot_half + i, q);
			}
		}
		for (; i < a.rot_half; i++) {
			if (a.interleaved)
				rope_pair(x + 2 * i, x + 2 * i + 1, a.cos[i], a.sin[i]);
			else
				rope_pair(x + i, x + a.rot_half + i, a.cos[i], a.sin[i]);
		}
	}
}

/* store_kv_avx512: k, v [n]; k_page + 64*i and v_page + i are where element i goes. */
AVX512 void store_kv_avx512(uint16_t *k_page, uint16_t *v_page, const float *k, const float *v, int64_t n)
{
	uint16_t h[16];
	for (int64_t i = 0; i < n; i += 16) {
		_mm256_storeu_si256((__m256i *)(v_page + i), _mm512_cvtps_ph(_mm512_loadu_ps(v + i), _MM_FROUND_TO_NEAREST_INT));
		_mm256_storeu_si256((__m256i *)h, _mm512_cvtps_ph(_mm512_loadu_ps(k + i), _MM_FROUND_TO_NEAREST_INT));
		for (int j = 0; j < 16; j++)
			k_page[(i + j) * PAGE_TOKENS] = h[j];
	}
}

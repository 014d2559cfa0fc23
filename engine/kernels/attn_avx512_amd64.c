/* Attention over KV pages: see the wrappers in attn.go.
 *
 * attn_block goes over the pages, and per page over tiles of up to 12 query rows (a
 * row is one query head of one token): scores with positions in the lanes and 24
 * accumulators, 6 rows x 64 positions or 12 x 32; then softmax; then as many sums
 * of the output while V is read. The state of a row (o, m, l) lies in the outputs
 * between pages. Conversions from f16 take the ports of the FMAs, two for each: up
 * to 12 rows share one, and with more a page is converted to f32 once for all tiles. */
#include <math.h>

#include "simd_avx512_amd64.h"

enum {
	TILE = 12,      /* rows, of which two vectors each fit in the registers */
	SLIM = TILE / 2 /* rows, of which four do */
};

/* page is one page's keys and values of the KV head: f16 as stored, or f32. */
struct page {
	const void *k, *v; /* [head_dim, 64]; [64] rows of head_dim */
	int64_t v_stride;  /* elements from row to row */
	/* In f16, bytes from here to the next page, to prefetch it. */
	int64_t next_k, next_v;
};

/* load16 loads elements i.. of a page. */
AVX512_INLINE __m512 load16(const void *p, int64_t i, int wide)
{
	return wide ? _mm512_load_ps((const float *)p + i) : load_f16((const uint16_t *)p + i);
}

/* prefetch_l2 fetches the width vectors of f16 at p: one or two cache lines. */
AVX512_INLINE void prefetch_l2(const void *p, int width)
{
	_mm_prefetch(p, _MM_HINT_T1);
	if (width == 4)
		_mm_prefetch((const char *)p + 64, _MM_HINT_T1);
}

/* tile is the work on one page: the state of up to 12 rows. */
struct tile {
	int n;              /* rows */
	int64_t seen[TILE]; /* positions of the page that each row sees, 0..64 */
	float m[16] __attribute__((aligned(64)));
	float correction[16] __attribute__((aligned(64)));
	float q[TILE][MAX_HEAD_DIM] __attribute__((aligned(64))); /* scaled queries */
	float p[TILE][PAGE_TOKENS] __attribute__((aligned(64)));  /* scores, then exp */
};

/* score: p[i][j] = sum_d q[i][d] k[d][j], sequential over d, for n rows and width
 * vectors of positions from j. In f16 the same keys of the next page are fetched. */
AVX512_INLINE void score(const float (*q)[MAX_HEAD_DIM], float (*p)[PAGE_TOKENS], int n, int width, const struct page *pg, int64_t head_dim, int64_t j, int wide)
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
		if (!wide)
			prefetch_l2((const char *)pg->k + 2 * at + pg->next_k, width);
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			kd[e] = load16(pg->k, at + 16 * e, wide);
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

AVX512_INLINE void score_rows(const float (*q)[MAX_HEAD_DIM], float (*p)[PAGE_TOKENS], int n, const struct page *pg, int64_t head_dim, int wide)
{
	const int width = n > SLIM ? 2 : 4;
	for (int64_t j = 0; j < PAGE_TOKENS; j += 16 * width)
		score(q, p, n, width, pg, head_dim, j, wide);
}

/* score_f16 and score_f32 score n rows. They and weigh_* are functions of their own,
 * since otherwise the compiler runs out of registers for addresses. */
AVX512 static __attribute__((noinline)) void score_f16(const float (*q)[MAX_HEAD_DIM], float (*p)[PAGE_TOKENS], int n, const struct page *pg, int64_t head_dim)
{
	switch (n) {
	case 1: score_rows(q, p, 1, pg, head_dim, 0); break;
	case 2: score_rows(q, p, 2, pg, head_dim, 0); break;
	case 3: score_rows(q, p, 3, pg, head_dim, 0); break;
	case 4: score_rows(q, p, 4, pg, head_dim, 0); break;
	case 5: score_rows(q, p, 5, pg, head_dim, 0); break;
	case 6: score_rows(q, p, 6, pg, head_dim, 0); break;
	case 7: score_rows(q, p, 7, pg, head_dim, 0); break;
	case 8: score_rows(q, p, 8, pg, head_dim, 0); break;
	case 9: score_rows(q, p, 9, pg, head_dim, 0); break;
	case 10: score_rows(q, p, 10, pg, head_dim, 0); break;
	case 11: score_rows(q, p, 11, pg, head_dim, 0); break;
	case 12: score_rows(q, p, 12, pg, head_dim, 0); break;
	}
}

/* score_f32 takes up to 6 rows. */
AVX512 static __attribute__((noinline)) void score_f32(const float (*q)[MAX_HEAD_DIM], float (*p)[PAGE_TOKENS], int n, const struct page *pg, int64_t head_dim)
{
	switch (n) {
	case 1: score_rows(q, p, 1, pg, head_dim, 1); break;
	case 2: score_rows(q, p, 2, pg, head_dim, 1); break;
	case 3: score_rows(q, p, 3, pg, head_dim, 1); break;
	case 4: score_rows(q, p, 4, pg, head_dim, 1); break;
	case 5: score_rows(q, p, 5, pg, head_dim, 1); break;
	case 6: score_rows(q, p, 6, pg, head_dim, 1); break;
	}
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

/* weigh: o[i] = o[i]*c[i] + sum_j p[i][j] v[j][d..] for n rows, width vectors of
 * elements from d, and positions [j0, j1), sequential over j. c: NULL for none. In
 * f16 the same values of the next page are fetched, and those six rows on, which
 * lie too far apart for the processor to do so by itself. */
AVX512_INLINE void weigh(const float (*p)[PAGE_TOKENS], const float *c, int n, int width, float *o, int64_t o_stride, const struct page *pg, int64_t d, int64_t j0, int64_t j1, int wide)
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
		if (!wide && width > 1) {
			const char *ahead = (const char *)pg->v + 2 * (at + 6 * pg->v_stride);
			prefetch_l2((const char *)pg->v + 2 * at + pg->next_v, width);
			_mm_prefetch(ahead, _MM_HINT_T0);
			if (width == 4)
				_mm_prefetch(ahead + 64, _MM_HINT_T0);
		}
#pragma GCC unroll 4
		for (int e = 0; e < width; e++)
			vj[e] = load16(pg->v, at + 16 * e, wide);
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

AVX512_INLINE void weigh_rows(const float (*p)[PAGE_TOKENS], const float *c, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1, int wide)
{
	const int width = n > SLIM ? 2 : 4;
	int64_t d = 0;
	for (; d + 16 * width <= head_dim; d += 16 * width)
		weigh(p, c, n, width, o + d, head_dim, pg, d, 0, j1, wide);
	for (; d < head_dim; d += 16)
		weigh(p, c, n, 1, o + d, head_dim, pg, d, 0, j1, wide);
}

AVX512 static __attribute__((noinline)) void weigh_f16(const float (*p)[PAGE_TOKENS], const float *c, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1)
{
	switch (n) {
	case 1: weigh_rows(p, c, 1, o, pg, head_dim, j1, 0); break;
	case 2: weigh_rows(p, c, 2, o, pg, head_dim, j1, 0); break;
	case 3: weigh_rows(p, c, 3, o, pg, head_dim, j1, 0); break;
	case 4: weigh_rows(p, c, 4, o, pg, head_dim, j1, 0); break;
	case 5: weigh_rows(p, c, 5, o, pg, head_dim, j1, 0); break;
	case 6: weigh_rows(p, c, 6, o, pg, head_dim, j1, 0); break;
	case 7: weigh_rows(p, c, 7, o, pg, head_dim, j1, 0); break;
	case 8: weigh_rows(p, c, 8, o, pg, head_dim, j1, 0); break;
	case 9: weigh_rows(p, c, 9, o, pg, head_dim, j1, 0); break;
	case 10: weigh_rows(p, c, 10, o, pg, head_dim, j1, 0); break;
	case 11: weigh_rows(p, c, 11, o, pg, head_dim, j1, 0); break;
	case 12: weigh_rows(p, c, 12, o, pg, head_dim, j1, 0); break;
	}
}

/* weigh_f32 takes up to 6 rows. */
AVX512 static __attribute__((noinline)) void weigh_f32(const float (*p)[PAGE_TOKENS], const float *c, int n, float *o, const struct page *pg, int64_t head_dim, int64_t j1)
{
	switch (n) {
	case 1: weigh_rows(p, c, 1, o, pg, head_dim, j1, 1); break;
	case 2: weigh_rows(p, c, 2, o, pg, head_dim, j1, 1); break;
	case 3: weigh_rows(p, c, 3, o, pg, head_dim, j1, 1); break;
	case 4: weigh_rows(p, c, 4, o, pg, head_dim, j1, 1); break;
	case 5: weigh_rows(p, c, 5, o, pg, head_dim, j1, 1); break;
	case 6: weigh_rows(p, c, 6, o, pg, head_dim, j1, 1); break;
	}
}

/* score_part scores n rows of the tile from number first. */
AVX512_INLINE void score_part(struct tile *t, int first, int n, const struct page *pg, int64_t head_dim, int wide)
{
	(wide ? score_f32 : score_f16)(t->q + first, t->p + first, n, pg, head_dim);
}

/* weigh_part adds the page to the outputs of these rows: first the positions that
 * all of them see, together, then what single rows see beyond. */
AVX512_INLINE void weigh_part(const struct tile *t, int first, int n, float *o, const struct page *pg, int64_t head_dim, int wide)
{
	int64_t common = t->seen[first];
	for (int i = first + 1; i < first + n; i++)
		common = t->seen[i] < common ? t->seen[i] : common;
	o += first * head_dim;
	(wide ? weigh_f32 : weigh_f16)(t->p + first, t->correction + first, n, o, pg, head_dim, common);
	for (int i = 0; i < n; i++)
		for (int64_t d = 0; t->seen[first + i] > common && d < head_dim; d += 16)
			weigh(t->p + first + i, NULL, 1, 1, o + i * head_dim + d, 0, pg, d, common, t->seen[first + i], wide);
}

/* fill sets up a tile of n rows from number first for the page from position start.
 * It returns how much of the page any row sees. */
AVX512 static int64_t fill(struct tile *t, const struct attn_args *a, int64_t start, int64_t first, int n)
{
	int64_t most = 0;
	t->n = n;
	for (int i = 0; i < n; i++) {
		const int64_t query = (first + i) / a->group, head = (first + i) % a->group;
		int64_t end = a->pos[query] + (int64_t)1 < a->p1 ? a->pos[query] + (int64_t)1 : a->p1;
		int64_t seen = end - start < 0 ? 0 : end - start;
		t->seen[i] = seen < PAGE_TOKENS ? seen : PAGE_TOKENS;
		most = t->seen[i] > most ? t->seen[i] : most;
		const float *q = a->q + a->rows[query] * a->q_stride + head * a->head_dim;
		for (int64_t d = 0; d < a->head_dim; d += 16)
			_mm512_store_ps(t->q[i] + d, _mm512_mul_ps(_mm512_loadu_ps(q + d), _mm512_set1_ps(a->scale)));
	}
	return most;
}

/* attn_rows adds a page, from position start, to n rows from number first. */
AVX512_INLINE void attn_rows(const struct attn_args *a, const struct page *pg, int64_t start, int64_t first, int n, int wide)
{
	struct tile t; /* not initialized: 16 KiB, of which the loops write what they read */
	if (fill(&t, a, start, first, n) == 0)
		return;
	/* In f32 two halves of 6 rows x 4 vectors: fewer loads than 12 x 2. */
	const int half = wide && n > SLIM ? n / 2 : 0;
	float *o = a->o + first * a->head_dim;
	if (half > 0)
		score_part(&t, 0, half, pg, a->head_dim, wide);
	score_part(&t, half, n - half, pg, a->head_dim, wide);
	softmax(&t, a->m + first, a->l + first);
	if (half > 0)
		weigh_part(&t, 0, half, o, pg, a->head_dim, wide);
	weigh_part(&t, half, n - half, o, pg, a->head_dim, wide);
}

AVX512 static void attn_page_f16(const struct attn_args *a, int64_t page, int64_t next)
{
	const struct page pg = {
		a->k[page], a->v[page], a->v_stride,
		(const char *)a->k[next] - (const char *)a->k[page],
		(const char *)a->v[next] - (const char *)a->v[page],
	};
	attn_rows(a, &pg, a->p0 + page * PAGE_TOKENS, 0, (int)(a->n_queries * a->group), 0);
}

/* fetch brings share i of n of a page into L2. */
AVX512_INLINE void fetch(const struct attn_args *a, int64_t page, int64_t i, int64_t n)
{
	for (int64_t at = a->head_dim * i / n; at < a->head_dim * (i + 1) / n; at++)
		prefetch_l2(a->k[page] + at * PAGE_TOKENS, 4);
	for (int64_t j = PAGE_TOKENS * i / n; j < PAGE_TOKENS * (i + 1) / n; j++)
		for (int64_t d = 0; d < a->head_dim; d += 32)
			prefetch_l2(a->v[page] + j * a->v_stride + d, 2);
}

AVX512 static void attn_page_f32(const struct attn_args *a, int64_t page, int64_t next)
{
	float k[MAX_HEAD_DIM * PAGE_TOKENS] __attribute__((aligned(64)));
	float v[PAGE_TOKENS * MAX_HEAD_DIM] __attribute__((aligned(64)));
	for (int64_t i = 0; i < a->head_dim * PAGE_TOKENS; i += 16)
		_mm512_store_ps(k + i, load_f16(a->k[page] + i));
	for (int64_t j = 0; j < PAGE_TOKENS; j++)
		for (int64_t d = 0; d < a->head_dim; d += 16)
			_mm512_store_ps(v + j * a->head_dim + d, load_f16(a->v[page] + j * a->v_stride + d));
	const struct page pg = {k, v, a->head_dim, 0, 0};
	const int64_t rows = a->n_queries * a->group, tiles = (rows + TILE - 1) / TILE;
	for (int64_t i = 0; i < tiles; i++) {
		const int64_t first = rows * i / tiles;
		fetch(a, next, i, tiles);
		attn_rows(a, &pg, a->p0 + page * PAGE_TOKENS, first, (int)(rows * (i + 1) / tiles - first), 1);
	}
}

AVX512 void attn_block_avx512(struct attn_args a)
{
	const int64_t rows = a.n_queries * a.group, last = (a.p1 - a.p0 - 1) / PAGE_TOKENS;
	for (int64_t r = 0; r < rows; r++) {
		a.m[r] = -INFINITY;
		a.l[r] = 0;
		for (int64_t d = 0; d < a.head_dim; d += 16)
			_mm512_storeu_ps(a.o + r * a.head_dim + d, _mm512_setzero_ps());
	}
	for (int64_t page = 0; page * PAGE_TOKENS < a.p1 - a.p0; page++) {
		const int64_t next = page < last ? page + 1 : page;
		if (rows > TILE)
			attn_page_f32(&a, page, next);
		else
			attn_page_f16(&a, page, next);
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

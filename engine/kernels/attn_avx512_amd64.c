/* Attention over KV pages: see the wrappers in attn.go.
 *
 * attn_block goes over the pages, and per page over tiles of up to 12 query rows (a
 * row is one query head of one token): scores with positions in the lanes and 24
 * accumulators, 6 rows x 64 positions or 12 x 32; then softmax; then as many sums
 * of the output while V is read. The state of a row (o, m, l) lies in the outputs
 * between pages. Conversions from f16 and int8 take the ports of the FMAs, two for
 * each: up to 12 rows share one, and with more a page is converted to f32 once for all
 * tiles. */
#include "attn_avx512_amd64.h"
#include "attn_coarse_avx512_amd64.h"

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
AVX512_INLINE void attn_rows(const struct attn_args *a, const struct page *pg, int64_t start, int64_t first, int n, int form)
{
	struct tile t; /* not initialized: 16 KiB, of which the loops write what they read */
	if (fill(&t, a, start, first, n) == 0)
		return;
	if (pg->k_scale)
		fold_keys(&t, pg, a->head_dim);
	/* In f32 two halves of 6 rows x 4 vectors: fewer loads than 12 x 2. */
	const int half = form == FORM_F32 && n > SLIM ? n / 2 : 0;
	float *o = a->o + first * a->head_dim;
	if (half > 0)
		score_part(&t, 0, half, pg, a->head_dim, form);
	score_part(&t, half, n - half, pg, a->head_dim, form);
	if (pg->k_scale)
		add_offsets(&t);
	softmax(&t, a->m + first, a->l + first);
	if (pg->v_scale)
		fold_values(&t, pg->v_scale);
	if (half > 0)
		weigh_part(&t, 0, half, o, pg, a->head_dim, form);
	weigh_part(&t, half, n - half, o, pg, a->head_dim, form);
}

/* fetch_scales brings the scales of a page in 8 bits into L2. */
AVX512_INLINE void fetch_scales(const struct attn_page *p, int64_t head_dim)
{
	for (int64_t d = 0; d < head_dim; d += 16) {
		_mm_prefetch((const char *)(p->k_scale + d), _MM_HINT_T1);
		_mm_prefetch((const char *)(p->k_mid + d), _MM_HINT_T1);
	}
	for (int64_t j = 0; j < PAGE_TOKENS; j += 16)
		_mm_prefetch((const char *)(p->v_scale + j), _MM_HINT_T1);
}

/* attn_page_stored adds a page to n rows from number first, which are one tile. The next
 * page is fetched if it has the same form. */
AVX512_INLINE void attn_page_stored(const struct attn_args *a, int64_t page, int64_t next, int64_t first, int64_t n, int form)
{
	const struct attn_page *p = a->page + page, *after = a->page + next;
	struct page pg = {p->k, p->v, a->v_stride, p->k_scale, p->k_mid, p->v_scale, 0, 0};
	if (!after->k_scale == (form == FORM_F16)) {
		pg.next_k = (const char *)after->k - (const char *)p->k;
		pg.next_v = (const char *)after->v - (const char *)p->v;
		if (form == FORM_S8)
			fetch_scales(after, a->head_dim);
	}
	attn_rows(a, &pg, a->p0 + page * PAGE_TOKENS, first, (int)n, form);
}

AVX512 static void attn_page_f16(const struct attn_args *a, int64_t page, int64_t next, int64_t first, int64_t n)
{
	attn_page_stored(a, page, next, first, n, FORM_F16);
}

AVX512 static void attn_page_s8(const struct attn_args *a, int64_t page, int64_t next, int64_t first, int64_t n)
{
	attn_page_stored(a, page, next, first, n, FORM_S8);
}

/* fetch brings share i of n of a page into L2. */
AVX512_INLINE void fetch(const struct attn_args *a, const struct attn_page *p, int64_t i, int64_t n, int form)
{
	const int width = form == FORM_S8 ? 4 : 2; /* of one cache line */
	for (int64_t at = a->head_dim * i / n; at < a->head_dim * (i + 1) / n; at++)
		prefetch_l2(p->k, at * PAGE_TOKENS, 4, form);
	for (int64_t j = PAGE_TOKENS * i / n; j < PAGE_TOKENS * (i + 1) / n; j++)
		for (int64_t d = 0; d < a->head_dim; d += 16 * width)
			prefetch_l2(p->v, j * a->v_stride + d, width, form);
}

/* widen converts a page to f32, the integers as they are. */
AVX512_INLINE void widen(float *k, float *v, const struct attn_page *p, int64_t head_dim, int64_t v_stride, int form)
{
	for (int64_t i = 0; i < head_dim * PAGE_TOKENS; i += 16)
		_mm512_store_ps(k + i, load16(p->k, i, form));
	for (int64_t j = 0; j < PAGE_TOKENS; j++)
		for (int64_t d = 0; d < head_dim; d += 16)
			_mm512_store_ps(v + j * head_dim + d, load16(p->v, j * v_stride + d, form));
}

/* fetch_share is fetch of a page in either form. */
AVX512_INLINE void fetch_share(const struct attn_args *a, const struct attn_page *p, int64_t i, int64_t n)
{
	if (p->k_scale)
		fetch(a, p, i, n, FORM_S8);
	else
		fetch(a, p, i, n, FORM_F16);
}

AVX512 static void attn_page_f32(const struct attn_args *a, int64_t page, int64_t next, int64_t from, int64_t rows)
{
	float k[MAX_HEAD_DIM * PAGE_TOKENS] __attribute__((aligned(64)));
	float v[PAGE_TOKENS * MAX_HEAD_DIM] __attribute__((aligned(64)));
	const struct attn_page *p = a->page + page, *after = a->page + next;
	if (p->k_scale)
		widen(k, v, p, a->head_dim, a->v_stride, FORM_S8);
	else
		widen(k, v, p, a->head_dim, a->v_stride, FORM_F16);
	const struct page pg = {k, v, a->head_dim, p->k_scale, p->k_mid, p->v_scale, 0, 0};
	const int64_t tiles = (rows + TILE - 1) / TILE;
	for (int64_t i = 0; i < tiles; i++) {
		const int64_t first = rows * i / tiles;
		fetch_share(a, after, i, tiles);
		attn_rows(a, &pg, a->p0 + page * PAGE_TOKENS, from + first, (int)(rows * (i + 1) / tiles - first), FORM_F32);
	}
}

/* attn_page_fine adds a page to n rows from number first. */
AVX512 static void attn_page_fine(const struct attn_args *a, int64_t page, int64_t next, int64_t first, int64_t n)
{
	if (n > TILE)
		attn_page_f32(a, page, next, first, n);
	else if (a->page[page].k_scale)
		attn_page_s8(a, page, next, first, n);
	else
		attn_page_f16(a, page, next, first, n);
}

/* attn_page_coarse adds a page to all rows: in 8 bits to those of queries that have it
 * behind them. */
AVX512 static void attn_page_coarse(const struct attn_args *a, int64_t page, int64_t next)
{
	struct quads pg; /* not initialized: 34 KiB, written where there is use for it */
	int packed = 0;
	for (int64_t from = 0, to; from < a->n_queries; from = to) {
		const int whole = behind(a, page, from);
		to = same_side(a, page, from);
		const int64_t rows = (to - from) * a->group, tiles = (rows + TILE - 1) / TILE;
		if (!whole) {
			attn_page_fine(a, page, next, from * a->group, rows);
			continue;
		}
		if (!packed)
			(a->page[page].k_scale ? pack_s8 : pack_f16)(&pg, a->page + page, a->head_dim, a->v_stride);
		packed = 1;
		for (int64_t i = 0; i < tiles; i++) {
			const int64_t first = rows * i / tiles;
			fetch_share(a, a->page + next, i, tiles);
			attn_rows_coarse(a, &pg, from * a->group + first, (int)(rows * (i + 1) / tiles - first));
		}
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
		if (a.coarse)
			attn_page_coarse(&a, page, next);
		else
			attn_page_fine(&a, page, next, 0, rows);
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

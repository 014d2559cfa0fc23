/* Attention over KV pages, RoPE and StoreKV: the loops, once for all instruction sets
 * whose simd header defines vec, its operations and the attributes VEC and
 * VEC_INLINE, and of which 6 vec and a row of K or V fit in the registers. See the
 * wrappers in attn.go for the formulas.
 *
 * attn_block goes over the pages, and per page over tiles of up to 6 query rows (a
 * row is one query head of one token): 6 x 16 scores in registers, with positions
 * in the lanes, then softmax, then 6 x 16 elements of the output in registers. The
 * state of a row (o, m, l) lies in the outputs between pages. */
#ifndef WINDOWSEAT_ATTN_LOOPS_H
#define WINDOWSEAT_ATTN_LOOPS_H

#include "kernels.h"

enum { TILE = 6 };

/* tile is the work on one page: the state of up to 6 rows. */
struct tile {
	int n;                /* rows */
	int64_t first;        /* number of the first: query * group + head */
	int64_t seen[TILE];   /* positions of the page that each row sees, 0..64 */
	float correction[TILE];
	float mid[TILE];      /* the share of the keys' offsets in the scores, in 8 bits */
	float q[TILE][MAX_HEAD_DIM] __attribute__((aligned(64))); /* scaled queries */
	float p[TILE][PAGE_TOKENS] __attribute__((aligned(64)));  /* scores, then exp */
};

/* load_stored loads elements i.. of a page: f16, or 8 bits if packed. */
VEC_INLINE vec load_stored(const void *p, int64_t i, int packed)
{
	return packed ? vec_load_s8((const int8_t *)p + i) : vec_load_f16((const uint16_t *)p + i);
}

/* score: p[i][j] = sum_d q[i][d] k[d][j] (+ mid[i]), sequential over d, for 16 positions
 * from j. */
VEC_INLINE void score(struct tile *t, int n, const void *k, int64_t head_dim, int j, int packed)
{
	vec s[TILE];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
		s[i] = vec_splat(0);
	for (int64_t d = 0; d < head_dim; d++) {
		vec kd = load_stored(k, d * PAGE_TOKENS + j, packed);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++)
			s[i] = vec_fma(vec_splat(t->q[i][d]), kd, s[i]);
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
		vec_store(t->p[i] + j, packed ? vec_add(s[i], vec_splat(t->mid[i])) : s[i]);
}

VEC_INLINE void score_tile(struct tile *t, const void *k, int64_t head_dim, int packed)
{
	for (int j = 0; j < PAGE_TOKENS; j += 16) {
		switch (t->n) {
		case 1: score(t, 1, k, head_dim, j, packed); break;
		case 2: score(t, 2, k, head_dim, j, packed); break;
		case 3: score(t, 3, k, head_dim, j, packed); break;
		case 4: score(t, 4, k, head_dim, j, packed); break;
		case 5: score(t, 5, k, head_dim, j, packed); break;
		case 6: score(t, 6, k, head_dim, j, packed); break;
		}
	}
}

/* softmax turns the scores of row i into exp(s-m) and updates its m and l. */
VEC static void softmax(struct tile *t, int i, float *m, float *l)
{
	float *p = t->p[i];
	vec top = vec_splat(-__builtin_inff()), sum = vec_splat(0);
	for (int j = 0; j < PAGE_TOKENS; j += 16)
		top = vec_first(t->seen[i] - j, vec_greater(top, vec_load(p + j)), top);
	const float page = vec_top(top), next = page > *m ? page : *m;
	for (int j = 0; j < PAGE_TOKENS; j += 16) {
		vec e = vec_exp(vec_sub(vec_load(p + j), vec_splat(next)));
		e = vec_first(t->seen[i] - j, e, vec_splat(0));
		sum = vec_add(sum, e);
		vec_store(p + j, e);
	}
	t->correction[i] = exp1(*m - next);
	*l = __builtin_fmaf(*l, t->correction[i], vec_sum(sum));
	*m = next;
}

/* fold_values multiplies the weights of the rows by the scales of the values. */
VEC_INLINE void fold_values(struct tile *t, const float *v_scale)
{
	for (int i = 0; i < t->n; i++)
		for (int j = 0; j < PAGE_TOKENS; j += 16)
			vec_store(t->p[i] + j, vec_mul(vec_load(t->p[i] + j), vec_load(v_scale + j)));
}

/* weigh: o[i] = o[i]*c[i] + sum_j p[i][j] v[j][d..] for n rows, 16 elements from d,
 * and positions [j0, j1), sequential over j. c: NULL for none. */
VEC_INLINE void weigh(const float (*p)[PAGE_TOKENS], const float *c, int n, float *o, int64_t o_stride, const void *v, int64_t v_stride, int64_t d, int64_t j0, int64_t j1, int packed)
{
	vec acc[TILE];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++) {
		acc[i] = vec_load(o + i * o_stride);
		if (c)
			acc[i] = vec_mul(acc[i], vec_splat(c[i]));
	}
	for (int64_t j = j0; j < j1; j++) {
		vec vj = load_stored(v, j * v_stride + d, packed);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++)
			acc[i] = vec_fma(vec_splat(p[i][j]), vj, acc[i]);
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
		vec_store(o + i * o_stride, acc[i]);
}

/* weigh_tile adds the page to the outputs: first the positions that all rows see,
 * together, then what single rows see beyond. */
VEC_INLINE void weigh_tile(const struct tile *t, const struct attn_args *a, const void *v, int packed)
{
	const int64_t dim = a->head_dim, stride = a->v_stride;
	float *o = a->o + t->first * dim;
	const float *c = t->correction;
	int64_t common = t->seen[0];
	for (int i = 1; i < t->n; i++)
		common = t->seen[i] < common ? t->seen[i] : common;
	for (int64_t d = 0; d < dim; d += 16) {
		switch (t->n) {
		case 1: weigh(t->p, c, 1, o + d, dim, v, stride, d, 0, common, packed); break;
		case 2: weigh(t->p, c, 2, o + d, dim, v, stride, d, 0, common, packed); break;
		case 3: weigh(t->p, c, 3, o + d, dim, v, stride, d, 0, common, packed); break;
		case 4: weigh(t->p, c, 4, o + d, dim, v, stride, d, 0, common, packed); break;
		case 5: weigh(t->p, c, 5, o + d, dim, v, stride, d, 0, common, packed); break;
		case 6: weigh(t->p, c, 6, o + d, dim, v, stride, d, 0, common, packed); break;
		}
		for (int i = 0; i < t->n; i++)
			if (t->seen[i] > common)
				weigh(t->p + i, 0, 1, o + i * dim + d, 0, v, stride, d, common, t->seen[i], packed);
	}
}

/* fold_keys folds the scales of the keys into query i of the tile and sums its
 * products with their offsets. */
VEC_INLINE void fold_keys(struct tile *t, int i, const struct attn_page *p, int64_t head_dim)
{
	vec sum = vec_splat(0);
	for (int64_t d = 0; d < head_dim; d += 16) {
		vec q = vec_load(t->q[i] + d);
		sum = vec_fma(q, vec_load(p->k_mid + d), sum);
		vec_store(t->q[i] + d, vec_mul(q, vec_load(p->k_scale + d)));
	}
	t->mid[i] = vec_sum(sum);
}

/* attn_rows adds one page, in 8 bits if packed, to n rows from number first. */
VEC_INLINE void attn_rows(const struct attn_args *a, int64_t page, int64_t first, int n, int packed)
{
	const struct attn_page *p = a->page + page;
	struct tile t; /* not initialized: 8 KiB, of which the loops write what they read */
	t.n = n;
	t.first = first;
	const int64_t start = a->p0 + page * PAGE_TOKENS;
	int64_t most = 0;
	for (int i = 0; i < n; i++) {
		const int64_t query = (first + i) / a->group, head = (first + i) % a->group;
		int64_t end = a->pos[query] + (int64_t)1 < a->p1 ? a->pos[query] + (int64_t)1 : a->p1;
		int64_t seen = end - start < 0 ? 0 : end - start;
		t.seen[i] = seen < PAGE_TOKENS ? seen : PAGE_TOKENS;
		most = t.seen[i] > most ? t.seen[i] : most;
		const float *q = a->q + a->rows[query] * a->q_stride + head * a->head_dim;
		for (int64_t d = 0; d < a->head_dim; d += 16)
			vec_store(t.q[i] + d, vec_mul(vec_load(q + d), vec_splat(a->scale)));
		if (packed)
			fold_keys(&t, i, p, a->head_dim);
	}
	if (most == 0)
		return;
	score_tile(&t, p->k, a->head_dim, packed);
	for (int i = 0; i < n; i++) {
		t.correction[i] = 1;
		if (t.seen[i] > 0)
			softmax(&t, i, a->m + first + i, a->l + first + i);
	}
	if (packed)
		fold_values(&t, p->v_scale);
	weigh_tile(&t, a, p->v, packed);
}

/* attn_page adds one page to all rows. */
VEC_INLINE void attn_page(const struct attn_args *a, int64_t page, int packed)
{
	const int64_t rows = a->n_queries * a->group;
	/* 7 rows go as 4 and 3: an even split costs less than 6 and 1. */
	for (int64_t r = 0; r < rows;) {
		int64_t left = rows - r, n = left == TILE + 1 ? 4 : left < TILE ? left : TILE;
		attn_rows(a, page, r, (int)n, packed);
		r += n;
	}
}

VEC static void attn_page_f16(const struct attn_args *a, int64_t page)
{
	attn_page(a, page, 0);
}

VEC static void attn_page_s8(const struct attn_args *a, int64_t page)
{
	attn_page(a, page, 1);
}

VEC_INLINE void attn_block(const struct attn_args *a)
{
	const int64_t rows = a->n_queries * a->group;
	for (int64_t r = 0; r < rows; r++) {
		a->m[r] = -__builtin_inff();
		a->l[r] = 0;
		for (int64_t d = 0; d < a->head_dim; d += 16)
			vec_store(a->o + r * a->head_dim + d, vec_splat(0));
	}
	for (int64_t page = 0; page * PAGE_TOKENS < a->p1 - a->p0; page++) {
		if (a->page[page].k_scale)
			attn_page_s8(a, page);
		else
			attn_page_f16(a, page);
	}
}

VEC_INLINE void attn_merge(const struct merge_args *a)
{
	const int64_t rows = a->n_queries * a->group;
	for (int64_t r = 0; r < rows; r++) {
		float top = -__builtin_inff(), l = 0;
		for (int64_t b = 0; b < a->n_blocks; b++)
			top = a->m[b * rows + r] > top ? a->m[b * rows + r] : top;
		float *out = a->out + a->rows[r / a->group] * a->out_stride + r % a->group * a->head_dim;
		for (int64_t b = 0; b < a->n_blocks; b++) {
			const int64_t at = b * rows + r;
			const float e = exp1(a->m[at] - top);
			l = __builtin_fmaf(a->l[at], e, l);
			for (int64_t d = 0; d < a->head_dim; d += 16) {
				vec o = b == 0 ? vec_splat(0) : vec_load(out + d);
				vec_store(out + d, vec_fma(vec_load(a->o + at * a->head_dim + d), vec_splat(e), o));
			}
		}
		for (int64_t d = 0; d < a->head_dim; d += 16)
			vec_store(out + d, vec_div(vec_load(out + d), vec_splat(l)));
	}
}

/* rope_pair rotates one pair in place. */
VEC_INLINE void rope_pair(float *p, float *q, float c, float s)
{
	const float u = *p, v = *q;
	*p = __builtin_fmaf(u, c, -(v * s));
	*q = __builtin_fmaf(u, s, v * c);
}

VEC_INLINE void rope(const struct rope_args *a)
{
	for (int64_t h = 0; h < a->n_heads; h++) {
		float *x = a->x + h * a->head_dim;
		int64_t i = 0;
		for (; !a->interleaved && i + 16 <= a->rot_half; i += 16) {
			vec c = vec_load(a->cos + i), s = vec_load(a->sin + i);
			vec u = vec_load(x + i), v = vec_load(x + a->rot_half + i);
			vec_store(x + i, vec_fma(u, c, vec_neg(vec_mul(v, s))));
			vec_store(x + a->rot_half + i, vec_fma(u, s, vec_mul(v, c)));
		}
		for (; i < a->rot_half; i++) {
			if (a->interleaved)
				rope_pair(x + 2 * i, x + 2 * i + 1, a->cos[i], a->sin[i]);
			else
				rope_pair(x + i, x + a->rot_half + i, a->cos[i], a->sin[i]);
		}
	}
}

/* store_kv: k, v [n]; k_page + 64*i and v_page + i are where element i goes. */
VEC_INLINE void store_kv(uint16_t *k_page, uint16_t *v_page, const float *k, const float *v, int64_t n)
{
	uint16_t h[16];
	for (int64_t i = 0; i < n; i += 16) {
		vec_store_f16(v_page + i, vec_load(v + i));
		vec_store_f16(h, vec_load(k + i));
		for (int j = 0; j < 16; j++)
			k_page[(i + j) * PAGE_TOKENS] = h[j];
	}
}

#endif

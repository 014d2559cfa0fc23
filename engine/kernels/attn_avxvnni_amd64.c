/* Coarse attention of AVX-VNNI: see AttnBlock in attn.go. Pages that are not multiplied in 8
 * bits are left to the AVX2 code. A page is brought once for all rows into the order that
 * vpdpbusd takes, four elements of a sum side by side; then tiles of up to 6 rows by 16
 * positions, or by 16 elements of the output, as in f32. */
#include <string.h>

#include "attn_avx2_amd64.h"

/* quads is a page in 8 bits. */
struct quads {
	int8_t k[MAX_HEAD_DIM * PAGE_TOKENS] __attribute__((aligned(32))); /* [head_dim/4][64][4] K */
	int8_t v[PAGE_TOKENS * MAX_HEAD_DIM] __attribute__((aligned(32))); /* [16][head_dim][4] V */
	int32_t start[PAGE_TOKENS] __attribute__((aligned(32)));           /* -128 times the sum of a position's K */
	float k_scale[MAX_HEAD_DIM], k_mid[MAX_HEAD_DIM], v_scale[PAGE_TOKENS];
};

/* operands are the rows of a tile in 8 bits. */
struct operands {
	uint8_t q[TILE][MAX_HEAD_DIM]; /* queries + 128 */
	uint8_t w[TILE][PAGE_TOKENS];  /* weights of the values */
	float q_scale[TILE], w_scale[TILE];
};

/* dot adds four products u*s per lane. */
AVX2_INLINE void dot(__m256i *sum, __m256i u, __m256i s)
{
	__asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(*sum) : "x"(u), "x"(s));
}

AVX2_INLINE __m256i four(const void *p)
{
	int32_t x;
	memcpy(&x, p, sizeof x);
	return _mm256_set1_epi32(x);
}

AVX2_INLINE __m256 magnitude(__m256 x)
{
	return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}

/* odd marks the lanes that hold infinities and NaN. */
AVX2_INLINE __m256 odd(__m256 x)
{
	return _mm256_cmp_ps(_mm256_sub_ps(x, x), _mm256_setzero_ps(), _CMP_NEQ_UQ);
}

/* inverse_of is 1/scale where quanta of that scale are of use, else 0. */
static inline float inverse_of(float scale)
{
	const float inverse = 1 / scale;
	return scale > 0 && scale < INFINITY && inverse < INFINITY ? inverse : 0;
}

/* quanta rounds (x - mid) * inverse, or gives 0 where inverse is 0. */
AVX2_INLINE __m256i quanta(__m256 x, float mid, float inverse)
{
	if (!(inverse > 0))
		return _mm256_setzero_si256();
	return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_sub_ps(x, _mm256_set1_ps(mid)), _mm256_set1_ps(inverse)));
}

/* load_quanta loads elements i.. of a page in 8 bits. */
AVX2_INLINE __m256i load_quanta(const void *p, int64_t i)
{
	return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)((const int8_t *)p + i)));
}

/* join puts the low byte of each lane at byte c of quad. */
AVX2_INLINE __m256i join(__m256i quad, __m256i lanes, int c)
{
	return _mm256_or_si256(quad, _mm256_slli_epi32(_mm256_and_si256(lanes, _mm256_set1_epi32(255)), 8 * c));
}

/* key_scale finds the scale and offset of channel d as PackKV does; it returns what its
 * keys are multiplied by. */
AVX2_INLINE float key_scale(struct quads *out, const uint16_t *k, int64_t d)
{
	const __m256 lowest = _mm256_set1_ps(-INFINITY);
	__m256 high[2] = {lowest, lowest}, low[2] = {lowest, lowest}, bad = _mm256_setzero_ps();
	for (int j = 0; j < PAGE_TOKENS; j += 8) {
		const __m256 x = load8_f16(k + d * PAGE_TOKENS + j);
		bad = _mm256_or_ps(bad, odd(x));
		high[j / 8 % 2] = _mm256_max_ps(x, high[j / 8 % 2]);
		low[j / 8 % 2] = _mm256_max_ps(_mm256_sub_ps(_mm256_setzero_ps(), x), low[j / 8 % 2]);
	}
	const int dead = _mm256_movemask_ps(bad);
	const float most = tree_max(high[0], high[1]), least = -tree_max(low[0], low[1]);
	out->k_mid[d] = dead ? NAN : (most + least) / 2;
	out->k_scale[d] = dead ? 0 : (most - least) / 2 / 127;
	return inverse_of(out->k_scale[d]);
}

/* value_scale finds the scale of the values of position j; it returns what they are
 * multiplied by. */
AVX2_INLINE float value_scale(struct quads *out, const uint16_t *v, int64_t j, int64_t head_dim)
{
	__m256 most = _mm256_setzero_ps(), bad = most;
	for (int64_t d = 0; d < head_dim; d += 8) {
		const __m256 x = load8_f16(v + d);
		bad = _mm256_or_ps(bad, odd(x));
		most = _mm256_max_ps(magnitude(x), most);
	}
	out->v_scale[j] = _mm256_movemask_ps(bad) ? INFINITY : tree_max(most, most) / 127;
	return inverse_of(out->v_scale[j]);
}

/* pack_keys fills the keys of a page; form is that of p. */
AVX2_INLINE void pack_keys(struct quads *out, const struct attn_page *p, int64_t head_dim, int form)
{
	__m256i sum[8];
	for (int e = 0; e < 8; e++)
		sum[e] = _mm256_setzero_si256();
	for (int64_t d = 0; d < head_dim; d += 4) {
		float inverse[4];
		for (int c = 0; form == FORM_F16 && c < 4; c++)
			inverse[c] = key_scale(out, p->k, d + c);
		for (int e = 0; e < 8; e++) {
			__m256i quad = _mm256_setzero_si256();
			for (int c = 0; c < 4; c++) {
				const int64_t at = (d + c) * PAGE_TOKENS + 8 * e;
				quad = join(quad, form == FORM_F16 ? quanta(load8_f16((const uint16_t *)p->k + at), out->k_mid[d + c], inverse[c]) : load_quanta(p->k, at), c);
			}
			_mm256_store_si256((__m256i *)(out->k + d * PAGE_TOKENS + 32 * e), quad);
			dot(&sum[e], _mm256_set1_epi8(-128), quad);
		}
	}
	for (int e = 0; e < 8; e++)
		_mm256_store_si256((__m256i *)(out->start + 8 * e), _mm256_sub_epi32(_mm256_setzero_si256(), sum[e]));
}

/* pack_values fills the values of a page; form is that of p. */
AVX2_INLINE void pack_values(struct quads *out, const struct attn_page *p, int64_t head_dim, int64_t stride, int form)
{
	for (int64_t j = 0; j < PAGE_TOKENS; j += 4) {
		float inverse[4];
		for (int c = 0; form == FORM_F16 && c < 4; c++)
			inverse[c] = value_scale(out, (const uint16_t *)p->v + (j + c) * stride, j + c, head_dim);
		for (int64_t d = 0; d < head_dim; d += 8) {
			__m256i quad = _mm256_setzero_si256();
			for (int c = 0; c < 4; c++) {
				const int64_t at = (j + c) * stride + d;
				quad = join(quad, form == FORM_F16 ? quanta(load8_f16((const uint16_t *)p->v + at), 0, inverse[c]) : load_quanta(p->v, at), c);
			}
			_mm256_store_si256((__m256i *)(out->v + j * head_dim + 4 * d), quad);
		}
	}
}

AVX2 static void pack_f16(struct quads *out, const struct attn_page *p, int64_t head_dim, int64_t stride)
{
	pack_keys(out, p, head_dim, FORM_F16);
	pack_values(out, p, head_dim, stride, FORM_F16);
}

AVX2 static void pack_s8(struct quads *out, const struct attn_page *p, int64_t head_dim, int64_t stride)
{
	pack_keys(out, p, head_dim, FORM_S8);
	pack_values(out, p, head_dim, stride, FORM_S8);
	memcpy(out->k_scale, p->k_scale, head_dim * sizeof(float));
	memcpy(out->k_mid, p->k_mid, head_dim * sizeof(float));
	memcpy(out->v_scale, p->v_scale, PAGE_TOKENS * sizeof(float));
}

/* to_bytes writes n values, a multiple of 16, as integers of at most top whose scale it
 * returns, plus bias. */
AVX2_INLINE float to_bytes(uint8_t *dst, const float *x, int64_t n, float top, float bias)
{
	__m256 max[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
	for (int64_t i = 0; i < n; i += 8)
		max[i / 8 % 2] = _mm256_max_ps(magnitude(_mm256_load_ps(x + i)), max[i / 8 % 2]);
	const float most = tree_max(max[0], max[1]);
	const int usable = most >= TINY_GROUP && most < INFINITY;
	const __m256 inverse = _mm256_set1_ps(usable ? top / most : 0), zero = _mm256_set1_ps(DOT_FLOAT + bias);
	for (int64_t i = 0; i < n; i += 16) {
		__m256i lanes[2];
		for (int e = 0; e < 2; e++) {
			const __m256 sum = usable ? _mm256_fmadd_ps(_mm256_load_ps(x + i + 8 * e), inverse, zero) : zero;
			lanes[e] = _mm256_and_si256(_mm256_castps_si256(sum), _mm256_set1_epi32(255));
		}
		const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(lanes[0], lanes[1]), 0xd8);
		_mm_storeu_si128((__m128i *)(dst + i), _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
	}
	return most / top;
}

/* coarse_score: scores of the tile's rows, n, for 16 positions from j. */
AVX2_INLINE void coarse_score(struct tile *t, const struct operands *b, int n, const struct quads *pg, int64_t head_dim, int j)
{
	__m256i s[TILE][2];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 2
		for (int e = 0; e < 2; e++)
			s[i][e] = _mm256_load_si256((const __m256i *)(pg->start + j + 8 * e));
	for (int64_t d = 0; d < head_dim; d += 4) {
		const __m256i *k = (const __m256i *)(pg->k + d * PAGE_TOKENS + 4 * j);
		const __m256i lo = _mm256_load_si256(k), hi = _mm256_load_si256(k + 1);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++) {
			const __m256i q = four(b->q[i] + d);
			dot(&s[i][0], q, lo);
			dot(&s[i][1], q, hi);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 2
		for (int e = 0; e < 2; e++)
			_mm256_store_ps(t->p[i] + j + 8 * e, _mm256_fmadd_ps(_mm256_cvtepi32_ps(s[i][e]), _mm256_set1_ps(b->q_scale[i]), _mm256_set1_ps(t->mid[i])));
}

/* coarse_weigh adds 16 elements of the values, from d, to the outputs of n rows. */
AVX2_INLINE void coarse_weigh(const struct tile *t, const struct operands *b, int n, float *o, const struct quads *pg, int64_t head_dim, int64_t d)
{
	__m256i s[TILE][2];
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
		s[i][0] = s[i][1] = _mm256_setzero_si256();
	for (int64_t j = 0; j < PAGE_TOKENS; j += 4) {
		const __m256i *v = (const __m256i *)(pg->v + j * head_dim + 4 * d);
		const __m256i lo = _mm256_load_si256(v), hi = _mm256_load_si256(v + 1);
#pragma GCC unroll 6
		for (int i = 0; i < n; i++) {
			const __m256i w = four(b->w[i] + j);
			dot(&s[i][0], w, lo);
			dot(&s[i][1], w, hi);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < n; i++)
#pragma GCC unroll 2
		for (int e = 0; e < 2; e++) {
			float *to = o + i * head_dim + d + 8 * e;
			const __m256 old = _mm256_mul_ps(_mm256_loadu_ps(to), _mm256_set1_ps(t->correction[i]));
			_mm256_storeu_ps(to, _mm256_fmadd_ps(_mm256_cvtepi32_ps(s[i][e]), _mm256_set1_ps(b->w_scale[i]), old));
		}
}

/* multiply does the products of a constant number of rows: scores, or outputs. */
AVX2_INLINE void multiply(struct tile *t, const struct operands *b, int n, float *o, const struct quads *pg, int64_t head_dim)
{
	for (int j = 0; !o && j < PAGE_TOKENS; j += 16)
		coarse_score(t, b, n, pg, head_dim, j);
	for (int64_t d = 0; o && d < head_dim; d += 16)
		coarse_weigh(t, b, n, o, pg, head_dim, d);
}

AVX2_INLINE void multiply_rows(struct tile *t, const struct operands *b, float *o, const struct quads *pg, int64_t head_dim)
{
	switch (t->n) {
	case 1: multiply(t, b, 1, o, pg, head_dim); break;
	case 2: multiply(t, b, 2, o, pg, head_dim); break;
	case 3: multiply(t, b, 3, o, pg, head_dim); break;
	case 4: multiply(t, b, 4, o, pg, head_dim); break;
	case 5: multiply(t, b, 5, o, pg, head_dim); break;
	case 6: multiply(t, b, 6, o, pg, head_dim); break;
	}
}

/* attn_rows_coarse adds a page to n rows, at most TILE, from number first. */
AVX2 static void attn_rows_coarse(const struct attn_args *a, const struct quads *quads, int64_t first, int n)
{
	struct tile t; /* not initialized, as in attn_rows */
	struct operands b;
	const struct page scales = {.k_scale = quads->k_scale, .k_mid = quads->k_mid};
	t.n = n;
	for (int i = 0; i < n; i++) {
		t.seen[i] = PAGE_TOKENS;
		scaled_query(&t, i, a, first + i);
	}
	fold_keys(&t, &scales, a->head_dim);
	for (int i = 0; i < n; i++)
		b.q_scale[i] = to_bytes(b.q[i], t.q[i], a->head_dim, 127, 128);
	multiply_rows(&t, &b, NULL, quads, a->head_dim);
	for (int i = 0; i < n; i++)
		softmax(&t, i, a->m + first + i, a->l + first + i);
	fold_values(&t, quads->v_scale);
	for (int i = 0; i < n; i++)
		b.w_scale[i] = to_bytes(b.w[i], t.p[i], PAGE_TOKENS, 255, 0);
	multiply_rows(&t, &b, a->o + first * a->head_dim, quads, a->head_dim);
}

/* attn_page_coarse adds a page to all rows: in 8 bits to those of queries that have it
 * behind them. */
AVX2 static void attn_page_coarse(const struct attn_args *a, int64_t page)
{
	struct quads pg; /* not initialized: 35 KiB, written where there is use for it */
	int packed = 0;
	for (int64_t from = 0, to; from < a->n_queries; from = to) {
		const int whole = behind(a, page, from);
		to = same_side(a, page, from);
		if (!whole) {
			attn_page_fine(a, page, from * a->group, to * a->group);
			continue;
		}
		if (!packed)
			(a->page[page].k_scale ? pack_s8 : pack_f16)(&pg, a->page + page, a->head_dim, a->v_stride);
		packed = 1;
		for (int64_t n, r = from * a->group; r < to * a->group; r += n) {
			n = tile_rows(to * a->group - r);
			attn_rows_coarse(a, &pg, r, (int)n);
		}
	}
}

AVX2 void attn_coarse_avxvnni(struct attn_args a)
{
	clear_rows(&a);
	for (int64_t page = 0; page * PAGE_TOKENS < a.p1 - a.p0; page++)
		attn_page_coarse(&a, page);
}

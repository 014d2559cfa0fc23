/* Coarse products: the formulas are in MatMul, matmul.go.
 *
 * As in the fine prefill, 32 rows x 512 columns are unpacked to bytes in L1 and multiplied
 * by blocks of tokens, 6 at a time. The bytes are w + 128, what start32 undoes. A group of
 * 128 takes 32 dot products and 2 float operations per tile and token, where the fine K
 * formats take 12 of these. */
#include "matmul_avx512_amd64.h"

enum { PARTS = COARSE / GROUP }; /* groups of 32 in one of 128 */

/* bytes: up to 2 tiles x 4 groups of 128 as bytes, and their scales. */
struct bytes {
	uint8_t w[2][CHUNK * 8][64] __attribute__((aligned(64))); /* quads */
	__m512 s[CHUNK / PARTS][2];
	__m512 b[CHUNK / PARTS][2]; /* -DOT_FLOAT * s */
};

/* line is w = (q*a + b) >> 8 of 16 rows: in 16 bits, twice in each lane. */
struct line {
	__m512i a, b;
};

/* twice repeats the low half of each lane in the high one. */
AVX512_INLINE __m512i twice(__m512i x)
{
	return _mm512_shuffle_epi8(x, _mm512_set4_epi32(0x0d0c0d0c, 0x09080908, 0x05040504, 0x01000100));
}

/* greatest is the larger magnitude. */
AVX512_INLINE __m512 greatest(__m512 a, __m512 b)
{
	return _mm512_range_ps(a, b, 0x0b);
}

/* line_of: d, m: scale and minimum (NULL: the offset), inverse: 127*256/top. The bytes are
 * 128 more than w, and rounded: hence 128*256 + 128. */
AVX512_INLINE struct line line_of(__m512 d, const __m512 *m, __m512 inverse, int32_t offset)
{
	const __m512i a = _mm512_cvtps_epi32(_mm512_mul_ps(d, inverse));
	const __m512i b = m ? _mm512_cvtps_epi32(_mm512_mul_ps(*m, inverse)) : _mm512_mullo_epi32(a, _mm512_set1_epi32(-offset));
	return (struct line){twice(a), _mm512_add_epi16(twice(b), _mm512_set1_epi16((short)(128 * 256 + 128)))};
}

/* bytes_of: the 64 bytes of a quad of integers. Products and sums wrap; their ends do not. */
AVX512_INLINE __m512i bytes_of(__m512i q, const struct line *l)
{
	__m512i even = _mm512_and_si512(q, _mm512_set1_epi16(255)), odd = _mm512_srli_epi16(q, 8);
	even = _mm512_add_epi16(_mm512_mullo_epi16(even, l->a), l->b);
	odd = _mm512_add_epi16(_mm512_mullo_epi16(odd, l->a), l->b);
	return _mm512_mask_mov_epi8(odd, 0x5555555555555555, _mm512_srli_epi16(even, 8));
}

/* unpack_bytes fills u with groups of 32 [g0, g1) of tile number i of the pair, at row r. */
AVX512_INLINE void unpack_bytes(const struct matmul_args *a, int codec, int scaling, int64_t r, int64_t g0, int64_t g1, struct bytes *u, int i)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes, *scales = w + a->quant_bytes;
	const int64_t bytes = group_bytes(codec);
	const __m512 most = _mm512_set1_ps(codec == CODEC_4 ? 15 : 31), zero = _mm512_setzero_ps();
	struct k_scales state; /* g0 is a multiple of 8 */
	state.d = state.m = zero;
	for (int64_t g = g0; g < g1; g += PARTS) {
		const int n = g1 - g < PARTS ? (int)(g1 - g) : PARTS;
		__m512 d[PARTS], m[PARTS], top = zero;
		for (int j = 0; j < n; j++) {
			load_scales(scaling, scales, g + j, &state, &d[j], &m[j]);
			const __m512 other = scaling == SCALE_K ? _mm512_fmadd_ps(d[j], most, m[j]) : d[j];
			top = greatest(top, greatest(m[j], other));
		}
		if (scaling == SCALE_Q6K)
			top = _mm512_mul_ps(top, _mm512_set1_ps(32));
		const __mmask16 live = _mm512_cmp_ps_mask(top, _mm512_set1_ps(TINY_GROUP), _CMP_GE_OQ);
		const __m512 inverse = _mm512_maskz_div_ps(live, _mm512_set1_ps(127 * 256), top);
		/* All dw and mw are finite where d, and the m of a K format, are. */
		const __m512 bad = _mm512_fmadd_ps(state.d, zero, _mm512_mul_ps(state.m, zero));
		const __m512 s = _mm512_add_ps(_mm512_mul_ps(top, _mm512_set1_ps(1.0f / 127)), bad);
		u->s[(g - g0) / PARTS][i] = s;
		u->b[(g - g0) / PARTS][i] = minus_base(s);
		for (int j = 0; j < n; j++) {
			__m512i quads[8];
			load_quads(codec, w + (g + j) * bytes, quads);
			struct line l[2];
			l[0] = line_of(d[j], scaling == SCALE_K ? &m[j] : NULL, inverse, a->offset);
			l[1] = scaling == SCALE_K ? l[0] : line_of(m[j], NULL, inverse, a->offset);
#pragma GCC unroll 8
			for (int q = 0; q < 8; q++)
				_mm512_store_si512(u->w[i][8 * (g + j - g0) + q], bytes_of(quads[q], &l[q / 4]));
		}
	}
}

/* prefetch_weights fetches n lines of both tiles that come next. */
AVX512_INLINE const uint8_t *prefetch_weights(const uint8_t *w, int64_t n, const struct ahead *next)
{
	for (int64_t i = 0; i < n; i++, w += 64) {
		_mm_prefetch((const char *)w, _MM_HINT_T0);
		_mm_prefetch((const char *)w + next->stride, _MM_HINT_T0);
		if (next->far) {
			_mm_prefetch((const char *)w + 2 * next->stride, _MM_HINT_T1);
			_mm_prefetch((const char *)w + 3 * next->stride, _MM_HINT_T1);
		}
	}
	return w;
}

/* multiply adds the unpacked groups of 32 [g0, g1) of nr tiles by nt tokens from t to sums. */
AVX512_INLINE void multiply(const struct matmul_args *a, int nr, int nt, int64_t t, int64_t g0, int64_t g1, const struct bytes *u, struct ahead *next, __m512 (*sums)[2])
{
	const int64_t groups = a->k / GROUP, per_group = next->lines > 0 ? next->per_group : 0;
	const int8_t *x = a->q + t * a->k + g0 * GROUP;
	const uint8_t *ahead = next->w, (*w)[64] = u->w[0];
	__m512 acc[STEP][2];
#pragma GCC unroll 6
	for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
		for (int n = 0; n < nr; n++)
			acc[i][n] = sums[i][n];
	for (int64_t g = g0; g < g1;) {
		const int64_t c = (g - g0) / PARTS, end = g + PARTS < g1 ? g + PARTS : g1;
		const float *scale = a->scale + t * groups + g / PARTS;
		const int32_t *start = a->start32 + t * groups + g / PARTS;
		__m512i dot[STEP][2];
#pragma GCC unroll 6
		for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
			for (int n = 0; n < nr; n++)
				dot[i][n] = _mm512_set1_epi32(start[i * groups]);
		for (; g < end; g++, x += GROUP, w += 8) {
			ahead = prefetch_weights(ahead, per_group, next);
			/* The next step's activations, half a line per group: three tokens' lines in
			 * even groups, the other three in odd ones. */
#pragma GCC unroll 3
			for (int i = 0; i < STEP / 2; i++)
				_mm_prefetch((const char *)x + (STEP + STEP / 2 * (g & 1) + i) * a->k, _MM_HINT_T0);
#pragma GCC unroll 8
			for (int j = 0; j < 8; j++) {
				const __m512i w0 = _mm512_load_si512(w[j]), w1 = _mm512_load_si512(w[CHUNK * 8 * (nr - 1) + j]);
#pragma GCC unroll 6
				for (int i = 0; i < nt; i++) {
					const __m512i b = bcast4(x + i * a->k + 4 * j);
					dot[i][0] = _mm512_dpbusd_epi32(dot[i][0], w0, b);
					if (nr == 2)
						dot[i][1] = _mm512_dpbusd_epi32(dot[i][1], w1, b);
				}
			}
		}
#pragma GCC unroll 6
		for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
			for (int n = 0; n < nr; n++) {
				const __m512 f = _mm512_fmadd_ps(_mm512_castsi512_ps(dot[i][n]), u->s[c][n], u->b[c][n]);
				acc[i][n] = _mm512_fmadd_ps(f, _mm512_set1_ps(scale[i * groups]), acc[i][n]);
			}
	}
#pragma GCC unroll 6
	for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
		for (int n = 0; n < nr; n++)
			sums[i][n] = acc[i][n];
	next->w = ahead;
	next->lines -= per_group * (g1 - g0);
	for (int i = 0; next->y && i < nt; i++)
		for (int n = 0; n < nr; n++)
			__builtin_prefetch(next->y + (t + i) * a->ldy + n * ROW_TILE, 1);
}

/* multiply_block runs multiply over nt tokens from t in even steps of up to 6. */
AVX512_INLINE void multiply_block(const struct matmul_args *a, int nr, int64_t t, int64_t nt, int64_t g0, int64_t g1, const struct bytes *u, struct ahead *next, __m512 (*sums)[2])
{
	for (int64_t i = 0, steps = (nt + STEP - 1) / STEP; steps > 0; steps--) {
		const int64_t n = (nt - i + steps - 1) / steps;
		switch (n) {
		case 1: multiply(a, nr, 1, t + i, g0, g1, u, next, sums + i); break;
		case 2: multiply(a, nr, 2, t + i, g0, g1, u, next, sums + i); break;
		case 3: multiply(a, nr, 3, t + i, g0, g1, u, next, sums + i); break;
		case 4: multiply(a, nr, 4, t + i, g0, g1, u, next, sums + i); break;
		case 5: multiply(a, nr, 5, t + i, g0, g1, u, next, sums + i); break;
		case 6: multiply(a, nr, 6, t + i, g0, g1, u, next, sums + i); break;
		}
		i += n;
	}
}

/* multiply_bytes is not inlined into the codecs: the unpacked form is common to them. */
AVX512 static __attribute__((noinline)) void multiply_bytes(const struct matmul_args *a, int nr, int64_t t, int64_t nt, int64_t g0, int64_t g1, const struct bytes *u, struct ahead *next, __m512 (*sums)[2])
{
	if (nr == 2)
		multiply_block(a, 2, t, nt, g0, g1, u, next, sums);
	else
		multiply_block(a, 1, t, nt, g0, g1, u, next, sums);
}

AVX512_INLINE void prefill(const struct matmul_args *a, int codec, int scaling)
{
	const int64_t groups = a->k / GROUP, block = block_tokens(a);
	struct bytes u;
	__m512 sums[BLOCK_TOKENS][2];
	for (int64_t t = 0; t < a->tokens; t += block) {
		const int64_t nt = a->tokens - t < block ? a->tokens - t : block;
		for (int64_t r = 0; r < a->rows; r += 2 * ROW_TILE) {
			const int nr = a->rows - r > ROW_TILE ? 2 : 1;
			for (int64_t i = 0; i < nt; i++)
				sums[i][0] = sums[i][1] = _mm512_setzero_ps();
			for (int64_t g0 = 0; g0 < groups; g0 += CHUNK) {
				const int64_t g1 = groups - g0 < CHUNK ? groups : g0 + CHUNK;
				for (int n = 0; n < nr; n++)
					unpack_bytes(a, codec, scaling, r + n * ROW_TILE, g0, g1, &u, n);
				struct ahead next = look_ahead(a, codec, scaling, r, g1, (nt + STEP - 1) / STEP);
				multiply_bytes(a, nr, t, nt, g0, g1, &u, &next, sums);
			}
			for (int64_t i = 0; i < nt; i++)
				for (int n = 0; n < nr; n++)
					finish(a, t + i, r + n * ROW_TILE, sums[i][n]);
		}
	}
}

AVX512 void coarse_matmul_avx512(struct matmul_args a)
{
	if (a.codec == CODEC_4)
		prefill(&a, CODEC_4, SCALE_K);
	else if (a.codec == CODEC_5)
		prefill(&a, CODEC_5, SCALE_K);
	else
		prefill(&a, CODEC_6, SCALE_Q6K);
}

/* matmul_avx512: y[t,r] = sum_k W[r,k] x[t,k], see MatMul in matmul.go.
 *
 * Three loops over the same formulas. Decode (up to 6 tokens) streams the packed tile
 * once, prefetching ahead, with the integers unpacked in registers: it runs at
 * the speed of memory. Prefill unpacks 32 rows x 512 columns to bytes in L1 and
 * multiplies them by blocks of up to 256 tokens, 6 at a time: 12 integer and 12
 * float accumulators stay in registers, each activation broadcast serves 2 tiles.
 * Meanwhile the next weights are prefetched: a chunk of a tile is about a page of
 * 4 KiB, and the hardware does not look across pages.
 *
 * Integer bounds per group of 32: |sum| <= 32*255*127 + 128*32*127 < 2^21, as
 * the float trick with DOT_BASE needs. */
#include "few_avx512_amd64.h"

enum {
	FLOAT_TOKENS = 4,     /* of one tile of float weights */
	DECODE_TOKENS = 6     /* up to which one tile at a time streams fastest, see few() */
};

/* decode_tile: 16 rows at r by nt tokens from t. */
AVX512_INLINE void decode_tile(const struct matmul_args *a, int codec, int scaling, int nt, int64_t t, int64_t r)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes, *scales = w + a->quant_bytes;
	const int64_t groups = a->k / GROUP, bytes = group_bytes(codec);
	const int8_t *q = a->q + t * a->k;
	struct k_scales state;
	state.d = state.m = _mm512_setzero_ps();
	__m512 acc[DECODE_TOKENS];
#pragma GCC unroll 6
	for (int i = 0; i < nt; i++)
		acc[i] = _mm512_setzero_ps();
	for (int64_t g = 0; g < groups; g++, w += bytes) {
		__m512i quads[8];
		__m512 d, m;
		prefetch_group(a, codec, scaling, w, scales, g, 0);
		load_quads(codec, w, quads);
		load_scales(scaling, scales, g, &state, &d, &m);
#pragma GCC unroll 6
		for (int i = 0; i < nt; i++) {
			const int64_t at = (t + i) * groups + g;
			const int8_t *x = q + i * a->k + g * GROUP;
			__m512i lo = _mm512_set1_epi32(DOT_BASE), hi = _mm512_setzero_si512();
			if (scaling == SCALE_OFFSET)
				lo = start(codec, a->start32[at]);
			if (scaling == SCALE_Q6K) {
				lo = start(codec, a->start16[2 * at]);
				hi = start(codec, a->start16[2 * at + 1]);
			}
#pragma GCC unroll 4
			for (int j = 0; j < 4; j++) {
				lo = _mm512_dpbusd_epi32(lo, quads[j], bcast4(x + 4 * j));
				hi = _mm512_dpbusd_epi32(hi, quads[j + 4], bcast4(x + 4 * j + 16));
			}
			if (scaling != SCALE_Q6K)
				lo = _mm512_add_epi32(lo, hi);
			const __m512 sx = _mm512_set1_ps(a->scale[at]);
			__m512 u = _mm512_fmadd_ps(_mm512_castsi512_ps(lo), d, minus_base(d));
			acc[i] = _mm512_fmadd_ps(u, sx, acc[i]);
			if (scaling == SCALE_Q6K) {
				u = _mm512_fmadd_ps(_mm512_castsi512_ps(hi), m, minus_base(m));
				acc[i] = _mm512_fmadd_ps(u, sx, acc[i]);
			}
			if (scaling == SCALE_MIN || scaling == SCALE_K)
				acc[i] = _mm512_fmadd_ps(m, _mm512_set1_ps(a->scale_sum[at]), acc[i]);
		}
	}
#pragma GCC unroll 6
	for (int i = 0; i < nt; i++)
		finish(a, t + i, r, acc[i]);
}

AVX512_INLINE void decode(const struct matmul_args *a, int codec, int scaling)
{
	for (int64_t r = 0; r < a->rows; r += ROW_TILE) {
		switch (a->tokens) {
		case 1: decode_tile(a, codec, scaling, 1, 0, r); break;
		case 2: decode_tile(a, codec, scaling, 2, 0, r); break;
		case 3: decode_tile(a, codec, scaling, 3, 0, r); break;
		case 4: decode_tile(a, codec, scaling, 4, 0, r); break;
		case 5: decode_tile(a, codec, scaling, 5, 0, r); break;
		case 6: decode_tile(a, codec, scaling, 6, 0, r); break;
		}
	}
}

/* unpacked: up to 2 tiles x 16 groups as bytes, scales as floats. */
struct unpacked {
	uint8_t w[2][CHUNK][8][64] __attribute__((aligned(64)));
	__m512 d[CHUNK][2][2]; /* scale (of each half in Q6_K) */
	__m512 b[CHUNK][2][2]; /* -DOT_FLOAT * scale */
	__m512 m[CHUNK][2];    /* minimum to add */
};

/* unpack fills u with groups [g0, g1) of tile number i of the pair, at row r.
 * Integers with an offset are brought to the offset 128, which start16/32 undo. */
AVX512_INLINE void unpack(const struct matmul_args *a, int codec, int scaling, int64_t r, int64_t g0, int64_t g1, struct unpacked *u, int i)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes, *scales = w + a->quant_bytes;
	const int64_t bytes = group_bytes(codec);
	const __m512i lift = _mm512_set1_epi8((char)(128 - a->offset));
	struct k_scales state; /* g0 is a multiple of 8 */
	state.d = state.m = _mm512_setzero_ps();
	for (int64_t g = g0; g < g1; g++) {
		__m512i quads[8];
		load_quads(codec, w + g * bytes, quads);
#pragma GCC unroll 8
		for (int j = 0; j < 8; j++) {
			if (codec != CODEC_8 && (scaling == SCALE_OFFSET || scaling == SCALE_Q6K))
				quads[j] = _mm512_add_epi8(quads[j], lift);
			_mm512_store_si512(u->w[i][g - g0][j], quads[j]);
		}
		__m512 d, m;
		load_scales(scaling, scales, g, &state, &d, &m);
		u->d[g - g0][0][i] = d;
		u->b[g - g0][0][i] = minus_base(d);
		if (scaling == SCALE_Q6K) {
			u->d[g - g0][1][i] = m;
			u->b[g - g0][1][i] = minus_base(m);
		} else {
			u->m[g - g0][i] = m;
		}
	}
}

/* multiply adds the unpacked groups [g0, g1) of nr tiles by nt tokens from t to sums. */
AVX512_INLINE void multiply(const struct matmul_args *a, int scaling, int nr, int nt, int64_t t, int64_t g0, int64_t g1, const struct unpacked *u, struct ahead *next, __m512 (*sums)[2])
{
	const int64_t groups = a->k / GROUP, per_group = next->lines > 0 ? next->per_group : 0;
	const int8_t *x = a->q + t * a->k + g0 * GROUP;
	const uint8_t *ahead = next->w;
	__m512 acc[STEP][2];
#pragma GCC unroll 6
	for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
		for (int n = 0; n < nr; n++)
			acc[i][n] = sums[i][n];
	for (int64_t g = g0; g < g1; g++, x += GROUP) {
		const float *scale = a->scale + t * groups + g, *scale_sum = a->scale_sum + t * groups + g;
		const int32_t *start16 = a->start16 + 2 * (t * groups + g), *start32 = a->start32 + t * groups + g;
		const int halves = scaling == SCALE_Q6K ? 2 : 1;
		for (int64_t i = 0; i < per_group; i++, ahead += 64) {
			_mm_prefetch((const char *)ahead, _MM_HINT_T0);
			_mm_prefetch((const char *)ahead + next->stride, _MM_HINT_T0);
			if (next->far) {
				_mm_prefetch((const char *)ahead + 2 * next->stride, _MM_HINT_T1);
				_mm_prefetch((const char *)ahead + 3 * next->stride, _MM_HINT_T1);
			}
		}
		/* The next step's activations, half a line per group: three tokens' lines in
		 * even groups, the other three in odd ones. */
#pragma GCC unroll 3
		for (int i = 0; i < STEP / 2; i++)
			_mm_prefetch((const char *)x + (STEP + STEP / 2 * (g & 1) + i) * a->k, _MM_HINT_T0);
#pragma GCC unroll 2
		for (int h = 0; h < halves; h++) {
			__m512i dot[STEP][2];
#pragma GCC unroll 6
			for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
				for (int n = 0; n < nr; n++)
					dot[i][n] = scaling == SCALE_OFFSET ? _mm512_set1_epi32(start32[i * groups])
						: scaling == SCALE_Q6K ? _mm512_set1_epi32(start16[2 * i * groups + h])
						: _mm512_set1_epi32(DOT_BASE);
#pragma GCC unroll 8
			for (int j = 8 / halves * h; j < 8 / halves * (h + 1); j++) {
				__m512i w[2];
#pragma GCC unroll 2
				for (int n = 0; n < nr; n++)
					w[n] = _mm512_load_si512(u->w[n][g - g0][j]);
#pragma GCC unroll 6
				for (int i = 0; i < nt; i++) {
					__m512i b = bcast4(x + i * a->k + 4 * j);
#pragma GCC unroll 2
					for (int n = 0; n < nr; n++)
						dot[i][n] = _mm512_dpbusd_epi32(dot[i][n], w[n], b);
				}
			}
#pragma GCC unroll 6
			for (int i = 0; i < nt; i++) {
#pragma GCC unroll 2
				for (int n = 0; n < nr; n++) {
					__m512 f = _mm512_castsi512_ps(dot[i][n]);
					f = _mm512_fmadd_ps(f, u->d[g - g0][h][n], u->b[g - g0][h][n]);
					acc[i][n] = _mm512_fmadd_ps(f, _mm512_set1_ps(scale[i * groups]), acc[i][n]);
					if (scaling == SCALE_MIN || scaling == SCALE_K)
						acc[i][n] = _mm512_fmadd_ps(u->m[g - g0][n], _mm512_set1_ps(scale_sum[i * groups]), acc[i][n]);
				}
			}
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

/* multiply_block runs multiply over nt tokens from t in steps of 6. It is not
 * inlined into the codecs: the unpacked form is common to them. */
AVX512_INLINE void multiply_block(const struct matmul_args *a, int scaling, int nr, int64_t t, int64_t nt, int64_t g0, int64_t g1, const struct unpacked *u, struct ahead *next, __m512 (*sums)[2])
{
	/* Even steps: one of two tokens waits for its own sums. */
	for (int64_t i = 0, steps = (nt + STEP - 1) / STEP; steps > 0; steps--) {
		const int64_t n = (nt - i + steps - 1) / steps;
		switch (n) {
		case 1: multiply(a, scaling, nr, 1, t + i, g0, g1, u, next, sums + i); break;
		case 2: multiply(a, scaling, nr, 2, t + i, g0, g1, u, next, sums + i); break;
		case 3: multiply(a, scaling, nr, 3, t + i, g0, g1, u, next, sums + i); break;
		case 4: multiply(a, scaling, nr, 4, t + i, g0, g1, u, next, sums + i); break;
		case 5: multiply(a, scaling, nr, 5, t + i, g0, g1, u, next, sums + i); break;
		case 6: multiply(a, scaling, nr, 6, t + i, g0, g1, u, next, sums + i); break;
		}
		i += n;
	}
}

AVX512 static __attribute__((noinline)) void multiply_offset(const struct matmul_args *a, int nr, int64_t t, int64_t nt, int64_t g0, int64_t g1, const struct unpacked *u, struct ahead *next, __m512 (*sums)[2])
{
	if (nr == 2)
		multiply_block(a, SCALE_OFFSET, 2, t, nt, g0, g1, u, next, sums);
	else
		multiply_block(a, SCALE_OFFSET, 1, t, nt, g0, g1, u, next, sums);
}

AVX512 static __attribute__((noinline)) void multiply_min(const struct matmul_args *a, int nr, int64_t t, int64_t nt, int64_t g0, int64_t g1, const struct unpacked *u, struct ahead *next, __m512 (*sums)[2])
{
	if (nr == 2)
		multiply_block(a, SCALE_MIN, 2, t, nt, g0, g1, u, next, sums);
	else
		multiply_block(a, SCALE_MIN, 1, t, nt, g0, g1, u, next, sums);
}

AVX512 static __attribute__((noinline)) void multiply_q6k(const struct matmul_args *a, int nr, int64_t t, int64_t nt, int64_t g0, int64_t g1, const struct unpacked *u, struct ahead *next, __m512 (*sums)[2])
{
	if (nr == 2)
		multiply_block(a, SCALE_Q6K, 2, t, nt, g0, g1, u, next, sums);
	else
		multiply_block(a, SCALE_Q6K, 1, t, nt, g0, g1, u, next, sums);
}

AVX512_INLINE void prefill(const struct matmul_args *a, int codec, int scaling)
{
	const int64_t groups = a->k / GROUP, block = block_tokens(a);
	struct unpacked u;
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
					unpack(a, codec, scaling, r + n * ROW_TILE, g0, g1, &u, n);
				struct ahead next = look_ahead(a, codec, scaling, r, g1, (nt + STEP - 1) / STEP);
				if (scaling == SCALE_OFFSET)
					multiply_offset(a, nr, t, nt, g0, g1, &u, &next, sums);
				else if (scaling == SCALE_Q6K)
					multiply_q6k(a, nr, t, nt, g0, g1, &u, &next, sums);
				else
					multiply_min(a, nr, t, nt, g0, g1, &u, &next, sums);
			}
			for (int64_t i = 0; i < nt; i++)
				for (int n = 0; n < nr; n++)
					finish(a, t + i, r + n * ROW_TILE, sums[i][n]);
		}
	}
}

/* float_tile: 16 rows of float weights by nt tokens from t. */
AVX512_INLINE void float_tile(const struct matmul_args *a, int codec, int nt, int64_t t, int64_t r)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes;
	const int64_t groups = a->k / GROUP;
	float x[FLOAT_TOKENS][GROUP] __attribute__((aligned(64)));
	__m512 acc[FLOAT_TOKENS], u[FLOAT_TOKENS];
#pragma GCC unroll 4
	for (int i = 0; i < nt; i++)
		acc[i] = _mm512_setzero_ps();
	for (int64_t g = 0; g < groups; g++) {
#pragma GCC unroll 4
		for (int i = 0; i < nt; i++) {
			const __m128i *q = (const __m128i *)(a->q + (t + i) * a->k + g * GROUP);
			_mm512_store_ps(x[i], _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(q))));
			_mm512_store_ps(x[i] + 16, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(q + 1))));
			u[i] = _mm512_setzero_ps();
		}
		for (int k = 0; k < GROUP; k++) {
			__m512 wk;
			if (codec == CODEC_F16) {
				wk = load_f16(w);
				w += 32;
			} else {
				wk = _mm512_load_ps(w);
				w += 64;
			}
#pragma GCC unroll 4
			for (int i = 0; i < nt; i++)
				u[i] = _mm512_fmadd_ps(wk, _mm512_set1_ps(x[i][k]), u[i]);
		}
#pragma GCC unroll 4
		for (int i = 0; i < nt; i++)
			acc[i] = _mm512_fmadd_ps(u[i], _mm512_set1_ps(a->scale[(t + i) * groups + g]), acc[i]);
	}
#pragma GCC unroll 4
	for (int i = 0; i < nt; i++)
		finish(a, t + i, r, acc[i]);
}

AVX512_INLINE void float_weights(const struct matmul_args *a, int codec)
{
	for (int64_t r = 0; r < a->rows; r += ROW_TILE) {
		int64_t t = 0;
		for (; t + FLOAT_TOKENS <= a->tokens; t += FLOAT_TOKENS)
			float_tile(a, codec, FLOAT_TOKENS, t, r);
		for (; t < a->tokens; t++)
			float_tile(a, codec, 1, t, r);
	}
}

AVX512_INLINE void quantized(const struct matmul_args *a, int codec, int scaling)
{
	if (a->tokens <= DECODE_TOKENS)
		decode(a, codec, scaling);
	else if (a->tokens <= FEW_TOKENS)
		few(a, codec, scaling);
	else
		prefill(a, codec, scaling);
}

AVX512 void matmul_avx512(struct matmul_args a)
{
	switch (a.codec) {
	case CODEC_4:
		if (a.scaling == SCALE_OFFSET)
			quantized(&a, CODEC_4, SCALE_OFFSET);
		else if (a.scaling == SCALE_MIN)
			quantized(&a, CODEC_4, SCALE_MIN);
		else
			quantized(&a, CODEC_4, SCALE_K);
		break;
	case CODEC_5:
		if (a.scaling == SCALE_OFFSET)
			quantized(&a, CODEC_5, SCALE_OFFSET);
		else if (a.scaling == SCALE_MIN)
			quantized(&a, CODEC_5, SCALE_MIN);
		else
			quantized(&a, CODEC_5, SCALE_K);
		break;
	case CODEC_6:
		quantized(&a, CODEC_6, SCALE_Q6K);
		break;
	case CODEC_8:
		quantized(&a, CODEC_8, SCALE_OFFSET);
		break;
	case CODEC_F16:
		float_weights(&a, CODEC_F16);
		break;
	case CODEC_F32:
		float_weights(&a, CODEC_F32);
		break;
	}
}

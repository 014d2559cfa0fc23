/* The matrix products of AVX2 and of AVX-VNNI: y[t,r] = sum_k W[r,k] x[t,k], see MatMul in
 * matmul.go. A file that includes this defines VNNI as 0 or 1 and has matmul() in its own
 * kernels.
 *
 * The same two loops as in matmul_avx512_amd64.h: decode unpacks in registers,
 * prefill unpacks 16 rows x 512 columns to L1 once per block of up to 132 tokens, in any
 * of the grains. */
#ifndef WINDOWSEAT_MATMUL_AVX2_H
#define WINDOWSEAT_MATMUL_AVX2_H

#include "grains_avx2_amd64.h"

/* decode_tile: 16 rows at r by nt tokens. */
AVX2_INLINE void decode_tile(const struct matmul_args *a, int codec, int scaling, int nt, int64_t r)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes, *scales = w + a->quant_bytes;
	const int64_t groups = a->k / GROUP, bytes = group_bytes(codec);
	__m256 acc[2][STEP][2];
#pragma GCC unroll 2
	for (int h = 0; h < 2; h++)
#pragma GCC unroll 4
		for (int i = 0; i < nt; i++)
			acc[h][i][0] = _mm256_setzero_ps();
	for (int64_t g = 0; g < groups; g++, w += bytes) {
		struct pair d, m;
		/* Over the end of the integers lie those of the next tile, behind the scales. */
		const char *next = (const char *)w + FAR;
		if (g * bytes + FAR >= a->quant_bytes)
			next += a->tile_bytes - a->quant_bytes;
#pragma GCC unroll 8
		for (int j = 0; j < bytes / 64; j++) {
			_mm_prefetch(next + 64 * j, _MM_HINT_T1);
			_mm_prefetch((const char *)w + NEAR + 64 * j, _MM_HINT_T0);
		}
		load_scales(codec, scaling, scales, g, &d, &m);
#pragma GCC unroll 2
		for (int h = 0; h < 2; h++) {
			__m256i one[8][2];
			struct scales s;
			set_scales(&s, scaling, 0, d.half[h], m.half[h]);
			load_integers(a, codec, scaling, w + 32 * h, one, 0);
			add_group(a, codec, scaling, nt, 1, 0, g, one, &s, acc[h]);
		}
	}
#pragma GCC unroll 4
	for (int i = 0; i < nt; i++) {
		__m256 y[2] = {acc[0][i][0], acc[1][i][0]};
		finish(a, i, r, y);
	}
}

AVX2_INLINE void decode(const struct matmul_args *a, int codec, int scaling)
{
	for (int64_t r = 0; r < a->rows; r += ROW_TILE) {
		switch (a->tokens) {
		case 1: decode_tile(a, codec, scaling, 1, r); break;
		case 2: decode_tile(a, codec, scaling, 2, r); break;
		case 3: decode_tile(a, codec, scaling, 3, r); break;
		case 4: decode_tile(a, codec, scaling, 4, r); break;
		}
	}
}

/* prefetch_chunk fetches part i of n of the integers behind group g1 of the tile at r,
 * or the first ones of the next tile: the hardware does not look across pages, and
 * a chunk is about one. */
AVX2_INLINE void prefetch_chunk(const struct matmul_args *a, int codec, int64_t r, int64_t g1, int64_t i, int64_t n)
{
	const int64_t lines = CHUNK * group_bytes(codec) / 64;
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes + g1 * group_bytes(codec);
	if (g1 == a->k / GROUP)
		w = a->w + (r / ROW_TILE + 1) * a->tile_bytes;
	for (int64_t l = lines * i / n; l < lines * (i + 1) / n; l++)
		_mm_prefetch((const char *)w + 64 * l, _MM_HINT_T0);
}

/* step is how many tokens a register tile has: 6 x 2 sums, in int32 with VNNI, else in
 * int16; where fine runs are short 3 x 2 of them beside the int32 sums; with 8 bits 4 x 2
 * int32 sums, beside weights and their magnitudes. */
AVX2_INLINE int step(int grain, int codec)
{
	return VNNI || grain != GRAIN_FINE || codec == CODEC_4 ? 6 : codec == CODEC_8 ? 4 : 3;
}

/* multiply_block runs multiply over nt tokens from t, the odd rest in one smaller tile. */
AVX2_INLINE void multiply_block(const struct matmul_args *a, int grain, int codec, int scaling, int64_t t, int64_t nt, int64_t r, int64_t g0, int64_t g1, const struct unpacked *u, __m256 (*sums)[2])
{
	const int n = step(grain, codec);
	const int64_t steps = (nt + n - 1) / n;
	int64_t i = 0;
	for (; i + n <= nt; i += n) {
		prefetch_chunk(a, codec, r, g1, i / n, steps);
		multiply(a, grain, codec, scaling, n, t + i, g0, g1, u, sums + i);
	}
	if (i < nt)
		prefetch_chunk(a, codec, r, g1, i / n, steps);
	switch (nt - i) {
	case 1: multiply(a, grain, codec, scaling, 1, t + i, g0, g1, u, sums + i); break;
	case 2: multiply(a, grain, codec, scaling, 2, t + i, g0, g1, u, sums + i); break;
	case 3: multiply(a, grain, codec, scaling, n > 3 ? 3 : 1, t + i, g0, g1, u, sums + i); break;
	case 4: multiply(a, grain, codec, scaling, n > 4 ? 4 : 1, t + i, g0, g1, u, sums + i); break;
	case 5: multiply(a, grain, codec, scaling, n > 5 ? 5 : 1, t + i, g0, g1, u, sums + i); break;
	}
}

AVX2_INLINE void prefill(const struct matmul_args *a, int grain, int codec, int scaling)
{
	const int64_t groups = a->k / GROUP, blocks = (a->tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
	const int64_t block = ((a->tokens + blocks - 1) / blocks + STEP - 1) / STEP * STEP;
	struct unpacked u;
	__m256 sums[BLOCK_TOKENS][2];
	for (int64_t t = 0; t < a->tokens; t += block) {
		const int64_t nt = a->tokens - t < block ? a->tokens - t : block;
		for (int64_t r = 0; r < a->rows; r += ROW_TILE) {
			for (int64_t i = 0; i < nt; i++)
				sums[i][0] = sums[i][1] = _mm256_setzero_ps();
			for (int64_t g0 = 0; g0 < groups; g0 += CHUNK) {
				const int64_t g1 = groups - g0 < CHUNK ? groups : g0 + CHUNK;
				unpack(a, grain, codec, scaling, r, g0, g1, &u);
				multiply_block(a, grain, codec, scaling, t, nt, r, g0, g1, &u, sums);
			}
			for (int64_t i = 0; i < nt; i++)
				finish(a, t + i, r, sums[i]);
		}
	}
}

/* float_tile: 16 rows of float weights by one token. */
AVX2_INLINE void float_tile(const struct matmul_args *a, int codec, int64_t t, int64_t r)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes;
	const int64_t groups = a->k / GROUP;
	__m256 acc[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
	for (int64_t g = 0; g < groups; g++) {
		const int8_t *x = a->q + t * a->k + g * GROUP;
		__m256 u[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
		for (int k = 0; k < GROUP; k++) {
			const __m256 xk = _mm256_set1_ps(x[k]);
			for (int n = 0; n < 2; n++, w += codec == CODEC_F16 ? 16 : 32)
				u[n] = _mm256_fmadd_ps(codec == CODEC_F16 ? load8_f16(w) : _mm256_load_ps((const float *)w), xk, u[n]);
		}
		for (int n = 0; n < 2; n++)
			acc[n] = _mm256_fmadd_ps(u[n], _mm256_set1_ps(a->scale[t * groups + g]), acc[n]);
	}
	finish(a, t, r, acc);
}

AVX2_INLINE void float_weights(const struct matmul_args *a, int codec)
{
	for (int64_t r = 0; r < a->rows; r += ROW_TILE)
		for (int64_t t = 0; t < a->tokens; t++)
			float_tile(a, codec, t, r);
}

AVX2_INLINE void quantized(const struct matmul_args *a, int codec, int scaling)
{
	if (a->tokens <= DECODE_TOKENS)
		decode(a, codec, scaling);
	else
		prefill(a, GRAIN_FINE, codec, scaling);
}

/* matmul_grouped is the product in a grain other than the fine one. */
AVX2_INLINE void matmul_grouped(const struct matmul_args *a, int grain)
{
	if (a->codec == CODEC_4)
		prefill(a, grain, CODEC_4, SCALE_K);
	else if (a->codec == CODEC_5)
		prefill(a, grain, CODEC_5, SCALE_K);
	else
		prefill(a, grain, CODEC_6, SCALE_Q6K);
}

AVX2_INLINE void matmul(const struct matmul_args *a)
{
	switch (a->codec) {
	case CODEC_4:
		if (a->scaling == SCALE_OFFSET)
			quantized(a, CODEC_4, SCALE_OFFSET);
		else if (a->scaling == SCALE_MIN)
			quantized(a, CODEC_4, SCALE_MIN);
		else
			quantized(a, CODEC_4, SCALE_K);
		break;
	case CODEC_5:
		if (a->scaling == SCALE_OFFSET)
			quantized(a, CODEC_5, SCALE_OFFSET);
		else if (a->scaling == SCALE_MIN)
			quantized(a, CODEC_5, SCALE_MIN);
		else
			quantized(a, CODEC_5, SCALE_K);
		break;
	case CODEC_6:
		quantized(a, CODEC_6, SCALE_Q6K);
		break;
	case CODEC_8:
		quantized(a, CODEC_8, SCALE_OFFSET);
		break;
	case CODEC_F16:
		float_weights(a, CODEC_F16);
		break;
	case CODEC_F32:
		float_weights(a, CODEC_F32);
		break;
	}
}

#endif

/* Products of a few tokens, several sequences that decode together: as decode the
 * weights are streamed once and unpacked in registers, but two tiles share each
 * activation broadcast, and 2 x 8 dot products are enough to hide their latency. The
 * float sums lie in memory: registers are full, and a group takes 60 cycles or more. */
#ifndef WINDOWSEAT_FEW_AVX512_H
#define WINDOWSEAT_FEW_AVX512_H

#include "matmul_avx512_amd64.h"

enum { FEW_TOKENS = 8 }; /* the most; beyond, unpacking to L1 is as fast */

/* load_pair unpacks quads 2v and 2v+1 of the group at p; see load_quads. */
AVX512_INLINE void load_pair(int codec, const uint8_t *p, int v, __m512i w[2])
{
	if (codec == CODEC_8) {
		w[0] = _mm512_load_si512(p + 128 * v);
		w[1] = _mm512_load_si512(p + 128 * v + 64);
		return;
	}
	const __m512i low = _mm512_set1_epi8(15), b = _mm512_load_si512(p + 64 * v);
	w[0] = _mm512_and_si512(b, low);
	w[1] = _mm512_and_si512(_mm512_srli_epi16(b, 4), low);
	if (codec == CODEC_4)
		return;
	const __m512i mask = _mm512_set1_epi8(codec == CODEC_5 ? 16 : 0x30);
	const __m512i h = _mm512_load_si512(p + 256 + (codec == CODEC_6 ? 64 * (v / 2) : 0));
#pragma GCC unroll 2
	for (int e = 0; e < 2; e++) {
		const int j = 2 * v + e, at = codec == CODEC_6 ? 2 * (j % 4) : j;
		const __m512i s = at < 4 ? _mm512_slli_epi16(h, 4 - at) : _mm512_srli_epi16(h, at - 4);
		w[e] = _mm512_ternarylogic_epi64(s, mask, w[e], 0xea); /* (s & mask) | w */
	}
}

/* few_tiles: nr tiles of 16 rows at r by nt tokens. */
AVX512_INLINE void few_tiles(const struct matmul_args *a, int codec, int scaling, int nr, int nt, int64_t r)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes;
	const int64_t groups = a->k / GROUP, bytes = group_bytes(codec);
	const int parts = scaling == SCALE_Q6K ? 2 : 1;
	struct k_scales state[2];
	__m512 acc[FEW_TOKENS][2];
	for (int n = 0; n < nr; n++)
		state[n].d = state[n].m = _mm512_setzero_ps();
	for (int i = 0; i < nt; i++)
		acc[i][0] = acc[i][1] = _mm512_setzero_ps();
	for (int64_t g = 0; g < groups; g++, w += bytes) {
		const int8_t *x = a->q + g * GROUP;
		__m512 d[2][2]; /* scale; in Q6_K that of the second half, else the minimum */
#pragma GCC unroll 2
		for (int n = 0; n < nr; n++) {
			const uint8_t *tile = w + n * a->tile_bytes, *scales = tile + a->quant_bytes - g * bytes;
			prefetch_group(a, codec, scaling, tile, scales, g, (nr - 1) * a->tile_bytes);
			load_scales(scaling, scales, g, &state[n], &d[n][0], &d[n][1]);
		}
#pragma GCC unroll 2
		for (int part = 0; part < parts; part++) {
			__m512i dot[FEW_TOKENS][2];
#pragma GCC unroll 8
			for (int i = 0; i < nt; i++) {
				const int64_t at = i * groups + g;
				dot[i][0] = scaling == SCALE_OFFSET ? start(codec, a->start32[at])
					: scaling == SCALE_Q6K ? start(codec, a->start16[2 * at + part])
					: _mm512_set1_epi32(DOT_BASE);
				dot[i][1] = dot[i][0];
			}
#pragma GCC unroll 4
			for (int v = 4 / parts * part; v < 4 / parts * (part + 1); v++) {
				__m512i q[2][2];
#pragma GCC unroll 2
				for (int n = 0; n < nr; n++)
					load_pair(codec, w + n * a->tile_bytes, v, q[n]);
#pragma GCC unroll 2
				for (int e = 0; e < 2; e++)
#pragma GCC unroll 8
					for (int i = 0; i < nt; i++) {
						const __m512i b = bcast4(x + i * a->k + 8 * v + 4 * e);
#pragma GCC unroll 2
						for (int n = 0; n < nr; n++) /* in assembler, or GCC spills */
							__asm__("vpdpbusd %2, %1, %0" : "+v"(dot[i][n]) : "v"(q[n][e]), "v"(b));
					}
			}
#pragma GCC unroll 2
			for (int n = 0; n < nr; n++) {
				const __m512 base = minus_base(d[n][part]);
#pragma GCC unroll 8
				for (int i = 0; i < nt; i++) {
					const int64_t at = i * groups + g;
					const __m512 u = _mm512_fmadd_ps(_mm512_castsi512_ps(dot[i][n]), d[n][part], base);
					acc[i][n] = _mm512_fmadd_ps(u, _mm512_set1_ps(a->scale[at]), acc[i][n]);
					if (scaling == SCALE_MIN || scaling == SCALE_K)
						acc[i][n] = _mm512_fmadd_ps(d[n][1], _mm512_set1_ps(a->scale_sum[at]), acc[i][n]);
				}
			}
		}
	}
	for (int i = 0; i < nt; i++)
		for (int n = 0; n < nr; n++)
			finish(a, i, r + n * ROW_TILE, acc[i][n]);
}

/* few multiplies by 7 or 8 tokens. */
AVX512_INLINE void few(const struct matmul_args *a, int codec, int scaling)
{
	int64_t r = 0;
	for (; r + ROW_TILE < a->rows; r += 2 * ROW_TILE) {
		if (a->tokens == 7)
			few_tiles(a, codec, scaling, 2, 7, r);
		else
			few_tiles(a, codec, scaling, 2, 8, r);
	}
	if (r < a->rows) {
		if (a->tokens == 7)
			few_tiles(a, codec, scaling, 1, 7, r);
		else
			few_tiles(a, codec, scaling, 1, 8, r);
	}
}

#endif

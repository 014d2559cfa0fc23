/* What prefill unpacks to L1 and how it multiplies that, in each grain: the formulas are in
 * MatMul, matmul.go. Per 8 rows, token and group of 32 columns of Q4_K the fine formula takes
 * 20 vector operations (3 of them float), the medium one 18.5: sub-scales take the place of
 * the ones by which pairs in int16 are added to int32, and of the float operations the minimum
 * alone is left per group. With VNNI a
 * fine group takes 11, and a coarse one 8.5. */
#ifndef WINDOWSEAT_GRAINS_AVX2_H
#define WINDOWSEAT_GRAINS_AVX2_H

#include "groups_avx2_amd64.h"

enum { PARTS = COARSE / GROUP }; /* groups of 32 in one of 128 */

/* unpacked: 16 rows x up to 16 groups as bytes, and their scales in [..][half]. */
struct unpacked {
	__m256i w[CHUNK][8][2];
	union {
		struct scales fine[CHUNK];
		struct {
			__m256i sub[CHUNK][2][2]; /* sub-scale of 32 columns or each 16, twice per lane */
			__m256 m[CHUNK][2];       /* minimum to add */
			__m256 d[CHUNK / PARTS][2];
		} medium;
		struct {
			__m256 d[CHUNK / PARTS][2];
			__m256 b[CHUNK / PARTS][2]; /* -DOT_FLOAT * d */
		} coarse;
	};
};

AVX2_INLINE void unpack_fine(const struct matmul_args *a, int codec, int scaling, const uint8_t *w, int64_t g0, int64_t g1, struct unpacked *u)
{
	for (int64_t g = g0; g < g1; g++) {
		struct pair d, m;
		load_scales(codec, scaling, w + a->quant_bytes, g, &d, &m);
		for (int n = 0; n < 2; n++) {
			load_integers(a, codec, scaling, w + g * group_bytes(codec) + 32 * n, u->w[g - g0], n);
			set_scales(&u->fine[g - g0], scaling, n, d.half[n], m.half[n]);
		}
	}
}

/* twice repeats the low half of each lane in the high one. */
AVX2_INLINE __m256i twice(__m256i x)
{
	return _mm256_blend_epi16(x, _mm256_slli_epi32(x, 16), 0xaa);
}

AVX2_INLINE void unpack_medium(const struct matmul_args *a, int codec, int scaling, const uint8_t *w, int64_t g0, int64_t g1, struct unpacked *u)
{
	for (int64_t g = g0; g < g1; g++) {
		const uint8_t *p = w + a->quant_bytes + (scaling == SCALE_K ? 256 : 288) * (g / 8);
		const struct pair d = load_f16(p);
		struct pair m = d;
		__m128i sub[2], mins;
		if (scaling == SCALE_K) {
			k_scales(p, g, &sub[0], &mins);
			sub[1] = sub[0];
			m = scale_u8(load_f16(p + 32), mins);
		} else {
			sub[0] = _mm_load_si128((const __m128i *)(p + 32 + 32 * (g % 8)));
			sub[1] = _mm_load_si128((const __m128i *)(p + 48 + 32 * (g % 8)));
		}
		for (int n = 0; n < 2; n++) {
			load_integers(a, codec, scaling, w + g * group_bytes(codec) + 32 * n, u->w[g - g0], n);
			u->medium.d[(g - g0) / PARTS][n] = d.half[n];
			u->medium.m[g - g0][n] = m.half[n];
			for (int i = 0; i < 2; i++) /* scales of 6 bits have no sign */
				u->medium.sub[g - g0][i][n] = twice(_mm256_cvtepi8_epi32(n == 0 ? sub[i] : _mm_srli_si128(sub[i], 8)));
		}
	}
}

/* add_quads adds quads [j0, j1) of nt tokens, x apart by k, to the int16 sums s; from says
 * whether these begin with the first quad. */
AVX2_INLINE void add_quads(int nt, int from, int j0, int j1, const __m256i (*w)[2], const int8_t *x, int64_t k, __m256i (*s)[2])
{
#pragma GCC unroll 8
	for (int j = j0; j < j1; j++)
#pragma GCC unroll 6
		for (int i = 0; i < nt; i++) {
			const __m256i b = bcast4(x + i * k + 4 * j);
#pragma GCC unroll 2
			for (int n = 0; n < 2; n++)
				if (from && j == j0)
					s[i][n] = _mm256_maddubs_epi16(w[j][n], b);
				else
					accumulate(&s[i][n], w[j][n], b);
		}
}

/* add_medium adds 128 columns from group g, number c of the chunk, to acc. A run of int16
 * sums is 32 columns of 4 bits or 16 of 5: at most 16*15*127 and 8*31*127 in each half of
 * a lane. With 6 bits it is 16 columns, which may wrap; but start16 takes the offset from
 * them, and what is left is at most 8*32*127. Then 128 columns are at most 128*31*127*63 or
 * 128*32*127*128 in int32. */
AVX2_INLINE void add_medium(const struct matmul_args *a, int codec, int scaling, int nt, int64_t t, int64_t g, int64_t c, const struct unpacked *u, __m256 (*acc)[2])
{
	const int64_t groups = a->k / GROUP;
	const int run = codec == CODEC_4 ? 8 : 4;
	__m256i sum[STEP][2];
	for (int p = 0; p < PARTS; p++) {
		const int8_t *x = a->q + t * a->k + (g + p) * GROUP;
		const int32_t *start = a->start16 + 2 * (t * groups + g + p);
#pragma GCC unroll 2
		for (int j = 0; j < 8; j += run) {
			__m256i s[STEP][2];
#pragma GCC unroll 6
			for (int i = 0; i < nt && codec == CODEC_6; i++)
				s[i][0] = s[i][1] = _mm256_set1_epi32(start[2 * i * groups + j / run]);
			add_quads(nt, codec != CODEC_6, j, j + run, u->w[PARTS * c + p], x, a->k, s);
			const __m256i *sub = u->medium.sub[PARTS * c + p][j / run];
#pragma GCC unroll 6
			for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
				for (int n = 0; n < 2; n++) { /* int32 sums stay in memory, registers are few */
					__asm__("vpmaddwd %1, %0, %0" : "+x"(s[i][n]) : "xm"(sub[n]));
					if (p > 0 || j > 0)
						__asm__("vpaddd %1, %0, %0" : "+x"(s[i][n]) : "m"(sum[i][n]));
					__asm__("vmovdqa %1, %0" : "=m"(sum[i][n]) : "x"(s[i][n]));
				}
		}
	}
	const float *scale = a->scale + t * groups + g / PARTS, *scale_sum = a->scale_sum + t * groups + g;
#pragma GCC unroll 6
	for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
		for (int n = 0; n < 2; n++) {
			const __m256 v = _mm256_mul_ps(_mm256_cvtepi32_ps(sum[i][n]), u->medium.d[c][n]);
			acc[i][n] = _mm256_fmadd_ps(v, _mm256_set1_ps(scale[i * groups]), acc[i][n]);
#pragma GCC unroll 4
			for (int p = 0; p < PARTS && scaling == SCALE_K; p++)
				acc[i][n] = _mm256_fmadd_ps(u->medium.m[PARTS * c + p][n], _mm256_set1_ps(scale_sum[i * groups + p]), acc[i][n]);
		}
}

/* line is w = (q*a + b) >> 8 of 8 rows: in 16 bits, twice in each lane. */
struct line {
	__m256i a, b;
};

/* line_of: d, m: scale and minimum (NULL: the offset), inverse: 127*256/top. The bytes are
 * 128 more than w, and rounded: hence 128*256 + 128. */
AVX2_INLINE struct line line_of(__m256 d, const __m256 *m, __m256 inverse, int32_t offset)
{
	const __m256i a = _mm256_cvtps_epi32(_mm256_mul_ps(d, inverse));
	const __m256i b = m ? _mm256_cvtps_epi32(_mm256_mul_ps(*m, inverse)) : _mm256_mullo_epi32(a, _mm256_set1_epi32(-offset));
	return (struct line){twice(a), _mm256_add_epi16(twice(b), _mm256_set1_epi16((short)(128 * 256 + 128)))};
}

/* bytes_of: the 32 bytes of a quad of integers. Products and sums wrap; their ends do not. */
AVX2_INLINE __m256i bytes_of(__m256i q, const struct line *l)
{
	const __m256i low = _mm256_set1_epi16(255);
	__m256i even = _mm256_and_si256(q, low), odd = _mm256_srli_epi16(q, 8);
	even = _mm256_add_epi16(_mm256_mullo_epi16(even, l->a), l->b);
	odd = _mm256_add_epi16(_mm256_mullo_epi16(odd, l->a), l->b);
	return _mm256_or_si256(_mm256_andnot_si256(low, odd), _mm256_srli_epi16(even, 8));
}

/* greatest is the larger magnitude. */
AVX2_INLINE __m256 greatest(__m256 a, __m256 b)
{
	const __m256 sign = _mm256_set1_ps(-0.0f);
	return _mm256_max_ps(_mm256_andnot_ps(sign, a), _mm256_andnot_ps(sign, b));
}

/* unpack_coarse brings 128 columns at a time to 8 bits; with VNNI only. */
AVX2_INLINE void unpack_coarse(const struct matmul_args *a, int codec, int scaling, const uint8_t *w, int64_t g0, int64_t g1, struct unpacked *u)
{
	const __m256 most = _mm256_set1_ps(codec == CODEC_4 ? 15 : 31), zero = _mm256_setzero_ps();
	for (int64_t g = g0; g < g1; g += PARTS) {
		const uint8_t *p = w + a->quant_bytes + (scaling == SCALE_K ? 256 : 288) * (g / 8);
		const struct pair all = load_f16(p), min = load_f16(p + 32);
		struct pair d[PARTS], m[PARTS];
		for (int j = 0; j < PARTS; j++)
			load_scales(codec, scaling, w + a->quant_bytes, g + j, &d[j], &m[j]);
		for (int n = 0; n < 2; n++) {
			__m256 top = zero;
			for (int j = 0; j < PARTS; j++) {
				const __m256 other = scaling == SCALE_K ? _mm256_fmadd_ps(d[j].half[n], most, m[j].half[n]) : d[j].half[n];
				top = greatest(top, greatest(m[j].half[n], other));
			}
			if (scaling == SCALE_Q6K)
				top = _mm256_mul_ps(top, _mm256_set1_ps(32));
			const __m256 live = _mm256_cmp_ps(top, _mm256_set1_ps(TINY_GROUP), _CMP_GE_OQ);
			const __m256 inverse = _mm256_and_ps(live, _mm256_div_ps(_mm256_set1_ps(127 * 256), top));
			/* All dw and mw are finite where d, and the dmin of a K format, are. */
			__m256 s = _mm256_add_ps(_mm256_mul_ps(top, _mm256_set1_ps(1.0f / 127)), _mm256_mul_ps(all.half[n], zero));
			if (scaling == SCALE_K)
				s = _mm256_add_ps(s, _mm256_mul_ps(min.half[n], zero));
			u->coarse.d[(g - g0) / PARTS][n] = s;
			u->coarse.b[(g - g0) / PARTS][n] = _mm256_mul_ps(_mm256_set1_ps(-DOT_FLOAT), s);
			for (int j = 0; j < PARTS; j++) {
				__m256i quads[8];
				load_quads(codec, w + (g + j) * group_bytes(codec) + 32 * n, quads);
				struct line l[2];
				l[0] = line_of(d[j].half[n], scaling == SCALE_K ? &m[j].half[n] : NULL, inverse, a->offset);
				l[1] = scaling == SCALE_K ? l[0] : line_of(m[j].half[n], NULL, inverse, a->offset);
#pragma GCC unroll 8
				for (int q = 0; q < 8; q++)
					u->w[g + j - g0][q][n] = bytes_of(quads[q], &l[q / 4]);
			}
		}
	}
}

/* add_coarse adds 128 columns from group g, number c of the chunk, to acc; with VNNI only. */
AVX2_INLINE void add_coarse(const struct matmul_args *a, int nt, int64_t t, int64_t g, int64_t c, const struct unpacked *u, __m256 (*acc)[2])
{
	const int64_t groups = a->k / GROUP;
	const int8_t *x = a->q + t * a->k + g * GROUP;
	const float *scale = a->scale + t * groups + g / PARTS;
	const int32_t *start = a->start32 + t * groups + g / PARTS;
	__m256i sum[STEP][2];
#pragma GCC unroll 6
	for (int i = 0; i < nt; i++)
		sum[i][0] = sum[i][1] = _mm256_set1_epi32(start[i * groups]);
	for (int p = 0; p < PARTS; p++)
		dot32(nt, 2, 0, 8, u->w[PARTS * c + p], x + GROUP * p, a->k, sum);
#pragma GCC unroll 6
	for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
		for (int n = 0; n < 2; n++) {
			const __m256 v = _mm256_fmadd_ps(_mm256_castsi256_ps(sum[i][n]), u->coarse.d[c][n], u->coarse.b[c][n]);
			acc[i][n] = _mm256_fmadd_ps(v, _mm256_set1_ps(scale[i * groups]), acc[i][n]);
		}
}

/* unpack unpacks groups [g0, g1) of the tile at r. */
AVX2_INLINE void unpack(const struct matmul_args *a, int grain, int codec, int scaling, int64_t r, int64_t g0, int64_t g1, struct unpacked *u)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes;
	if (grain == GRAIN_MEDIUM)
		unpack_medium(a, codec, scaling, w, g0, g1, u);
	else if (grain == GRAIN_COARSE)
		unpack_coarse(a, codec, scaling, w, g0, g1, u);
	else
		unpack_fine(a, codec, scaling, w, g0, g1, u);
}

/* multiply adds the unpacked groups [g0, g1) by nt tokens from t to sums. */
AVX2_INLINE void multiply(const struct matmul_args *a, int grain, int codec, int scaling, int nt, int64_t t, int64_t g0, int64_t g1, const struct unpacked *u, __m256 (*sums)[2])
{
	for (int64_t g = g0; g < g1; g += grain == GRAIN_FINE ? 1 : PARTS)
		if (grain == GRAIN_MEDIUM)
			add_medium(a, codec, scaling, nt, t, g, (g - g0) / PARTS, u, sums);
		else if (grain == GRAIN_COARSE)
			add_coarse(a, nt, t, g, (g - g0) / PARTS, u, sums);
		else
			add_group(a, codec, scaling, nt, 2, t, g, u->w[g - g0], &u->fine[g - g0], sums);
}

#endif

/* The matrix products of the arm64 paths: y[t,r] = sum_k W[r,k] x[t,k], see MatMul
 * in matmul.go. The file that includes this one defines first
 *
 *   DOT, DOT_INLINE  the attributes of its functions
 *   dot              first + sum over quads [j0, j1) of w[j] and the four activations
 *                    at x + 4*j, for 4 rows of 4 columns per quad
 *
 * which is all in which the paths differ, but that one may define DOT_PAIRS with zip_rows
 * and dot_pair, for prefill by pairs of tokens. Decode (few tokens) unpacks the integers in
 * registers; prefill unpacks 16 rows x 512 columns to L1 once per block of up to 64
 * tokens. A tile of 16 rows is four registers ("quarters") of 4 rows. Every function
 * is inlined with constant codec, scaling and counts. */
#ifndef WINDOWSEAT_MATMUL_NEON_H
#define WINDOWSEAT_MATMUL_NEON_H

#include "simd_neon_arm64.h"

enum {
	DECODE_TOKENS = 4, /* more tokens than this are worth unpacking to L1 */
	CHUNK = 16,        /* groups of 32 unpacked at a time: 8 KiB */
	BLOCK_TOKENS = 64, /* tokens that share one unpacking; their chunk takes 32 KiB */
	STEP = 4           /* tokens that share the weights in registers */
};

DOT_INLINE int64_t group_bytes(int codec)
{
	return codec == CODEC_8 ? 512 : codec == CODEC_6 ? 384 : codec == CODEC_5 ? 320 : 256;
}

/* load_quads unpacks 4 rows of a group: all but 8 bits are still unsigned and below
 * 64. p: the group's integers plus 16 per quarter. */
DOT_INLINE void load_quads(int codec, const uint8_t *p, int8x16_t w[8])
{
	if (codec == CODEC_8) {
#pragma GCC unroll 8
		for (int j = 0; j < 8; j++)
			w[j] = vreinterpretq_s8_u8(vld1q_u8(p + 64 * j) ^ vdupq_n_u8(128));
		return;
	}
	uint8x16_t q[8];
#pragma GCC unroll 4
	for (int v = 0; v < 4; v++) {
		uint8x16_t b = vld1q_u8(p + 64 * v);
		q[2 * v] = b & vdupq_n_u8(15);
		q[2 * v + 1] = vshrq_n_u8(b, 4);
	}
	const uint8x16_t mask = vdupq_n_u8(codec == CODEC_5 ? 0x10 : 0x30);
#pragma GCC unroll 8
	for (int j = 0; j < 8; j++) {
		if (codec == CODEC_5 || codec == CODEC_6) {
			uint8x16_t h = vld1q_u8(p + 256 + (codec == CODEC_6 ? 64 * (j / 4) : 0));
			const int at = codec == CODEC_6 ? 2 * (j % 4) : j;
			h = at < 4 ? h << (uint8_t)(4 - at) : h >> (uint8_t)(at - 4);
			q[j] |= h & mask;
		}
		w[j] = vreinterpretq_s8_u8(q[j]);
	}
}

DOT_INLINE vec widen_u8(uint8x16_t b)
{
	return vec_from_s16(vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(b))), vreinterpretq_s16_u16(vmovl_high_u8(b)));
}

DOT_INLINE vec load_scale(const uint8_t *p)
{
	return vec_load_f16((const uint16_t *)p);
}

/* load_scales gives group g's scale d and second value m: the minimum to add, or
 * in Q6_K the scale of the second 16 columns. p: the tile's scales. */
DOT_INLINE void load_scales(int scaling, const uint8_t *p, int64_t g, vec *d, vec *m)
{
	const int64_t i = g % 8;
	if (scaling == SCALE_OFFSET) {
		*d = *m = load_scale(p + 32 * g);
	} else if (scaling == SCALE_MIN) {
		*d = load_scale(p + 64 * g);
		*m = load_scale(p + 64 * g + 32);
	} else if (scaling == SCALE_K) {
		const uint8x16_t low = vdupq_n_u8(15), high = vdupq_n_u8(0x30);
		p += 256 * (g / 8);
		uint8x16_t b = vld1q_u8(p + 64 + 16 * i), h = vld1q_u8(p + 192 + 16 * (i % 4));
		h = vshlq_u8(h, vdupq_n_s8((int8_t)(-4 * (i / 4))));
		*d = vec_mul(load_scale(p), widen_u8((b & low) | (vshlq_n_u8(h, 4) & high)));
		*m = vec_mul(load_scale(p + 32), widen_u8(vshrq_n_u8(b, 4) | (vshlq_n_u8(h, 2) & high)));
	} else {
		p += 288 * (g / 8);
		*d = vec_mul(load_scale(p), vec_load_s8((const int8_t *)p + 32 + 32 * i));
		*m = vec_mul(load_scale(p), vec_load_s8((const int8_t *)p + 48 + 32 * i));
	}
}

/* start gives DOT_BASE - offset * sum from DOT_BASE - 128 * sum, exactly: offset is
 * a power of two, and 0 here with 8 bits, whose weights are signed. */
DOT_INLINE int32x4_t start(int codec, int32_t start128)
{
	if (codec == CODEC_8)
		return vdupq_n_s32(DOT_BASE);
	return vdupq_n_s32(DOT_BASE + ((start128 - DOT_BASE) >> (codec == CODEC_6 ? 2 : codec == CODEC_5 ? 3 : 4)));
}

/* first is what the integer sum of a group, or of half of it in Q6_K, starts with. */
DOT_INLINE int32x4_t first(const struct matmul_args *a, int codec, int scaling, int64_t at, int part)
{
	return scaling == SCALE_OFFSET ? start(codec, a->start32[at])
		: scaling == SCALE_Q6K ? start(codec, a->start16[2 * at + part])
		: vdupq_n_s32(DOT_BASE);
}

/* add_group adds group g of nt tokens to acc, for one quarter. w: its quads, zipped if
 * pairs says so (then nt is even); d, m: its scales. */
DOT_INLINE void add_group(const struct matmul_args *a, int codec, int scaling, int pairs, int nt, int64_t t, int64_t g, const int8x16_t w[8], float32x4_t d, float32x4_t m, float32x4_t *acc)
{
	const int64_t groups = a->k / GROUP;
	const int parts = scaling == SCALE_Q6K ? 2 : 1;
#ifdef DOT_PAIRS
	int32x4_t two[2];
#else
	(void)pairs;
#endif
#pragma GCC unroll 2
	for (int part = 0; part < parts; part++) {
		const float32x4_t s = part == 0 ? d : m, base = vmulq_n_f32(s, -DOT_FLOAT);
#pragma GCC unroll 4
		for (int i = 0; i < nt; i++) {
			const int64_t at = (t + i) * groups + g;
			const int j0 = 8 / parts * part, j1 = 8 / parts * (part + 1);
			int32x4_t sum;
#ifdef DOT_PAIRS
			if (pairs) {
				if (i % 2 == 0) {
					two[0] = first(a, codec, scaling, at, part);
					two[1] = first(a, codec, scaling, at + groups, part);
					dot_pair(w, j0, j1, a->q + at * GROUP, a->q + (at + groups) * GROUP, two);
				}
				sum = two[i % 2];
			} else
#endif
				sum = dot(codec, w, j0, j1, a->q + at * GROUP, first(a, codec, scaling, at, part));
			float32x4_t u = vfmaq_f32(base, vreinterpretq_f32_s32(sum), s);
			acc[i] = vfmaq_n_f32(acc[i], u, a->scale[at]);
		}
	}
	if (scaling != SCALE_MIN && scaling != SCALE_K)
		return;
#pragma GCC unroll 4
	for (int i = 0; i < nt; i++)
		acc[i] = vfmaq_n_f32(acc[i], m, a->scale_sum[(t + i) * groups + g]);
}

/* finish writes acc to the outputs of one token and up to 16 rows. It is called once
 * per 16 outputs: inlined it would only make much code. */
VEC static __attribute__((noinline)) void finish(const struct matmul_args *a, int64_t t, int64_t r, vec acc)
{
	float *y = a->y + t * a->ldy + r, rest[ROW_TILE];
	if (a->rows - r >= ROW_TILE) {
		if (a->bias)
			acc = vec_add(acc, vec_load(a->bias + r));
		if (a->add)
			acc = vec_add(vec_load(y), acc);
		vec_store(y, acc);
		return;
	}
	vec_store(rest, acc);
	for (int64_t i = 0; i < a->rows - r; i++) {
		float v = rest[i];
		if (a->bias)
			v = v + a->bias[r + i];
		if (a->add)
			v = y[i] + v;
		y[i] = v;
	}
}

/* decode_tile: 16 rows at r by nt tokens. */
DOT_INLINE void decode_tile(const struct matmul_args *a, int codec, int scaling, int nt, int64_t r)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes, *scales = w + a->quant_bytes;
	const int64_t groups = a->k / GROUP, bytes = group_bytes(codec);
	float32x4_t acc[4][DECODE_TOKENS];
#pragma GCC unroll 4
	for (int n = 0; n < 4; n++)
#pragma GCC unroll 4
		for (int i = 0; i < nt; i++)
			acc[n][i] = vdupq_n_f32(0);
	for (int64_t g = 0; g < groups; g++, w += bytes) {
		vec d, m;
		load_scales(scaling, scales, g, &d, &m);
#pragma GCC unroll 4
		for (int n = 0; n < 4; n++) {
			int8x16_t quads[8];
			load_quads(codec, w + 16 * n, quads);
			add_group(a, codec, scaling, 0, nt, 0, g, quads, d.q[n], m.q[n], acc[n]);
		}
	}
#pragma GCC unroll 4
	for (int i = 0; i < nt; i++)
		finish(a, i, r, (vec){{acc[0][i], acc[1][i], acc[2][i], acc[3][i]}});
}

DOT_INLINE void decode(const struct matmul_args *a, int codec, int scaling)
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

/* unpacked: 16 rows x up to 16 groups as bytes, scales as floats. */
struct unpacked {
	int8x16_t w[4][CHUNK][8];
	vec d[CHUNK], m[CHUNK];
};

DOT_INLINE void unpack(const struct matmul_args *a, int codec, int scaling, int64_t r, int64_t g0, int64_t g1, struct unpacked *u)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes;
	for (int64_t g = g0; g < g1; g++) {
		for (int n = 0; n < 4; n++) {
			load_quads(codec, w + g * group_bytes(codec) + 16 * n, u->w[n][g - g0]);
#ifdef DOT_PAIRS
			for (int j = 0; j < 8; j += 2)
				zip_rows(&u->w[n][g - g0][j]);
#endif
		}
		load_scales(scaling, w + a->quant_bytes, g, &u->d[g - g0], &u->m[g - g0]);
	}
}

/* multiply adds the unpacked groups [g0, g1) of quarter n by nt tokens from t to sums.
 * With DOT_PAIRS a single token is put back from its zipped form. */
DOT_INLINE void multiply(const struct matmul_args *a, int codec, int scaling, int nt, int64_t t, int64_t g0, int64_t g1, const struct unpacked *u, int n, float32x4_t *sums)
{
	float32x4_t acc[STEP];
#pragma GCC unroll 4
	for (int i = 0; i < nt; i++)
		acc[i] = sums[i];
	for (int64_t g = g0; g < g1; g++) {
		const int8x16_t *w = u->w[n][g - g0];
		int pairs = 0;
#ifdef DOT_PAIRS
		int8x16_t plain[8];
		pairs = nt % 2 == 0;
		for (int j = 0; !pairs && j < 8; j += 2)
			unzip_rows(w + j, plain + j);
		w = pairs ? w : plain;
#endif
		add_group(a, codec, scaling, pairs, nt, t, g, w, u->d[g - g0].q[n], u->m[g - g0].q[n], acc);
	}
#pragma GCC unroll 4
	for (int i = 0; i < nt; i++)
		sums[i] = acc[i];
}

DOT_INLINE void prefill(const struct matmul_args *a, int codec, int scaling)
{
	const int64_t groups = a->k / GROUP;
	struct unpacked u;
	float32x4_t sums[4][BLOCK_TOKENS];
	for (int64_t t = 0; t < a->tokens; t += BLOCK_TOKENS) {
		const int64_t nt = a->tokens - t < BLOCK_TOKENS ? a->tokens - t : BLOCK_TOKENS;
		for (int64_t r = 0; r < a->rows; r += ROW_TILE) {
			for (int64_t i = 0; i < nt; i++)
				sums[0][i] = sums[1][i] = sums[2][i] = sums[3][i] = vdupq_n_f32(0);
			for (int64_t g0 = 0; g0 < groups; g0 += CHUNK) {
				const int64_t g1 = groups - g0 < CHUNK ? groups : g0 + CHUNK;
				unpack(a, codec, scaling, r, g0, g1, &u);
				for (int n = 0; n < 4; n++) {
					int64_t i = 0;
					for (; i + STEP <= nt; i += STEP)
						multiply(a, codec, scaling, STEP, t + i, g0, g1, &u, n, sums[n] + i);
					if (i + 2 <= nt) {
						multiply(a, codec, scaling, 2, t + i, g0, g1, &u, n, sums[n] + i);
						i += 2;
					}
					if (i < nt)
						multiply(a, codec, scaling, 1, t + i, g0, g1, &u, n, sums[n] + i);
				}
			}
			for (int64_t i = 0; i < nt; i++)
				finish(a, t + i, r, (vec){{sums[0][i], sums[1][i], sums[2][i], sums[3][i]}});
		}
	}
}

/* float_tile: 16 rows of float weights by one token. */
DOT_INLINE void float_tile(const struct matmul_args *a, int codec, int64_t t, int64_t r)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes;
	const int64_t groups = a->k / GROUP;
	vec acc = vec_splat(0);
	for (int64_t g = 0; g < groups; g++) {
		const int8_t *x = a->q + t * a->k + g * GROUP;
		vec u = vec_splat(0);
		for (int k = 0; k < GROUP; k++, w += codec == CODEC_F16 ? 32 : 64)
			u = vec_fma(codec == CODEC_F16 ? load_scale(w) : vec_load((const float *)w), vec_splat(x[k]), u);
		acc = vec_fma(u, vec_splat(a->scale[t * groups + g]), acc);
	}
	finish(a, t, r, acc);
}

DOT_INLINE void float_weights(const struct matmul_args *a, int codec)
{
	for (int64_t r = 0; r < a->rows; r += ROW_TILE)
		for (int64_t t = 0; t < a->tokens; t++)
			float_tile(a, codec, t, r);
}

DOT_INLINE void quantized(const struct matmul_args *a, int codec, int scaling)
{
	if (a->tokens <= DECODE_TOKENS)
		decode(a, codec, scaling);
	else
		prefill(a, codec, scaling);
}

DOT_INLINE void matmul(const struct matmul_args *a)
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

/* The matrix products of AVX2 and of AVX-VNNI, which has the dot products of AVX-512
 * on 256 bits: y[t,r] = sum_k W[r,k] x[t,k], see MatMul in matmul.go. A file that
 * includes this defines VNNI as 0 or 1 and has matmul() in its own kernel.
 *
 * The same two loops as in matmul_avx512_amd64.c: decode unpacks in registers,
 * prefill unpacks 16 rows x 512 columns to L1 once per block of up to 132 tokens.
 * A tile of 16 rows is two registers ("halves") of 8 rows.
 *
 * Without VNNI the u8 x s8 product saturates at int16, so sums stay below it: a pair gives at
 * most 2*15*127 with 4 bits (8 quads fit: 30,480), 2*31*127 with 5 (4 quads:
 * 31,496), 2*63*127 with 6 (2 quads: 32,004). With 8 bits the weights are signed,
 * |w| * (x with w's sign), at most 2*128*127 = 32,512 for one quad. With VNNI integers
 * with an offset are brought to the offset 128, which start16 and start32 undo. */
#ifndef WINDOWSEAT_MATMUL_AVX2_H
#define WINDOWSEAT_MATMUL_AVX2_H

#include "simd_avx2_amd64.h"

enum {
	FAR = 8192,         /* bytes to prefetch ahead into L2 in decode, */
	NEAR = 1024,        /* and into L1: L2 can wait for more lines at a time */
	DECODE_TOKENS = 4,  /* more tokens than this are worth unpacking to L1 */
	CHUNK = 16,         /* groups of 32 unpacked at a time: 8 KiB */
	BLOCK_TOKENS = 132, /* the most tokens that share one unpacking: whole steps */
	STEP = 6            /* the most tokens of one register tile */
};

/* pair is sixteen floats. */
struct pair {
	__m256 half[2];
};

AVX2_INLINE int64_t group_bytes(int codec)
{
	return codec == CODEC_8 ? 512 : codec == CODEC_6 ? 384 : codec == CODEC_5 ? 320 : 256;
}

AVX2_INLINE __m256i load32(const uint8_t *p)
{
	return _mm256_load_si256((const __m256i *)p);
}

/* load_quads unpacks 8 rows of a group: unsigned bytes, signed ones for 8 bits
 * without VNNI. p: the group's integers plus 32 for the second half. */
AVX2_INLINE void load_quads(int codec, const uint8_t *p, __m256i w[8])
{
	if (codec == CODEC_8) {
#pragma GCC unroll 8
		for (int j = 0; j < 8; j++)
			w[j] = VNNI ? load32(p + 64 * j) : _mm256_xor_si256(load32(p + 64 * j), _mm256_set1_epi8(-128));
		return;
	}
	const __m256i low = _mm256_set1_epi8(15);
#pragma GCC unroll 4
	for (int v = 0; v < 4; v++) {
		__m256i b = load32(p + 64 * v);
		w[2 * v] = _mm256_and_si256(b, low);
		w[2 * v + 1] = _mm256_and_si256(_mm256_srli_epi16(b, 4), low);
	}
	if (codec == CODEC_4)
		return;
	/* The high bits come by a shift of 16-bit lanes; the mask keeps them inside
	 * their byte. */
	const __m256i mask = _mm256_set1_epi8(codec == CODEC_5 ? 0x10 : 0x30);
#pragma GCC unroll 8
	for (int j = 0; j < 8; j++) {
		__m256i h = load32(p + 256 + (codec == CODEC_6 ? 64 * (j / 4) : 0));
		const int at = codec == CODEC_6 ? 2 * (j % 4) : j;
		h = at < 4 ? _mm256_slli_epi16(h, 4 - at) : _mm256_srli_epi16(h, at - 4);
		w[j] = _mm256_or_si256(w[j], _mm256_and_si256(h, mask));
	}
}

/* load_integers is load_quads, with VNNI brought to the offset 128 if there is one. */
AVX2_INLINE void load_integers(const struct matmul_args *a, int codec, int scaling, const uint8_t *p, __m256i w[8])
{
	load_quads(codec, p, w);
	if (!VNNI || codec == CODEC_8 || scaling == SCALE_MIN || scaling == SCALE_K)
		return;
	const __m256i up = _mm256_set1_epi8((char)(128 - a->offset));
#pragma GCC unroll 8
	for (int j = 0; j < 8; j++)
		w[j] = _mm256_add_epi8(w[j], up);
}

AVX2_INLINE struct pair load_f16(const uint8_t *p)
{
	return (struct pair){{load8_f16(p), load8_f16(p + 16)}};
}

/* lower divides by a power of two. */
AVX2_INLINE struct pair lower(struct pair d, int by)
{
	for (int n = 0; n < 2; n++)
		d.half[n] = by == 1 ? d.half[n] : _mm256_mul_ps(d.half[n], _mm256_set1_ps(1.0f / (float)by));
	return d;
}

AVX2_INLINE struct pair scale_u8(struct pair d, __m128i b)
{
	d.half[0] = _mm256_mul_ps(d.half[0], _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(b)));
	d.half[1] = _mm256_mul_ps(d.half[1], _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(b, 8))));
	return d;
}

AVX2_INLINE struct pair scale_s8(struct pair d, __m128i b)
{
	d.half[0] = _mm256_mul_ps(d.half[0], _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(b)));
	d.half[1] = _mm256_mul_ps(d.half[1], _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(b, 8))));
	return d;
}

/* lift is what dot products are multiplied by, so that start16 and start32, made for
 * the offset 128, undo the codec's own offset. load_scales divides by it: both are
 * exact, lift being a power of two and far from the ends of the exponent. */
AVX2_INLINE int lift(int codec, int scaling)
{
	if (VNNI)
		return 1;
	if (scaling == SCALE_Q6K)
		return 4;
	return scaling != SCALE_OFFSET || codec == CODEC_8 ? 1 : codec == CODEC_5 ? 8 : 16;
}

/* load_scales gives group g's scale d / lift and second value m: the minimum to add,
 * or in Q6_K the scale of the second 16 columns. p: the tile's scales. */
AVX2_INLINE void load_scales(int codec, int scaling, const uint8_t *p, int64_t g, struct pair *d, struct pair *m)
{
	const int64_t i = g % 8;
	if (scaling == SCALE_OFFSET) {
		*d = *m = lower(load_f16(p + 32 * g), lift(codec, scaling));
	} else if (scaling == SCALE_MIN) {
		*d = load_f16(p + 64 * g);
		*m = load_f16(p + 64 * g + 32);
	} else if (scaling == SCALE_K) {
		const __m128i low = _mm_set1_epi8(15), high = _mm_set1_epi8(0x30);
		p += 256 * (g / 8);
		__m128i b = _mm_load_si128((const __m128i *)(p + 64 + 16 * i));
		__m128i h = _mm_load_si128((const __m128i *)(p + 192 + 16 * (i % 4)));
		h = _mm_srl_epi16(h, _mm_cvtsi32_si128((int)(i / 4 * 4)));
		*d = scale_u8(load_f16(p), _mm_or_si128(_mm_and_si128(b, low), _mm_and_si128(_mm_slli_epi16(h, 4), high)));
		b = _mm_and_si128(_mm_srli_epi16(b, 4), low);
		*m = scale_u8(load_f16(p + 32), _mm_or_si128(b, _mm_and_si128(_mm_slli_epi16(h, 2), high)));
	} else {
		p += 288 * (g / 8);
		const struct pair f = lower(load_f16(p), lift(codec, scaling));
		*d = scale_s8(f, _mm_load_si128((const __m128i *)(p + 32 + 32 * i)));
		*m = scale_s8(f, _mm_load_si128((const __m128i *)(p + 48 + 32 * i)));
	}
}

AVX2_INLINE __m256i bcast4(const int8_t *q)
{
	int32_t v;
	__builtin_memcpy(&v, q, 4);
	return _mm256_set1_epi32(v);
}

/* product: 8 rows x 4 columns as pairs in int16. */
AVX2_INLINE __m256i product(int codec, __m256i w, __m256i x)
{
	if (codec == CODEC_8)
		return _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
	return _mm256_maddubs_epi16(w, x);
}

/* run is how many quads may be added in int16. */
AVX2_INLINE int run(int codec)
{
	return codec == CODEC_4 ? 8 : codec == CODEC_5 ? 4 : codec == CODEC_6 ? 2 : 1;
}

/* accumulate adds w * x to the int16 sums. In assembler, because GCC moves products
 * ahead of the additions and then spills them: that takes a fifth of the time. */
AVX2_INLINE void accumulate(__m256i *sum, __m256i w, __m256i x)
{
	__m256i p;
	__asm__("vpmaddubsw %3, %2, %1\n\tvpaddw %1, %0, %0" : "+x"(*sum), "=&x"(p) : "x"(w), "x"(x));
}

/* dot16 adds to sum[i][n] quads [j0, j1) of nt tokens (x apart by k) and nh halves. */
AVX2_INLINE void dot16(int codec, int scaling, int nt, int nh, int j0, int j1, const __m256i (*w)[2], const int8_t *x, int64_t k, __m256i (*sum)[2])
{
	const __m256i scale = _mm256_set1_epi16(lift(codec, scaling));
	const int step = run(codec) < j1 - j0 ? run(codec) : j1 - j0;
#pragma GCC unroll 8
	for (int j = j0; j < j1; j += step) {
		__m256i s[STEP][2];
#pragma GCC unroll 8
		for (int e = j; e < j + step; e++) {
#pragma GCC unroll 6
			for (int i = 0; i < nt; i++) {
				__m256i b = bcast4(x + i * k + 4 * e);
#pragma GCC unroll 2
				for (int n = 0; n < nh; n++) {
					if (e == j)
						s[i][n] = product(codec, w[e][n], b);
					else
						accumulate(&s[i][n], w[e][n], b);
				}
			}
		}
#pragma GCC unroll 6
		for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
			for (int n = 0; n < nh; n++) {
				sum[i][n] = _mm256_add_epi32(sum[i][n], _mm256_madd_epi16(s[i][n], scale));
				__asm__("" : "+x"(sum[i][n]));
			}
	}
}

/* dot32 is dot16 in int32 throughout. In assembler for the same reason, and since GCC
 * has no target for the instruction without others. */
AVX2_INLINE void dot32(int nt, int nh, int j0, int j1, const __m256i (*w)[2], const int8_t *x, int64_t k, __m256i (*sum)[2])
{
#pragma GCC unroll 8
	for (int j = j0; j < j1; j++)
#pragma GCC unroll 6
		for (int i = 0; i < nt; i++) {
			const __m256i b = bcast4(x + i * k + 4 * j);
#pragma GCC unroll 2
			for (int n = 0; n < nh; n++)
				__asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum[i][n]) : "x"(w[j][n]), "x"(b));
		}
}

/* scales are those of a group, for [columns 0..15, 16..31 in Q6_K][half]. */
struct scales {
	__m256 d[2][2]; /* scale / lift */
	__m256 b[2][2]; /* -DOT_FLOAT * d */
	__m256 m[2];    /* minimum to add */
};

/* add_group adds group g of nt tokens and nh halves to acc. w: the quads. */
AVX2_INLINE void add_group(const struct matmul_args *a, int codec, int scaling, int nt, int nh, int64_t t, int64_t g, const __m256i (*w)[2], const struct scales *s, __m256 (*acc)[2])
{
	const int64_t groups = a->k / GROUP;
	const int8_t *x = a->q + t * a->k + g * GROUP;
	const float *scale = a->scale + t * groups + g, *scale_sum = a->scale_sum + t * groups + g;
	const int32_t *start16 = a->start16 + 2 * (t * groups + g), *start32 = a->start32 + t * groups + g;
	const int parts = scaling == SCALE_Q6K ? 2 : 1;
#pragma GCC unroll 2
	for (int part = 0; part < parts; part++) {
		__m256i sum[STEP][2];
#pragma GCC unroll 6
		for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
			for (int n = 0; n < nh; n++)
				sum[i][n] = _mm256_set1_epi32(scaling == SCALE_Q6K ? start16[2 * i * groups + part]
					: scaling == SCALE_OFFSET && (VNNI || codec != CODEC_8) ? start32[i * groups] : DOT_BASE);
		if (VNNI)
			dot32(nt, nh, 8 / parts * part, 8 / parts * (part + 1), w, x, a->k, sum);
		else
			dot16(codec, scaling, nt, nh, 8 / parts * part, 8 / parts * (part + 1), w, x, a->k, sum);
#pragma GCC unroll 6
		for (int i = 0; i < nt; i++)
#pragma GCC unroll 2
			for (int n = 0; n < nh; n++) {
				__m256 u = _mm256_fmadd_ps(_mm256_castsi256_ps(sum[i][n]), s->d[part][n], s->b[part][n]);
				acc[i][n] = _mm256_fmadd_ps(u, _mm256_set1_ps(scale[i * groups]), acc[i][n]);
				if (scaling == SCALE_MIN || scaling == SCALE_K)
					acc[i][n] = _mm256_fmadd_ps(s->m[n], _mm256_set1_ps(scale_sum[i * groups]), acc[i][n]);
			}
	}
}

/* finish writes acc to the outputs of one token and up to 16 rows. */
AVX2_INLINE void finish(const struct matmul_args *a, int64_t t, int64_t r, const __m256 *acc)
{
	float *y = a->y + t * a->ldy + r;
	for (int n = 0; n < 2; n++, r += 8, y += 8) {
		const __m256i live = _mm256_castps_si256(lanes(a->rows - r));
		__m256 v = acc[n];
		if (a->bias)
			v = _mm256_add_ps(v, _mm256_maskload_ps(a->bias + r, live));
		if (a->add)
			v = _mm256_add_ps(_mm256_maskload_ps(y, live), v);
		_mm256_maskstore_ps(y, live, v);
	}
}

/* set_scales fills half n of s from what load_scales gives. */
AVX2_INLINE void set_scales(struct scales *s, int scaling, int n, __m256 d, __m256 m)
{
	s->d[0][n] = d;
	s->b[0][n] = _mm256_mul_ps(_mm256_set1_ps(-DOT_FLOAT), d);
	if (scaling == SCALE_Q6K) {
		s->d[1][n] = m;
		s->b[1][n] = _mm256_mul_ps(_mm256_set1_ps(-DOT_FLOAT), m);
	} else {
		s->m[n] = m;
	}
}

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
			__m256i quads[8], one[8][2];
			struct scales s;
			set_scales(&s, scaling, 0, d.half[h], m.half[h]);
			load_integers(a, codec, scaling, w + 32 * h, quads);
#pragma GCC unroll 8
			for (int j = 0; j < 8; j++)
				one[j][0] = quads[j];
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

/* unpacked: 16 rows x up to 16 groups as bytes, scales as floats. */
struct unpacked {
	__m256i w[CHUNK][8][2];
	struct scales s[CHUNK];
};

AVX2_INLINE void unpack(const struct matmul_args *a, int codec, int scaling, int64_t r, int64_t g0, int64_t g1, struct unpacked *u)
{
	const uint8_t *w = a->w + r / ROW_TILE * a->tile_bytes;
	for (int64_t g = g0; g < g1; g++) {
		for (int h = 0; h < 2; h++) {
			__m256i quads[8];
			load_integers(a, codec, scaling, w + g * group_bytes(codec) + 32 * h, quads);
#pragma GCC unroll 8
			for (int j = 0; j < 8; j++)
				u->w[g - g0][j][h] = quads[j];
		}
		struct pair d, m;
		load_scales(codec, scaling, w + a->quant_bytes, g, &d, &m);
		for (int n = 0; n < 2; n++)
			set_scales(&u->s[g - g0], scaling, n, d.half[n], m.half[n]);
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

/* step is how many tokens a register tile has: 6 x 2 sums, in int32 with VNNI, else in int16; where runs are
 * short 3 x 2 of them beside the int32 sums; with 8 bits 4 x 2 int32 sums, beside
 * weights and their magnitudes. */
AVX2_INLINE int step(int codec)
{
	return VNNI || codec == CODEC_4 ? 6 : codec == CODEC_8 ? 4 : 3;
}

/* multiply adds the unpacked groups [g0, g1) by nt tokens from t to sums. */
AVX2_INLINE void multiply(const struct matmul_args *a, int codec, int scaling, int nt, int64_t t, int64_t g0, int64_t g1, const struct unpacked *u, __m256 (*sums)[2])
{
	for (int64_t g = g0; g < g1; g++)
		add_group(a, codec, scaling, nt, 2, t, g, u->w[g - g0], &u->s[g - g0], sums);
}

/* multiply_block runs multiply over nt tokens from t, the odd rest in one smaller tile. */
AVX2_INLINE void multiply_block(const struct matmul_args *a, int codec, int scaling, int64_t t, int64_t nt, int64_t r, int64_t g0, int64_t g1, const struct unpacked *u, __m256 (*sums)[2])
{
	const int n = step(codec);
	const int64_t steps = (nt + n - 1) / n;
	int64_t i = 0;
	for (; i + n <= nt; i += n) {
		prefetch_chunk(a, codec, r, g1, i / n, steps);
		multiply(a, codec, scaling, n, t + i, g0, g1, u, sums + i);
	}
	if (i < nt)
		prefetch_chunk(a, codec, r, g1, i / n, steps);
	switch (nt - i) {
	case 1: multiply(a, codec, scaling, 1, t + i, g0, g1, u, sums + i); break;
	case 2: multiply(a, codec, scaling, 2, t + i, g0, g1, u, sums + i); break;
	case 3: multiply(a, codec, scaling, n > 3 ? 3 : 1, t + i, g0, g1, u, sums + i); break;
	case 4: multiply(a, codec, scaling, n > 4 ? 4 : 1, t + i, g0, g1, u, sums + i); break;
	case 5: multiply(a, codec, scaling, n > 5 ? 5 : 1, t + i, g0, g1, u, sums + i); break;
	}
}

AVX2_INLINE void prefill(const struct matmul_args *a, int codec, int scaling)
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
				unpack(a, codec, scaling, r, g0, g1, &u);
				multiply_block(a, codec, scaling, t, nt, r, g0, g1, &u, sums);
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
		prefill(a, codec, scaling);
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

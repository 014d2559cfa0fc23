/* What the matrix products of AVX2 and of AVX-VNNI, which has the dot products of
 * AVX-512 on 256 bits, do with groups of 32 columns: unpacking, and the fine formula of
 * MatMul in matmul.go. VNNI is defined as 0 or 1 by who includes this. A tile of 16 rows
 * is two registers ("halves") of 8 rows.
 *
 * Without VNNI the u8 x s8 product saturates at int16, so sums stay below it: a pair gives at
 * most 2*15*127 with 4 bits (8 quads fit: 30,480), 2*31*127 with 5 (4 quads:
 * 31,496), 2*63*127 with 6 (2 quads: 32,004). With 8 bits the weights are signed,
 * |w| * (x with w's sign), at most 2*128*127 = 32,512 for one quad. With VNNI integers
 * with an offset are brought to the offset 128, which start16 and start32 undo. */
#ifndef WINDOWSEAT_GROUPS_AVX2_H
#define WINDOWSEAT_GROUPS_AVX2_H

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

/* load_integers is load_quads to half n of w, with VNNI brought to the offset 128 if there
 * is one. */
AVX2_INLINE void load_integers(const struct matmul_args *a, int codec, int scaling, const uint8_t *p, __m256i (*w)[2], int n)
{
	__m256i quads[8];
	load_quads(codec, p, quads);
	const int up = VNNI && codec != CODEC_8 && scaling != SCALE_MIN && scaling != SCALE_K;
#pragma GCC unroll 8
	for (int j = 0; j < 8; j++)
		w[j][n] = up ? _mm256_add_epi8(quads[j], _mm256_set1_epi8((char)(128 - a->offset))) : quads[j];
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

/* k_scales gives group g's scales and minimums of 6 bits in the K formats. p: those of its
 * 256 columns. */
AVX2_INLINE void k_scales(const uint8_t *p, int64_t g, __m128i *scales, __m128i *mins)
{
	const __m128i low = _mm_set1_epi8(15), high = _mm_set1_epi8(0x30);
	const int64_t i = g % 8;
	const __m128i b = _mm_load_si128((const __m128i *)(p + 64 + 16 * i));
	__m128i h = _mm_load_si128((const __m128i *)(p + 192 + 16 * (i % 4)));
	h = _mm_srl_epi16(h, _mm_cvtsi32_si128((int)(i / 4 * 4)));
	*scales = _mm_or_si128(_mm_and_si128(b, low), _mm_and_si128(_mm_slli_epi16(h, 4), high));
	*mins = _mm_or_si128(_mm_and_si128(_mm_srli_epi16(b, 4), low), _mm_and_si128(_mm_slli_epi16(h, 2), high));
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
		__m128i scales, mins;
		p += 256 * (g / 8);
		k_scales(p, g, &scales, &mins);
		*d = scale_u8(load_f16(p), scales);
		*m = scale_u8(load_f16(p + 32), mins);
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

#endif

/* What the AVX-512 matrix products share: unpacking the codecs and scales of
 * pack.go. Every function is inlined with constant codec, scaling and counts. */
#ifndef WINDOWSEAT_MATMUL_AVX512_H
#define WINDOWSEAT_MATMUL_AVX512_H

#include "simd_avx512_amd64.h"

/* group_bytes: integers of 16 rows x 32 elements. */
AVX512_INLINE int64_t group_bytes(int codec)
{
	return codec == CODEC_8 ? 512 : codec == CODEC_6 ? 384 : codec == CODEC_5 ? 320 : 256;
}

/* group_scale_bytes: scales of a group (in Q6_K and the K formats, the 8th part of 256). */
AVX512_INLINE int64_t group_scale_bytes(int scaling)
{
	return scaling == SCALE_MIN ? 64 : scaling == SCALE_Q6K ? 36 : 32;
}

/* load_quads unpacks one group to 8 quads of 16 rows x 4 unsigned bytes. */
AVX512_INLINE void load_quads(int codec, const uint8_t *p, __m512i w[8])
{
	if (codec == CODEC_8) {
#pragma GCC unroll 8
		for (int j = 0; j < 8; j++)
			w[j] = _mm512_load_si512(p + 64 * j);
		return;
	}
	const __m512i low = _mm512_set1_epi8(15);
#pragma GCC unroll 4
	for (int v = 0; v < 4; v++) {
		__m512i b = _mm512_load_si512(p + 64 * v);
		w[2 * v] = _mm512_and_si512(b, low);
		w[2 * v + 1] = _mm512_and_si512(_mm512_srli_epi16(b, 4), low);
	}
	if (codec == CODEC_4)
		return;
	/* The high bits come by a shift of 16-bit lanes; the mask keeps them inside
	 * their byte. 0xea is (a & b) | c. */
	if (codec == CODEC_5) {
		const __m512i bit = _mm512_set1_epi8(16);
		__m512i h = _mm512_load_si512(p + 256);
#pragma GCC unroll 8
		for (int j = 0; j < 8; j++) {
			__m512i s = j < 4 ? _mm512_slli_epi16(h, 4 - j) : _mm512_srli_epi16(h, j - 4);
			w[j] = _mm512_ternarylogic_epi64(s, bit, w[j], 0xea);
		}
		return;
	}
	const __m512i pair = _mm512_set1_epi8(0x30);
#pragma GCC unroll 8
	for (int j = 0; j < 8; j++) {
		__m512i h = _mm512_load_si512(p + 256 + 64 * (j / 4));
		int at = 2 * (j % 4);
		__m512i s = at < 4 ? _mm512_slli_epi16(h, 4 - at) : _mm512_srli_epi16(h, at - 4);
		w[j] = _mm512_ternarylogic_epi64(s, pair, w[j], 0xea);
	}
}

/* k_scales holds what 8 groups of a K format share. */
struct k_scales {
	__m512 d, m;
	uint8_t scale[128] __attribute__((aligned(64))); /* [8, 16] */
	uint8_t min[128] __attribute__((aligned(64)));
};

/* load_k_scales joins the low and high bits of the sub-scales. */
AVX512_INLINE void load_k_scales(const uint8_t *p, struct k_scales *s)
{
	const __m512i low = _mm512_set1_epi8(15), high = _mm512_set1_epi8(0x30);
	s->d = load_f16(p);
	s->m = load_f16(p + 32);
	__m512i a = _mm512_load_si512(p + 64), b = _mm512_load_si512(p + 128);
	__m512i h = _mm512_load_si512(p + 192);
	_mm512_store_si512(s->scale, _mm512_ternarylogic_epi64(_mm512_slli_epi16(h, 4), high, _mm512_and_si512(a, low), 0xea));
	_mm512_store_si512(s->scale + 64, _mm512_ternarylogic_epi64(h, high, _mm512_and_si512(b, low), 0xea));
	a = _mm512_and_si512(_mm512_srli_epi16(a, 4), low);
	b = _mm512_and_si512(_mm512_srli_epi16(b, 4), low);
	_mm512_store_si512(s->min, _mm512_ternarylogic_epi64(_mm512_slli_epi16(h, 2), high, a, 0xea));
	_mm512_store_si512(s->min + 64, _mm512_ternarylogic_epi64(_mm512_srli_epi16(h, 2), high, b, 0xea));
}

AVX512_INLINE __m512 load_u8(const uint8_t *p)
{
	return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)p)));
}

AVX512_INLINE __m512 load_s8(const uint8_t *p)
{
	return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_load_si128((const __m128i *)p)));
}

/* load_scales gives group g's scale d and second value m: the minimum to add, or
 * in Q6_K the scale of the second half. p: the tile's scales; s: state kept over
 * the 8 groups of a block, loaded when g is a multiple of 8. */
AVX512_INLINE void load_scales(int scaling, const uint8_t *p, int64_t g, struct k_scales *s, __m512 *d, __m512 *m)
{
	int64_t block = g / 8, i = g % 8;
	switch (scaling) {
	case SCALE_OFFSET:
		*d = load_f16(p + 32 * g);
		*m = _mm512_setzero_ps();
		return;
	case SCALE_MIN:
		*d = load_f16(p + 64 * g);
		*m = load_f16(p + 64 * g + 32);
		return;
	case SCALE_K:
		if (i == 0)
			load_k_scales(p + 256 * block, s);
		*d = _mm512_mul_ps(s->d, load_u8(s->scale + 16 * i));
		*m = _mm512_mul_ps(s->m, load_u8(s->min + 16 * i));
		return;
	default: /* SCALE_Q6K */
		p += 288 * block;
		if (i == 0)
			s->d = load_f16(p);
		*d = _mm512_mul_ps(s->d, load_s8(p + 32 + 32 * i));
		*m = _mm512_mul_ps(s->d, load_s8(p + 48 + 32 * i));
	}
}

/* bcast4 repeats four activations in all lanes. */
AVX512_INLINE __m512i bcast4(const int8_t *q)
{
	int32_t v;
	__builtin_memcpy(&v, q, 4);
	return _mm512_set1_epi32(v);
}

/* finish writes acc to the outputs of one token and up to 16 rows. */
AVX512_INLINE void finish(const struct matmul_args *a, int64_t t, int64_t r, __m512 acc)
{
	int64_t left = a->rows - r;
	__mmask16 live = left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1);
	float *y = a->y + t * a->ldy + r;
	if (a->bias)
		acc = _mm512_add_ps(acc, _mm512_maskz_loadu_ps(live, a->bias + r));
	if (a->add)
		acc = _mm512_add_ps(_mm512_maskz_loadu_ps(live, y), acc);
	_mm512_mask_storeu_ps(y, live, acc);
}

/* minus_base is -DOT_FLOAT * d. */
AVX512_INLINE __m512 minus_base(__m512 d)
{
	return _mm512_mul_ps(_mm512_set1_ps(-DOT_FLOAT), d);
}

/* How far ahead weights are fetched when they are streamed. */
enum {
	FAR = 8192,           /* bytes to prefetch ahead into L2 in decode, */
	NEAR = 2048,          /* and into L1: L2 can wait for more lines at a time */
	SCALES_AHEAD = 32,    /* groups whose scales are prefetched ahead: a few lines, into L1 at once */
};

/* Prefill unpacks CHUNK groups of a pair of tiles to L1 and multiplies them by a block of
 * tokens, STEP at a time. */
enum {
	CHUNK = 16,           /* groups of 32 unpacked at a time: 2 tiles x 8 KiB */
	BLOCK_TOKENS = 258,   /* the most tokens that share one unpacking: 43 steps */
	BLOCK_BYTES = 2400000, /* of activations that are read again for each pair of tiles: about L2 */
	STEP = 6,             /* tokens of one register tile */
	FAR_STEPS = 4         /* with more, arithmetic takes longer than memory */
};

/* ahead is what to prefetch while the present chunk is multiplied. */
struct ahead {
	const uint8_t *w; /* the next lines of the first tile's integers; the second's are stride on */
	int64_t stride;
	int64_t lines;    /* still to come, per tile */
	int64_t per_group;
	float *y;         /* outputs to fetch for writing, NULL before the last chunk */
	int far;          /* also fetch the same of the next pair into L2 */
};

/* look_ahead points at the integers that follow groups [.., g1) of the pair at r, and
 * prefetches the scales beside them. steps: of multiply, to spread the rest over.
 * Behind the last group stand the outputs: written cold they cost 8 % of the time. */
AVX512_INLINE struct ahead look_ahead(const struct matmul_args *a, int codec, int scaling, int64_t r, int64_t g1, int64_t steps)
{
	const int64_t lines = CHUNK * group_bytes(codec) / 64, scale_bytes = CHUNK * group_scale_bytes(scaling);
	float *y = NULL;
	if (g1 == a->k / GROUP) {
		y = a->y + r;
		r += 2 * ROW_TILE;
		g1 = 0;
	}
	const uint8_t *tile = a->w + r / ROW_TILE * a->tile_bytes, *scales = tile + a->quant_bytes + g1 * group_scale_bytes(scaling);
	for (int64_t i = 0; i < scale_bytes; i += 64) {
		_mm_prefetch((const char *)scales + i, _MM_HINT_T0);
		_mm_prefetch((const char *)scales + a->tile_bytes + i, _MM_HINT_T0);
	}
	const int64_t turns = CHUNK * steps;
	return (struct ahead){tile + g1 * group_bytes(codec), a->tile_bytes, r < a->rows ? lines : 0, (lines + turns - 1) / turns, y, steps <= FAR_STEPS};
}

/* block_tokens splits the tokens into even blocks that are whole steps. */
AVX512_INLINE int64_t block_tokens(const struct matmul_args *a)
{
	int64_t most = BLOCK_BYTES / a->k / STEP * STEP;
	most = most < STEP ? STEP : most > BLOCK_TOKENS ? BLOCK_TOKENS : most;
	const int64_t blocks = (a->tokens + most - 1) / most;
	return ((a->tokens + blocks - 1) / blocks + STEP - 1) / STEP * STEP;
}

/* start gives DOT_BASE - offset * sum from DOT_BASE - 128 * sum, exactly: offset is
 * a power of two. */
AVX512_INLINE __m512i start(int codec, int32_t start128)
{
	const int shift = codec == CODEC_8 ? 0 : codec == CODEC_6 ? 2 : codec == CODEC_5 ? 3 : 4;
	return _mm512_set1_epi32(DOT_BASE + ((start128 - DOT_BASE) >> shift));
}

/* prefetch_group fetches what a streaming loop will need some groups after g, whose
 * integers are at w; behind the end of a tile it goes on skip bytes further. In a tile integers and scales follow each other, so what lies beyond the
 * last group is in the next tile, behind the other kind. Without its scales fetched in
 * time each tile of 1,536 columns starts with a wait of a tenth of its time. */
AVX512_INLINE void prefetch_group(const struct matmul_args *a, int codec, int scaling, const uint8_t *w, const uint8_t *scales, int64_t g, int64_t skip)
{
	const int64_t groups = a->k / GROUP, bytes = group_bytes(codec), left = a->quant_bytes - g * bytes;
	const int64_t scale_bytes = a->tile_bytes - a->quant_bytes, ahead = groups < SCALES_AHEAD ? groups : SCALES_AHEAD;
	const char *far = (const char *)w + FAR + (left <= FAR ? scale_bytes + skip : 0);
	const char *near = (const char *)w + NEAR + (left <= NEAR ? scale_bytes + skip : 0);
#pragma GCC unroll 8
	for (int j = 0; j < bytes / 64; j++) {
		_mm_prefetch(far + 64 * j, _MM_HINT_T1);
		_mm_prefetch(near + 64 * j, _MM_HINT_T0);
	}
	const char *next = (const char *)scales + group_scale_bytes(scaling) * (g + ahead);
	_mm_prefetch(next + (g + ahead >= groups ? a->quant_bytes + skip : 0), _MM_HINT_T0);
}

#endif

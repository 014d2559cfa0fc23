/* A page in 8 bits, in the order that vpdpbusd takes: four elements of a sum side by side. */
#ifndef WINDOWSEAT_QUADS_AVX512_H
#define WINDOWSEAT_QUADS_AVX512_H

#include "attn_avx512_amd64.h"

/* quads is a page in 8 bits. */
struct quads {
	int8_t k[MAX_HEAD_DIM * PAGE_TOKENS] __attribute__((aligned(64))); /* [head_dim/4][64][4] K */
	int8_t v[PAGE_TOKENS * MAX_HEAD_DIM] __attribute__((aligned(64))); /* [16][head_dim][4] V */
	int32_t start[PAGE_TOKENS] __attribute__((aligned(64)));           /* -128 times the sum of a position's K */
	float k_scale[MAX_HEAD_DIM] __attribute__((aligned(64)));
	float k_mid[MAX_HEAD_DIM] __attribute__((aligned(64)));
	float v_scale[PAGE_TOKENS] __attribute__((aligned(64)));
};

/* larger is max(top, |x|), and top if x is NaN. */
AVX512_INLINE __m512 larger(__m512 top, __m512 x)
{
	return _mm512_range_ps(top, x, 0x0b);
}

/* dot adds four products u*s per lane; in assembler, or GCC spills the sums. */
AVX512_INLINE void dot(__m512i *sum, __m512i u, __m512i s)
{
	__asm__("vpdpbusd %2, %1, %0" : "+v"(*sum) : "v"(u), "v"(s));
}

/* not_finite is a mask of the lanes that hold infinities and NaN. */
AVX512_INLINE __mmask16 not_finite(__m512 x)
{
	return _mm512_fpclass_ps_mask(x, 0x99);
}

/* load_quanta loads elements i.. of a page in 8 bits. */
AVX512_INLINE __m512i load_quanta(const void *p, int64_t i)
{
	return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)((const int8_t *)p + i)));
}

/* quanta rounds (x - mid) * inverse, or gives 0 where inverse is 0. */
AVX512_INLINE __m512i quanta(__m512 x, float mid, float inverse)
{
	const __mmask16 live = inverse > 0 ? 0xffff : 0;
	return _mm512_maskz_cvtps_epi32(live, _mm512_mul_ps(_mm512_sub_ps(x, _mm512_set1_ps(mid)), _mm512_set1_ps(inverse)));
}

/* inverses is 1/scale where quanta of that scale are of use, else 0. */
AVX512_INLINE __m512 inverses(__m512 scale)
{
	const __m512 inverse = _mm512_div_ps(_mm512_set1_ps(1), scale);
	const __mmask16 usable = _mm512_cmp_ps_mask(scale, _mm512_setzero_ps(), _CMP_GT_OQ) & ~not_finite(inverse);
	return _mm512_maskz_mov_ps(usable, inverse);
}

/* join puts the low byte of each lane at byte c of quad. */
AVX512_INLINE __m512i join(__m512i quad, __m512i lanes, int c)
{
	return _mm512_or_si512(quad, _mm512_slli_epi32(_mm512_and_si512(lanes, _mm512_set1_epi32(255)), 8 * c));
}

/* pack_scales finds the scales and offsets of 16 channels from d as PackKV does. */
AVX512_INLINE void pack_scales(struct quads *out, const uint16_t *k, int64_t d, float inverse[16])
{
	__m512 low[16], high[16];
	__mmask16 dead = 0;
	for (int c = 0; c < 16; c++) {
		__mmask16 odd = 0;
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++) {
			__m512 x = load_f16(k + (d + c) * PAGE_TOKENS + 16 * e);
			odd |= not_finite(x);
			low[c] = e == 0 ? x : _mm512_min_ps(low[c], x);
			high[c] = e == 0 ? x : _mm512_max_ps(high[c], x);
		}
		low[c] = _mm512_sub_ps(_mm512_setzero_ps(), low[c]);
		dead |= (__mmask16)((odd != 0) << c);
	}
	const __m512 lowest = _mm512_sub_ps(_mm512_setzero_ps(), trees(low, 1)), highest = trees(high, 1), half = _mm512_set1_ps(0.5f);
	const __m512 mid = _mm512_mul_ps(_mm512_add_ps(highest, lowest), half);
	const __m512 scale = _mm512_div_ps(_mm512_mul_ps(_mm512_sub_ps(highest, lowest), half), _mm512_set1_ps(127));
	_mm512_store_ps(out->k_mid + d, _mm512_mask_mov_ps(mid, dead, _mm512_set1_ps(NAN)));
	_mm512_store_ps(out->k_scale + d, _mm512_maskz_mov_ps((__mmask16)~dead, scale));
	_mm512_store_ps(inverse, inverses(_mm512_maskz_mov_ps((__mmask16)~dead, scale)));
}

/* pack_quad joins the quanta of four channels from d. */
AVX512_INLINE void pack_quad(const struct quads *out, const struct attn_page *p, int64_t d, const float *inverse, int form, __m512i quad[4])
{
#pragma GCC unroll 4
	for (int e = 0; e < 4; e++)
		quad[e] = _mm512_setzero_si512();
#pragma GCC unroll 4
	for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
		for (int e = 0; e < 4; e++) {
			const int64_t at = (d + c) * PAGE_TOKENS + 16 * e;
			quad[e] = join(quad[e], form == FORM_F16 ? quanta(load_f16((const uint16_t *)p->k + at), out->k_mid[d + c], inverse[c]) : load_quanta(p->k, at), c);
		}
}

/* pack_keys fills the keys of a page; form is that of p. */
AVX512_INLINE void pack_keys(struct quads *out, const struct attn_page *p, int64_t head_dim, int form)
{
	__m512i sum[4];
#pragma GCC unroll 4
	for (int e = 0; e < 4; e++)
		sum[e] = _mm512_setzero_si512();
	for (int64_t d = 0; d < head_dim; d += 16) {
		float inverse[16] __attribute__((aligned(64)));
		if (form == FORM_F16)
			pack_scales(out, p->k, d, inverse);
		for (int c = 0; c < 16; c += 4) {
			__m512i quad[4];
			pack_quad(out, p, d + c, inverse + c, form, quad);
#pragma GCC unroll 4
			for (int e = 0; e < 4; e++) {
				_mm512_store_si512(out->k + (d + c) * PAGE_TOKENS + 64 * e, quad[e]);
				dot(&sum[e], _mm512_set1_epi8(-128), quad[e]);
			}
		}
	}
#pragma GCC unroll 4
	for (int e = 0; e < 4; e++)
		_mm512_store_si512(out->start + 16 * e, _mm512_sub_epi32(_mm512_setzero_si512(), sum[e]));
}

/* value_scales is VScale of PackKV for the 16 vectors from position j. */
AVX512_INLINE void value_scales(struct quads *out, const uint16_t *v, int64_t j, int64_t head_dim, int64_t stride, float inverse[16])
{
	__m512 most[16];
	__mmask16 dead = 0;
	for (int c = 0; c < 16; c++) {
		__mmask16 odd = 0;
		most[c] = _mm512_setzero_ps();
		for (int64_t d = 0; d < head_dim; d += 16) {
			__m512 x = load_f16(v + (j + c) * stride + d);
			odd |= not_finite(x);
			most[c] = larger(most[c], x);
		}
		dead |= (__mmask16)((odd != 0) << c);
	}
	const __m512 scale = _mm512_div_ps(trees(most, 1), _mm512_set1_ps(127));
	_mm512_store_ps(out->v_scale + j, _mm512_mask_mov_ps(scale, dead, _mm512_set1_ps(INFINITY)));
	_mm512_store_ps(inverse, inverses(_mm512_maskz_mov_ps((__mmask16)~dead, scale)));
}

/* pack_values fills the values of a page; form is that of p. */
AVX512_INLINE void pack_values(struct quads *out, const struct attn_page *p, int64_t head_dim, int64_t stride, int form)
{
	float inverse[PAGE_TOKENS] __attribute__((aligned(64)));
	for (int64_t j = 0; form == FORM_F16 && j < PAGE_TOKENS; j += 16)
		value_scales(out, p->v, j, head_dim, stride, inverse + j);
	for (int64_t j = 0; j < PAGE_TOKENS; j += 4)
		for (int64_t d = 0; d < head_dim; d += 16) {
			__m512i quad = _mm512_setzero_si512();
#pragma GCC unroll 4
			for (int c = 0; c < 4; c++) {
				const int64_t at = (j + c) * stride + d;
				quad = join(quad, form == FORM_F16 ? quanta(load_f16((const uint16_t *)p->v + at), 0, inverse[j + c]) : load_quanta(p->v, at), c);
			}
			_mm512_store_si512(out->v + j * head_dim + 4 * d, quad);
		}
}

AVX512 static __attribute__((noinline)) void pack_f16(struct quads *out, const struct attn_page *p, int64_t head_dim, int64_t stride)
{
	pack_keys(out, p, head_dim, FORM_F16);
	pack_values(out, p, head_dim, stride, FORM_F16);
}

AVX512 static __attribute__((noinline)) void pack_s8(struct quads *out, const struct attn_page *p, int64_t head_dim, int64_t stride)
{
	pack_keys(out, p, head_dim, FORM_S8);
	pack_values(out, p, head_dim, stride, FORM_S8);
	memcpy(out->k_scale, p->k_scale, head_dim * sizeof(float));
	memcpy(out->k_mid, p->k_mid, head_dim * sizeof(float));
	memcpy(out->v_scale, p->v_scale, PAGE_TOKENS * sizeof(float));
}

#endif

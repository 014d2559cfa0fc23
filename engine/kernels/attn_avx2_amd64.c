/* Attention over KV pages, RoPE and StoreKV: see the wrappers in attn.go.
 *
 * The same scheme as in attn_avx512_amd64.c, with 16 registers: tiles of up to 6
 * query rows by 16 positions, or by 16 elements of the output. With many rows a page
 * is converted to f32 once for all tiles. */
#include "attn_avx2_amd64.h"

AVX2 void attn_block_avx2(struct attn_args a)
{
	clear_rows(&a);
	for (int64_t page = 0; page * PAGE_TOKENS < a.p1 - a.p0; page++)
		attn_page_fine(&a, page, 0, a.n_queries * a.group);
}

AVX2 void attn_merge_avx2(struct merge_args a)
{
	const int64_t rows = a.n_queries * a.group;
	for (int64_t r = 0; r < rows; r++) {
		float top = -INFINITY, l = 0;
		for (int64_t b = 0; b < a.n_blocks; b++)
			top = a.m[b * rows + r] > top ? a.m[b * rows + r] : top;
		float *out = a.out + a.rows[r / a.group] * a.out_stride + r % a.group * a.head_dim;
		for (int64_t b = 0; b < a.n_blocks; b++) {
			const int64_t at = b * rows + r;
			__m256 e = exp8(_mm256_set1_ps(a.m[at] - top));
			l = fmaf(a.l[at], _mm256_cvtss_f32(e), l);
			for (int64_t d = 0; d < a.head_dim; d += 8) {
				__m256 o = b == 0 ? _mm256_setzero_ps() : _mm256_loadu_ps(out + d);
				o = _mm256_fmadd_ps(_mm256_loadu_ps(a.o + at * a.head_dim + d), e, o);
				_mm256_storeu_ps(out + d, o);
			}
		}
		for (int64_t d = 0; d < a.head_dim; d += 8)
			_mm256_storeu_ps(out + d, _mm256_div_ps(_mm256_loadu_ps(out + d), _mm256_set1_ps(l)));
	}
}

/* rope_pair rotates one pair in place. */
AVX2_INLINE void rope_pair(float *p, float *q, float c, float s)
{
	const float u = *p, v = *q;
	*p = fmaf(u, c, -(v * s));
	*q = fmaf(u, s, v * c);
}

AVX2 void rope_avx2(struct rope_args a)
{
	for (int64_t h = 0; h < a.n_heads; h++) {
		float *x = a.x + h * a.head_dim;
		int64_t i = 0;
		for (; !a.interleaved && i + 8 <= a.rot_half; i += 8) {
			__m256 c = _mm256_loadu_ps(a.cos + i), s = _mm256_loadu_ps(a.sin + i);
			__m256 u = _mm256_loadu_ps(x + i), v = _mm256_loadu_ps(x + a.rot_half + i);
			_mm256_storeu_ps(x + i, _mm256_fmsub_ps(u, c, _mm256_mul_ps(v, s)));
			_mm256_storeu_ps(x + a.rot_half + i, _mm256_fmadd_ps(u, s, _mm256_mul_ps(v, c)));
		}
		for (; i < a.rot_half; i++) {
			if (a.interleaved)
				rope_pair(x + 2 * i, x + 2 * i + 1, a.cos[i], a.sin[i]);
			else
				rope_pair(x + i, x + a.rot_half + i, a.cos[i], a.sin[i]);
		}
	}
}

/* store_kv_avx2: k, v [n]; k_page + 64*i and v_page + i are where element i goes. */
AVX2 void store_kv_avx2(uint16_t *k_page, uint16_t *v_page, const float *k, const float *v, int64_t n)
{
	uint16_t h[8];
	for (int64_t i = 0; i < n; i += 8) {
		_mm_storeu_si128((__m128i *)(v_page + i), _mm256_cvtps_ph(_mm256_loadu_ps(v + i), _MM_FROUND_TO_NEAREST_INT));
		_mm_storeu_si128((__m128i *)h, _mm256_cvtps_ph(_mm256_loadu_ps(k + i), _MM_FROUND_TO_NEAREST_INT));
		for (int j = 0; j < 8; j++)
			k_page[(i + j) * PAGE_TOKENS] = h[j];
	}
}

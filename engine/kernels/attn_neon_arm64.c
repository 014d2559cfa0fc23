/* Attention, RoPE and StoreKV with NEON: see attn_loops.h. Of the 32 registers a tile
 * of 6 rows takes 24, and a row of K or V 4. */
#include "simd_neon_arm64.h"

#include "attn_loops.h"

void attn_block_neon(struct attn_args a)
{
	attn_block(&a);
}

void attn_merge_neon(struct merge_args a)
{
	attn_merge(&a);
}

void rope_neon(struct rope_args a)
{
	rope(&a);
}

void store_kv_neon(uint16_t *k_page, uint16_t *v_page, const float *k, const float *v, int64_t n)
{
	store_kv(k_page, v_page, k, v, n);
}

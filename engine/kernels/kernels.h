/* Prototypes of the C kernels. Go owns all memory and has checked all lengths;
 * every function is a leaf: no allocation, no threads, no state. The formulas are
 * in the comments of the Go wrappers, and the results equal those of ref.go bit
 * for bit. Shapes as in Go, row-major. */
#ifndef WINDOWSEAT_KERNELS_H
#define WINDOWSEAT_KERNELS_H

#include <stdint.h>

/* KERNEL_TARGET sets the instruction set of one function; the package's flags set none. */
#define KERNEL_TARGET(isa) __attribute__((target(isa)))

/* Values of Codec and Scaling in pack.go. */
enum { CODEC_4, CODEC_5, CODEC_6, CODEC_8, CODEC_F16, CODEC_F32 };
enum { GRAIN_FINE, GRAIN_MEDIUM, GRAIN_COARSE }; /* Grain in grain.go */
enum { SCALE_OFFSET, SCALE_MIN, SCALE_K, SCALE_Q6K, SCALE_NONE };

enum { GROUP = 32, COARSE = 128, ROW_TILE = 16, PAGE_TOKENS = 64, SPLIT_PAGES = 8, MAX_HEAD_DIM = 256 };

/* Exp32, see ref.go. */
#define EXP_LOW (-87.0f)
#define EXP_HIGH 88.0f
#define LOG2E 1.44269504f
#define LN2_HIGH 0x1.62e4p-1f
#define LN2_LOW 1.428606765330187e-06f
#define EXP_E2 0x1.fffffcp-2f
#define EXP_E3 0x1.555492p-3f
#define EXP_E4 0x1.5558f4p-5f
#define EXP_E5 0x1.123a2p-7f
#define EXP_E6 0x1.6a23c6p-10f

/* Groups of activations below this count as zero, see acts.go. */
#define TINY_GROUP 0x1p-100f

/* Bits of the float DOT_FLOAT = 1.5 * 2^23: dot products start there, so that their
 * end read as a float is DOT_FLOAT + dot, see acts.go. */
#define DOT_BASE 0x4b400000
#define DOT_FLOAT 12582912.0f

/* Operands of MatMul; activations and y start at token T0, w, y and bias at row R0. */
struct matmul_args {
	const uint8_t *w;       /* [ceil(rows/16), tile_bytes] */
	int64_t tile_bytes;     /* multiple of 64 */
	int64_t quant_bytes;    /* integers of a tile; its scales follow */
	int64_t k;              /* multiple of 32 */
	const int8_t *q;        /* [tokens, k] */
	const float *scale;     /* [tokens, k/32] */
	const float *scale_sum; /* [tokens, k/32] */
	const int32_t *start16; /* [tokens, k/16] DOT_BASE - 128 * sum of q */
	const int32_t *start32; /* [tokens, k/32] the same per group */
	float *y;               /* [tokens, ldy] */
	int64_t ldy;
	const float *bias; /* [rows] or NULL */
	int64_t tokens;
	int64_t rows;
	int32_t codec, scaling;
	int32_t offset; /* subtracted from the integers: a power of two, or 0 */
	int32_t add;
};

/* Where quantized rows go; all fields start at the first row to write. */
struct acts {
	int8_t *q;       /* [rows, k] */
	float *scale;    /* [rows, k/32] */
	float *scale_sum;
	int32_t *sum;    /* [rows, k/16] */
	int32_t *start16; /* [rows, k/16] */
	int32_t *start32; /* [rows, k/32] */
	int64_t k;
	int64_t rows;
};

/* A page of AttnBlock from the KV head on: f16, or with scales int8. */
struct attn_page {
	const void *k;                /* [head_dim, 64] */
	const void *v;                /* [64] rows of head_dim, v_stride apart */
	const float *k_scale, *k_mid; /* [head_dim], NULL in f16 */
	const float *v_scale;         /* [64], NULL in f16 */
};

/* Operands of AttnBlock. */
struct attn_args {
	struct attn_page page[SPLIT_PAGES];
	int64_t v_stride; /* elements */
	int64_t p0, p1;
	int64_t n_queries, group, head_dim;
	const float *q; /* first of the group's query heads in row 0 */
	int64_t q_stride;
	const int32_t *rows; /* [n_queries] */
	const int32_t *pos;  /* [n_queries] */
	float *o;            /* [n_queries, group, head_dim] */
	float *m, *l;        /* [n_queries, group] */
	float scale;
	int32_t coarse; /* of avx512; avxvnni has a function of its own */
};

/* behind reports whether a query has the whole page behind it, so that its own is another. */
static inline int behind(const struct attn_args *a, int64_t page, int64_t query)
{
	const int64_t end = a->p0 + (page + 1) * PAGE_TOKENS;
	return end <= a->p1 && end <= a->pos[query];
}

/* same_side returns the end of the queries from number from for which behind is the same. */
static inline int64_t same_side(const struct attn_args *a, int64_t page, int64_t from)
{
	int64_t to = from + 1;
	while (to < a->n_queries && behind(a, page, to) == behind(a, page, from))
		to++;
	return to;
}

/* Operands of AttnMerge. */
struct merge_args {
	const float *o;      /* [n_blocks, n_queries, group, head_dim] */
	const float *m, *l;  /* [n_blocks, n_queries, group] */
	const int32_t *rows; /* [n_queries] */
	float *out;          /* first of the group's heads in row 0 */
	int64_t out_stride;
	int64_t n_blocks, n_queries, group, head_dim;
};

/* Operands of RoPE. */
struct rope_args {
	float *x; /* [n_heads, head_dim] */
	int64_t n_heads, head_dim, rot_half;
	const float *cos, *sin; /* [rot_half] */
	int32_t interleaved;
};

void matmul_avx512(struct matmul_args a);
void quantize_avx512(struct acts dst, const float *x);
void rmsnorm_avx512(float *dst, const float *x, const float *w, int64_t n, float eps);
void rmsnorm_quantize_avx512(struct acts dst, const float *x, const float *w, float eps);
void swiglu_quantize_avx512(struct acts dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx);
void exp_avx512(float *dst, const float *x, int64_t n);
void rope_avx512(struct rope_args a);
void store_kv_avx512(uint16_t *k_page, uint16_t *v_page, const float *k, const float *v, int64_t n);
void attn_block_avx512(struct attn_args a);
void attn_merge_avx512(struct merge_args a);

/* Coarse rows: their scale and start32 are [rows, k/128] in rows of k/32. */
void coarse_matmul_avx512(struct matmul_args a);
void coarse_quantize_avx512(struct acts dst, const float *x);
void coarse_rmsnorm_avx512(struct acts dst, const float *x, const float *w, float eps);
void coarse_swiglu_avx512(struct acts dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx);

/* What the machine gives at most, see peak_avx512_amd64.c. */
int32_t peak_dot_avx512(int64_t n);
float peak_fma_avx512(int64_t n);
int32_t peak_read_avx512(const uint8_t *p, int64_t n);

void matmul_avx2(struct matmul_args a);
void quantize_avx2(struct acts dst, const float *x);
void rmsnorm_avx2(float *dst, const float *x, const float *w, int64_t n, float eps);
void rmsnorm_quantize_avx2(struct acts dst, const float *x, const float *w, float eps);
void swiglu_quantize_avx2(struct acts dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx);
void exp_avx2(float *dst, const float *x, int64_t n);
void rope_avx2(struct rope_args a);
void store_kv_avx2(uint16_t *k_page, uint16_t *v_page, const float *k, const float *v, int64_t n);
void attn_block_avx2(struct attn_args a);
void attn_merge_avx2(struct merge_args a);

/* Rows in groups of 128, medium or coarse; scale and start32 are [rows, k/128] in rows of
 * k/32, and the rest is as in fine ones. */
void medium_matmul_avx2(struct matmul_args a);
void wide_quantize_avx2(struct acts dst, int32_t grain, const float *x);
void wide_rmsnorm_avx2(struct acts dst, int32_t grain, const float *x, const float *w, float eps);
void wide_swiglu_avx2(struct acts dst, int32_t grain, int64_t row_groups, const float *gate, const float *up, int64_t ldx);

int32_t peak_dot_avx2(int64_t n);
int32_t peak_read_avx2(const uint8_t *p, int64_t n);

void matmul_avxvnni(struct matmul_args a); /* all else is as in avx2 */
void coarse_matmul_avxvnni(struct matmul_args a);
void attn_coarse_avxvnni(struct attn_args a);
int32_t peak_dot_avxvnni(int64_t n);

void matmul_neon(struct matmul_args a);
void quantize_neon(struct acts dst, const float *x);
void rmsnorm_neon(float *dst, const float *x, const float *w, int64_t n, float eps);
void rmsnorm_quantize_neon(struct acts dst, const float *x, const float *w, float eps);
void swiglu_quantize_neon(struct acts dst, int64_t row_groups, const float *gate, const float *up, int64_t ldx);
void exp_neon(float *dst, const float *x, int64_t n);
void rope_neon(struct rope_args a);
void store_kv_neon(uint16_t *k_page, uint16_t *v_page, const float *k, const float *v, int64_t n);
void attn_block_neon(struct attn_args a);
void attn_merge_neon(struct merge_args a);
int32_t peak_dot_neon(int64_t n);
int32_t peak_read_neon(const uint8_t *p, int64_t n);

void matmul_neondot(struct matmul_args a); /* all else is as in neon */
int32_t peak_dot_neondot(int64_t n);

void matmul_neoni8mm(struct matmul_args a); /* all else is as in neon */
int32_t peak_dot_neoni8mm(int64_t n);

#endif

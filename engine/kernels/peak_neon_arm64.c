/* What the machine can do at most with NEON, see peak_avx512_amd64.c. */
#include "simd_neon_arm64.h"

/* peak_dot_neon: n rounds of 128 times 8 int8 products, added up in int16 as
 * matmul_neon_arm64.c does, operands in registers. 1,024 multiply-adds per round. */
int32_t peak_dot_neon(int64_t n)
{
	int16x8_t acc[16];
	int8x16_t a = vdupq_n_s8(1), b = vdupq_n_s8(2);
	for (int i = 0; i < 16; i++)
		acc[i] = vdupq_n_s16((int16_t)i);
	for (int64_t r = 0; r < 8 * n; r++) {
		for (int i = 0; i < 16; i++)
			acc[i] = vmlal_s8(acc[i], vget_low_s8(a), vget_low_s8(b));
		__asm__ volatile("" : "+w"(a), "+w"(b));
	}
	for (int i = 1; i < 16; i++)
		acc[0] = vaddq_s16(acc[0], acc[i]);
	return vaddvq_s16(acc[0]);
}

/* peak_dot_neondot: the same with the dot-product extension. */
KERNEL_TARGET("arch=armv8.2-a+dotprod") int32_t peak_dot_neondot(int64_t n)
{
	int32x4_t acc[16];
	int8x16_t a = vdupq_n_s8(1), b = vdupq_n_s8(2);
	for (int i = 0; i < 16; i++)
		acc[i] = vdupq_n_s32(i);
	for (int64_t r = 0; r < 4 * n; r++) {
		for (int i = 0; i < 16; i++)
			acc[i] = vdotq_s32(acc[i], a, b);
		__asm__ volatile("" : "+w"(a), "+w"(b));
	}
	for (int i = 1; i < 16; i++)
		acc[0] = vaddq_s32(acc[0], acc[i]);
	return vaddvq_s32(acc[0]);
}

/* peak_dot_neoni8mm: the same with the matrix-multiply extension. */
KERNEL_TARGET("arch=armv8.2-a+dotprod+i8mm") int32_t peak_dot_neoni8mm(int64_t n)
{
	int32x4_t acc[16];
	int8x16_t a = vdupq_n_s8(1), b = vdupq_n_s8(2);
	for (int i = 0; i < 16; i++)
		acc[i] = vdupq_n_s32(i);
	for (int64_t r = 0; r < 2 * n; r++) {
		for (int i = 0; i < 16; i++)
			acc[i] = vmmlaq_s32(acc[i], a, b);
		__asm__ volatile("" : "+w"(a), "+w"(b));
	}
	for (int i = 1; i < 16; i++)
		acc[0] = vaddq_s32(acc[0], acc[i]);
	return vaddvq_s32(acc[0]);
}

/* peak_read_neon reads n bytes, a multiple of 64, at p. */
int32_t peak_read_neon(const uint8_t *p, int64_t n)
{
	uint8x16_t a = vdupq_n_u8(0), b = a, c = a, d = a;
	for (int64_t i = 0; i < n; i += 64) {
		a = veorq_u8(a, vld1q_u8(p + i));
		b = veorq_u8(b, vld1q_u8(p + i + 16));
		c = veorq_u8(c, vld1q_u8(p + i + 32));
		d = veorq_u8(d, vld1q_u8(p + i + 48));
	}
	return vaddvq_u8(veorq_u8(veorq_u8(a, b), veorq_u8(c, d)));
}

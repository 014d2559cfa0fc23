/* What all NEON kernels share: sixteen floats in four registers, with the operations
 * that acts_loops.h and attn_loops.h are written over. ARMv8.0, so every arm64
 * processor runs it. */
#ifndef WINDOWSEAT_SIMD_NEON_H
#define WINDOWSEAT_SIMD_NEON_H

#include <arm_neon.h>

#include "kernels.h"

/* Clang would fuse the a*b+c of one expression; GCC does not under -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define VEC
#define VEC_INLINE static inline __attribute__((always_inline))

/* vec is sixteen floats: lane i is q[i/4][i%4]. */
typedef struct {
	float32x4_t q[4];
} vec;

VEC_INLINE vec vec_load(const float *p)
{
	return (vec){{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}};
}

VEC_INLINE void vec_store(float *p, vec x)
{
	vst1q_f32(p, x.q[0]);
	vst1q_f32(p + 4, x.q[1]);
	vst1q_f32(p + 8, x.q[2]);
	vst1q_f32(p + 12, x.q[3]);
}

VEC_INLINE vec vec_load_f16(const uint16_t *p)
{
	float16x8_t a = vreinterpretq_f16_u16(vld1q_u16(p)), b = vreinterpretq_f16_u16(vld1q_u16(p + 8));
	return (vec){{vcvt_f32_f16(vget_low_f16(a)), vcvt_high_f32_f16(a), vcvt_f32_f16(vget_low_f16(b)), vcvt_high_f32_f16(b)}};
}

VEC_INLINE void vec_store_f16(uint16_t *p, vec x)
{
	vst1q_u16(p, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(x.q[0]), x.q[1])));
	vst1q_u16(p + 8, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(x.q[2]), x.q[3])));
}

/* vec_from_s16 gives sixteen integers as floats. */
VEC_INLINE vec vec_from_s16(int16x8_t low, int16x8_t high)
{
	return (vec){{
		vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))), vcvtq_f32_s32(vmovl_high_s16(low)),
		vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))), vcvtq_f32_s32(vmovl_high_s16(high)),
	}};
}

VEC_INLINE vec vec_load_s8(const int8_t *p)
{
	int8x16_t b = vld1q_s8(p);
	return vec_from_s16(vmovl_s8(vget_low_s8(b)), vmovl_high_s8(b));
}

VEC_INLINE vec vec_splat(float x)
{
	float32x4_t v = vdupq_n_f32(x);
	return (vec){{v, v, v, v}};
}

VEC_INLINE vec vec_neg(vec x)
{
	return (vec){{vnegq_f32(x.q[0]), vnegq_f32(x.q[1]), vnegq_f32(x.q[2]), vnegq_f32(x.q[3])}};
}

VEC_INLINE vec vec_abs(vec x)
{
	return (vec){{vabsq_f32(x.q[0]), vabsq_f32(x.q[1]), vabsq_f32(x.q[2]), vabsq_f32(x.q[3])}};
}

VEC_INLINE vec vec_add(vec x, vec y)
{
	return (vec){{vaddq_f32(x.q[0], y.q[0]), vaddq_f32(x.q[1], y.q[1]), vaddq_f32(x.q[2], y.q[2]), vaddq_f32(x.q[3], y.q[3])}};
}

VEC_INLINE vec vec_sub(vec x, vec y)
{
	return (vec){{vsubq_f32(x.q[0], y.q[0]), vsubq_f32(x.q[1], y.q[1]), vsubq_f32(x.q[2], y.q[2]), vsubq_f32(x.q[3], y.q[3])}};
}

VEC_INLINE vec vec_mul(vec x, vec y)
{
	return (vec){{vmulq_f32(x.q[0], y.q[0]), vmulq_f32(x.q[1], y.q[1]), vmulq_f32(x.q[2], y.q[2]), vmulq_f32(x.q[3], y.q[3])}};
}

VEC_INLINE vec vec_div(vec x, vec y)
{
	return (vec){{vdivq_f32(x.q[0], y.q[0]), vdivq_f32(x.q[1], y.q[1]), vdivq_f32(x.q[2], y.q[2]), vdivq_f32(x.q[3], y.q[3])}};
}

/* vec_fma is x*y + z, rounded once. */
VEC_INLINE vec vec_fma(vec x, vec y, vec z)
{
	return (vec){{vfmaq_f32(z.q[0], x.q[0], y.q[0]), vfmaq_f32(z.q[1], x.q[1], y.q[1]), vfmaq_f32(z.q[2], x.q[2], y.q[2]), vfmaq_f32(z.q[3], x.q[3], y.q[3])}};
}

/* greater4 is y where y > x, else x: also where one is NaN, unlike fmax. */
VEC_INLINE float32x4_t greater4(float32x4_t x, float32x4_t y)
{
	return vbslq_f32(vcgtq_f32(y, x), y, x);
}

VEC_INLINE vec vec_greater(vec x, vec y)
{
	return (vec){{greater4(x.q[0], y.q[0]), greater4(x.q[1], y.q[1]), greater4(x.q[2], y.q[2]), greater4(x.q[3], y.q[3])}};
}

/* vec_first is x in the first n lanes (n <= 0: none, n >= 16: all), y in the others. */
VEC_INLINE vec vec_first(int64_t n, vec x, vec y)
{
	const int32x4_t lane = {0, 1, 2, 3};
	int32x4_t left = vsubq_s32(vdupq_n_s32((int32_t)n), lane);
	return (vec){{
		vbslq_f32(vcgtq_s32(left, vdupq_n_s32(0)), x.q[0], y.q[0]),
		vbslq_f32(vcgtq_s32(left, vdupq_n_s32(4)), x.q[1], y.q[1]),
		vbslq_f32(vcgtq_s32(left, vdupq_n_s32(8)), x.q[2], y.q[2]),
		vbslq_f32(vcgtq_s32(left, vdupq_n_s32(12)), x.q[3], y.q[3]),
	}};
}

/* vec_sum adds pairs (i, i+8), (i, i+4), (i, i+2), (i, i+1). */
VEC_INLINE float vec_sum(vec x)
{
	float32x4_t s = vaddq_f32(vaddq_f32(x.q[0], x.q[2]), vaddq_f32(x.q[1], x.q[3]));
	float32x2_t t = vadd_f32(vget_low_f32(s), vget_high_f32(s));
	return vget_lane_f32(t, 0) + vget_lane_f32(t, 1);
}

/* vec_top is the largest lane by the same pairs, each the first unless the second is
 * greater. */
VEC_INLINE float vec_top(vec x)
{
	float32x4_t s = greater4(greater4(x.q[0], x.q[2]), greater4(x.q[1], x.q[3]));
	s = greater4(s, vextq_f32(s, s, 2));
	return vgetq_lane_f32(greater4(s, vextq_f32(s, s, 1)), 0);
}

/* exp4 is Exp32 in four lanes. */
VEC_INLINE float32x4_t exp4(float32x4_t x)
{
	uint32x4_t live = vcgeq_f32(x, vdupq_n_f32(EXP_LOW));
	x = vminq_f32(x, vdupq_n_f32(EXP_HIGH));
	float32x4_t n = vrndnq_f32(vmulq_f32(x, vdupq_n_f32(LOG2E)));
	float32x4_t r = vfmsq_f32(x, n, vdupq_n_f32(LN2_HIGH));
	r = vfmsq_f32(r, n, vdupq_n_f32(LN2_LOW));
	float32x4_t p = vdupq_n_f32(EXP_E6), one = vdupq_n_f32(1);
	p = vfmaq_f32(vdupq_n_f32(EXP_E5), p, r);
	p = vfmaq_f32(vdupq_n_f32(EXP_E4), p, r);
	p = vfmaq_f32(vdupq_n_f32(EXP_E3), p, r);
	p = vfmaq_f32(vdupq_n_f32(EXP_E2), p, r);
	p = vfmaq_f32(one, p, r);
	p = vfmaq_f32(one, p, r);
	int32x4_t scale = vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127)), 23);
	p = vmulq_f32(p, vreinterpretq_f32_s32(scale));
	return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(p), live));
}

VEC_INLINE vec vec_exp(vec x)
{
	return (vec){{exp4(x.q[0]), exp4(x.q[1]), exp4(x.q[2]), exp4(x.q[3])}};
}

VEC_INLINE float exp1(float x)
{
	return vgetq_lane_f32(exp4(vdupq_n_f32(x)), 0);
}

VEC_INLINE float sqrt1(float x)
{
	return vget_lane_f32(vsqrt_f32(vdup_n_f32(x)), 0);
}

VEC_INLINE float32x4_t finite4(float32x4_t x)
{
	x = vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(x), vceqq_f32(x, x)));
	return vminq_f32(vmaxq_f32(x, vdupq_n_f32(-__FLT_MAX__)), vdupq_n_f32(__FLT_MAX__));
}

/* vec_finite: NaN becomes 0, infinities the largest finite values. */
VEC_INLINE vec vec_finite(vec x)
{
	return (vec){{finite4(x.q[0]), finite4(x.q[1]), finite4(x.q[2]), finite4(x.q[3])}};
}

/* vec_store_s8 stores x rounded to nearest even, within int8, and returns the sum. */
VEC_INLINE int32_t vec_store_s8(int8_t *p, vec x)
{
	int32x4_t a = vcvtnq_s32_f32(x.q[0]), b = vcvtnq_s32_f32(x.q[1]);
	int32x4_t c = vcvtnq_s32_f32(x.q[2]), d = vcvtnq_s32_f32(x.q[3]);
	int16x8_t low = vcombine_s16(vmovn_s32(a), vmovn_s32(b)), high = vcombine_s16(vmovn_s32(c), vmovn_s32(d));
	vst1q_s8(p, vcombine_s8(vmovn_s16(low), vmovn_s16(high)));
	return vaddvq_s32(vaddq_s32(vaddq_s32(a, b), vaddq_s32(c, d)));
}

#endif

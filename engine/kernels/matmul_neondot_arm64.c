/* matmul_neondot: the matrix products with the dot-product extension (ARMv8.2 and
 * later), see matmul_neon_arm64.h. Sums are int32: they cannot overflow. */
#include <arm_neon.h>
#include <stdint.h>

#include "kernels.h"

/* This form of the name serves GCC and Clang. */
#define DOT KERNEL_TARGET("arch=armv8.2-a+dotprod")
#define DOT_INLINE DOT static inline __attribute__((always_inline))

#include "dot_neon_arm64.h"
#include "matmul_neon_arm64.h"

DOT void matmul_neondot(struct matmul_args a)
{
	matmul(&a);
}

package kernels

import "math"

// Acts is a batch of activations quantized to int8 with one scale per group of 32:
// x[t,k] ~ Scale[t,k/32] * Q[t,k]. The other fields are sums that the matrix
// products need; the quantizing ops below write all of them.
//
// Each row has a Grain, which its user keeps in mind. Of a coarse row only Q and the first
// ceil(K/128) elements of Scale and Start32 are written: those of its groups of 128. Of a
// medium row these are Q, the same of Scale, ScaleSum of each 32 columns, and Start16, where
// each element is two numbers of 16 bits: -32 times the sum of the Q of columns 0, 1 mod 4
// of its 16 in the low half, of the others in the high one.
type Acts struct {
	Tokens, K int       // Tokens is the capacity; K is a multiple of 32
	Q         []int8    // [Tokens, K], within [-127, 127]
	Scale     []float32 // [Tokens, K/32]; amax/127, and 0 for an all-zero group
	ScaleSum  []float32 // [Tokens, K/32]; Scale * float32(sum of the group's Q), for the min terms
	Sum       []int32   // [Tokens, K/16]; sums of Q over 16 elements
	Start16   []int32   // [Tokens, K/16]; dotBase - 128 * Sum
	Start32   []int32   // [Tokens, K/32]; the same per group
}

// dotBase is where integer dot products start: the bits of the float32 1.5 * 2^23,
// in whose neighbourhood consecutive floats are consecutive integers. So the end
// of a dot product i, |i| < 2^22, read as a float is 1.5 * 2^23 + i, exactly, and
// needs no conversion (see MatMul). The -128 * Sum of Start16 and Start32 undoes
// the +128 of weights that are stored unsigned.
const dotBase = 0x4b400000

// NewActs allocates room for maxTokens rows of k elements.
func NewActs(maxTokens, k int) *Acts {
	groups := maxTokens * k / GroupSize
	return &Acts{
		Tokens: maxTokens, K: k,
		Q:        AlignedInt8(maxTokens * k),
		Scale:    AlignedFloats(groups),
		ScaleSum: AlignedFloats(groups),
		Sum:      make([]int32, 2*groups),
		Start16:  make([]int32, 2*groups),
		Start32:  make([]int32, groups),
	}
}

// tinyGroup is the magnitude below which a whole group of activations counts as
// zero: it keeps 127/amax finite, and is far below anything that matters.
const tinyGroup = 0x1p-100

// QuantizeActs quantizes rows [t0, t1) of x, [tokens, K], into the same rows of dst.
// Per group of 32, or 128 in medium and coarse rows, with NaN taken as 0 and infinities as the largest finite value:
//
//	amax = max |x|          if amax < 2^-100: Q = 0 and Scale = 0
//	Scale = amax / 127      Q = round to nearest even(x * (127 / amax))
//	ScaleSum = Scale * float32(sum Q)
func QuantizeActs(dst *Acts, x []float32, t0, t1 int, g Grain) {
	dst.check("QuantizeActs", t0, t1)
	checkLen("QuantizeActs x", len(x), t1*dst.K)
	switch {
	case t0 == t1:
	case g != Fine:
		g.ops().quantizeActs(dst, x, t0, t1)
	default:
		active.Load().quantizeActs(dst, x, t0, t1)
	}
}

// RMSNorm writes the normalized x to dst; all three have the same length, a
// multiple of 16, and dst may be x.
//
//	ss[i] = fma(x[16j+i], x[16j+i], ss[i]) for j = 0, 1, ...   (16 accumulators)
//	r = 1 / sqrt(tree(ss) / n + eps)
//	dst[k] = (x[k] * r) * w[k]
func RMSNorm(dst, x, w []float32, eps float32) {
	checkLen("RMSNorm dst", len(dst), len(x))
	checkLen("RMSNorm w", len(w), len(x))
	checkMultiple("RMSNorm", len(x), 16)
	if len(x) > 0 {
		active.Load().rmsNorm(dst, x, w, eps)
	}
}

// RMSNormQuantize is RMSNorm of rows [t0, t1) of x, [tokens, K], with weight w,
// [K], followed by QuantizeActs.
func RMSNormQuantize(dst *Acts, x, w []float32, eps float32, t0, t1 int, g Grain) {
	dst.check("RMSNormQuantize", t0, t1)
	checkLen("RMSNormQuantize x", len(x), t1*dst.K)
	checkLen("RMSNormQuantize w", len(w), dst.K)
	switch {
	case t0 == t1:
	case g != Fine:
		g.ops().rmsNormQuantize(dst, x, w, eps, t0, t1)
	default:
		active.Load().rmsNormQuantize(dst, x, w, eps, t0, t1)
	}
}

// SwiGLUQuantize quantizes silu(gate)*up into rows [t0, t1) and columns [k0, k1) of dst:
// gate and up are [tokens, ldx] and begin at token 0 and column k0. k0 is a multiple of the
// grain's group, k1 too or is K. Groups are independent, so parts give what the whole gives.
//
//	h = (gate / (1 + exp(-gate))) * up     then QuantizeActs of h
func SwiGLUQuantize(dst *Acts, gate, up []float32, ldx, t0, t1, k0, k1 int, g Grain) {
	dst.check("SwiGLUQuantize", t0, t1)
	checkMultiple("SwiGLUQuantize k0", k0, g.Group())
	if k1 != dst.K {
		checkMultiple("SwiGLUQuantize k1", k1, g.Group())
	}
	if k0 > k1 || k1 > dst.K {
		broken("SwiGLUQuantize: columns [%d, %d) of %d", k0, k1, dst.K)
	}
	if t0 == t1 || k0 == k1 {
		return
	}
	checkLen("SwiGLUQuantize ldx", ldx, k1-k0)
	checkLen("SwiGLUQuantize gate", len(gate), (t1-1)*ldx+k1-k0)
	checkLen("SwiGLUQuantize up", len(up), (t1-1)*ldx+k1-k0)
	if g != Fine {
		g.ops().swiGLUQuantize(dst, gate, up, ldx, t0, t1, k0, k1)
		return
	}
	active.Load().swiGLUQuantize(dst, gate, up, ldx, t0, t1, k0, k1)
}

// check panics unless rows [t0, t1) exist in every field.
func (a *Acts) check(op string, t0, t1 int) {
	if t0 < 0 || t0 > t1 || t1 > a.Tokens {
		broken("%s: rows [%d, %d) of %d", op, t0, t1, a.Tokens)
	}
	checkMultiple(op, a.K, GroupSize)
	groups := t1 * a.K / GroupSize
	have := min(len(a.Q)/GroupSize, len(a.Scale), len(a.ScaleSum), len(a.Start32), len(a.Sum)/2, len(a.Start16)/2)
	if have < groups {
		broken("%s: room for %d groups, need %d", op, have, groups)
	}
}

// maxFinite is what an infinite activation saturates to.
const maxFinite = math.MaxFloat32

// Exp writes Exp32 of each element of x to dst, which may be x.
func Exp(dst, x []float32) {
	checkLen("Exp dst", len(dst), len(x))
	if len(x) > 0 {
		active.Load().exp(dst, x)
	}
}

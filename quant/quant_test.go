package quant_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/quant"
)

var all = []quant.Type{
	quant.F32, quant.F16, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1,
	quant.Q8_0, quant.Q4_K, quant.Q5_K, quant.Q6_K,
}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return b
}

func floats(b []byte) []float32 {
	f := make([]float32, len(b)/4)
	for i := range f {
		f[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return f
}

// TestDequantizeGolden compares with the values another tool decodes from the same bytes.
func TestDequantizeGolden(t *testing.T) {
	for _, typ := range all[1:] {
		t.Run(typ.String(), func(t *testing.T) {
			raw, want := golden(t, typ.String()+".bin"), floats(golden(t, typ.String()+".f32"))
			got := make([]float32, len(want))
			quant.Dequantize(got, typ, raw)
			require.Equal(t, want, got)

			// The comparison must notice one flipped bit, wherever it is.
			for at := 0; at < typ.BlockBytes(); at++ {
				raw[at] ^= 4
				quant.Dequantize(got, typ, raw)
				assert.NotEqual(t, want, got, "byte %d", at)
				raw[at] ^= 4
			}
		})
	}
}

// TestQuantizeGolden compares with the bytes another tool writes for the same values.
func TestQuantizeGolden(t *testing.T) {
	for _, typ := range []quant.Type{quant.F16, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.Q8_0} {
		t.Run(typ.String(), func(t *testing.T) {
			require.True(t, quant.CanQuantize(typ))
			src := floats(golden(t, typ.String()+".src"))
			assert.Equal(t, golden(t, typ.String()+".bin"), quant.Quantize(typ, src))
		})
	}
}

// TestRoundTrip bounds the error by one step of the coarsest scale in a block:
// half a step of rounding, and for the K types the rounding of scale and minimum.
func TestRoundTrip(t *testing.T) {
	// Largest |error| over the block's range (max - min): half a step of the
	// levels, plus the 6- or 7-bit rounding of the scales, plus float16.
	limits := map[quant.Type]float64{
		quant.F32: 0, quant.F16: 0.0005, quant.Q4_0: 0.13, quant.Q4_1: 0.034, quant.Q5_0: 0.065,
		quant.Q5_1: 0.017, quant.Q8_0: 0.005, quant.Q4_K: 0.06, quant.Q6_K: 0.035,
	}
	rng := rand.New(rand.NewPCG(1, 2))
	src := make([]float32, 1024)
	for i := range src {
		src[i] = float32(rng.NormFloat64())
	}
	for typ, limit := range limits {
		dst := make([]float32, len(src))
		quant.Dequantize(dst, typ, quant.Quantize(typ, src))
		for b := 0; b < len(src); b += 32 {
			lo, hi := src[b], src[b]
			for _, v := range src[b : b+32] {
				lo, hi = min(lo, v), max(hi, v)
			}
			for i := b; i < b+32; i++ {
				require.LessOrEqual(t, math.Abs(float64(src[i]-dst[i])), limit*float64(hi-lo), "%v element %d", typ, i)
			}
		}
	}
}

func TestRoundTripZero(t *testing.T) {
	zero := make([]float32, 256)
	for _, typ := range all {
		if quant.CanQuantize(typ) {
			got := []float32{255: 1}
			quant.Dequantize(got, typ, quant.Quantize(typ, zero))
			assert.Equal(t, zero, got, typ)
		}
	}
}

func TestF16(t *testing.T) {
	cases := map[uint16]float32{
		0x0000: 0, 0x0001: 0x1p-24, 0x03ff: 1023 * 0x1p-24, 0x0400: 0x1p-14, 0x3c00: 1, 0x3555: 0x1.554p-2,
		0x7bff: 65504, 0x7c00: float32(math.Inf(1)), 0xc000: -2, 0xfc00: float32(math.Inf(-1)),
	}
	for h, f := range cases {
		assert.Equal(t, f, quant.F16ToF32(h), "%#x", h)
		assert.Equal(t, h, quant.F32ToF16(f), "%v", f)
	}
	// Every value survives, and NaN stays NaN.
	for h := range 1 << 16 {
		f := quant.F16ToF32(uint16(h))
		if f != f {
			assert.Equal(t, uint16(h)|0x200, quant.F32ToF16(f))
			continue
		}
		require.Equal(t, uint16(h), quant.F32ToF16(f), "%#x", h)
	}
	// Halfway cases go to even; just above or below them to the nearer.
	for h := range uint16(0x7bff) {
		lo, hi := float64(quant.F16ToF32(h)), float64(quant.F16ToF32(h+1))
		mid := float32((lo + hi) / 2)
		require.Equal(t, h+h&1, quant.F32ToF16(mid), "%#x", h)
		require.Equal(t, h+1, quant.F32ToF16(math.Nextafter32(mid, 70000)), "%#x", h)
		require.Equal(t, h, quant.F32ToF16(math.Nextafter32(mid, -1)), "%#x", h)
	}
	for f, h := range map[float32]uint16{65519.996: 0x7bff, 65520: 0x7c00, -1e30: 0xfc00, 0x1p-25: 0, 0x1.8p-25: 1, 1e-30: 0} {
		assert.Equal(t, h, quant.F32ToF16(f), "%v", f)
	}
}

func TestTypeTable(t *testing.T) {
	for _, typ := range all {
		assert.True(t, typ.Supported())
		assert.Equal(t, int64(3*typ.BlockBytes()), typ.RowBytes(3*typ.BlockLen()), typ)
	}
	unknown := quant.Type(99)
	assert.False(t, unknown.Supported())
	assert.Equal(t, "type 99", unknown.String())
	assert.Zero(t, unknown.RowBytes(256))
	assert.Zero(t, unknown.BlockLen())
	assert.Zero(t, unknown.BlockBytes())
	assert.False(t, quant.CanQuantize(unknown))
}

func TestBrokenInvariantsPanic(t *testing.T) {
	assert.Panics(t, func() { quant.Dequantize(make([]float32, 32), quant.Type(99), make([]byte, 99)) })
	assert.Panics(t, func() { quant.Dequantize(make([]float32, 31), quant.Q8_0, make([]byte, 99)) })
	assert.Panics(t, func() { quant.Dequantize(make([]float32, 32), quant.Q8_0, make([]byte, 33)) })
	assert.Panics(t, func() { quant.Quantize(quant.Q5_K, make([]float32, 256)) })
	assert.Panics(t, func() { quant.Quantize(quant.Q4_0, make([]float32, 33)) })
}

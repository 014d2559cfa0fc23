package kernels_test

import (
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/edsrzf/mmap-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/quant"
)

// TestBind: a matrix over bytes packed elsewhere, in pieces, gives the same bits.
func TestBind(t *testing.T) {
	const rows, cols = 40, 256
	rng := newRand(71)
	for _, typ := range weightTypes {
		src := randomWeights(rng, typ, rows*cols)
		whole := packed(t, typ, rows, cols, src)
		data := kernels.AlignedBytes(int(whole.Bytes()))
		rowBytes := int(typ.RowBytes(cols))
		at := 0
		for r := 0; r < rows; r += 16 { // tiles are packed one by one into a part of the memory
			n := min(16, rows-r)
			piece, err := kernels.Describe(typ, n, cols)
			require.NoError(t, err)
			require.NoError(t, piece.Bind(data[at:][:piece.Bytes()]))
			piece.PackRows(src[r*rowBytes:], 0, n)
			at += int(piece.Bytes())
		}
		require.Equal(t, len(data), at)
		bound, err := kernels.Describe(typ, rows, cols)
		require.NoError(t, err)
		require.NoError(t, bound.Bind(data))
		x, _ := randomActs(t, rng, 3, cols)
		eachPath(t, func(t *testing.T) {
			require.Equal(t, product(t, whole, x), product(t, bound, x), "%v", typ)
		})
	}
}

func TestBindRefuses(t *testing.T) {
	m, err := kernels.Describe(quant.Q8_0, 16, 64)
	require.NoError(t, err)
	n := int(m.Bytes())
	require.ErrorContains(t, m.Bind(make([]byte, n-1)), "bytes for a packed matrix")
	require.ErrorContains(t, m.Bind(make([]byte, n+1)), "bytes for a packed matrix")
	require.ErrorContains(t, m.Bind(kernels.AlignedBytes(n + 64)[1:][:n]), "boundary")
	_, err = kernels.Describe(quant.Q8_0, 16, 33)
	require.Error(t, err)
}

// TestBindAnyBytes: whatever the packed bytes are, nothing outside is read or
// written and no path crashes; all paths agree, but for what kind of NaN it is.
func TestBindAnyBytes(t *testing.T) {
	const rows, cols, tokens = 48, 512, 5
	rng := newRand(72)
	x, _ := randomActs(t, rng, tokens, cols)
	for _, typ := range weightTypes {
		m, err := kernels.Describe(typ, rows, cols)
		require.NoError(t, err)
		data := kernels.AlignedBytes(int(m.Bytes()))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		require.NoError(t, m.Bind(data))
		var want []float32
		onRef(t, func() { want = product(t, m, x) })
		eachPath(t, func(t *testing.T) {
			for i, y := range product(t, m, x) {
				if math.IsNaN(float64(want[i])) {
					require.True(t, math.IsNaN(float64(y)), "%v output %d", typ, i)
				} else {
					require.Equal(t, want[i], y, "%v output %d", typ, i)
				}
			}
		})
	}
}

// TestGuard: a mapped file that is cut makes C read zeros and Go code panic, and
// neither ends the process.
func TestGuard(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be cut")
	}
	const rows, cols = 512, 256
	rng := newRand(73)
	x, _ := randomActs(t, rng, 2, cols)
	whole := packed(t, quant.Q8_0, rows, cols, randomWeights(rng, quant.Q8_0, rows*cols))
	eachPath(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "weights")
		require.NoError(t, os.WriteFile(path, make([]byte, whole.Bytes()), 0o600))
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		defer f.Close()
		mapping, err := mmap.Map(f, mmap.RDONLY, 0)
		require.NoError(t, err)
		defer func() { require.NoError(t, mapping.Unmap()) }()
		g, err := kernels.NewGuard(mapping)
		require.NoError(t, err)
		defer g.Release()
		m, err := kernels.Describe(quant.Q8_0, rows, cols)
		require.NoError(t, err)
		require.NoError(t, m.Bind(mapping))
		product(t, m, x)
		assert.False(t, g.Lost(), "nothing is lost before the cut")

		require.NoError(t, f.Truncate(0))
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		panicked := func() (p bool) {
			defer func() { p = recover() != nil }()
			product(t, m, x)
			return false
		}()
		assert.Equal(t, kernels.Active() == "ref", panicked, "only Go code panics")
		assert.NotEqual(t, panicked, g.Lost(), "the loss is noted when C met it")
	})
}

// TestGuardSlots: slots are used again, and running out of them is an error.
func TestGuardSlots(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is guarded on Windows")
	}
	page := make([]byte, 4096)
	var held []*kernels.Guard
	for len(held) < 1000 {
		g, err := kernels.NewGuard(page)
		if err != nil {
			break
		}
		held = append(held, g)
	}
	if len(held) < 1000 { // without cgo nothing runs out
		assert.Len(t, held, 64)
	}
	for _, g := range held {
		assert.False(t, g.Lost())
		g.Release()
	}
	g, err := kernels.NewGuard(page)
	require.NoError(t, err)
	g.Release()
	var none *kernels.Guard
	assert.False(t, none.Lost())
	none.Release()
}

// TestLayoutVersion: packed files outlive the program that made them, so the same
// weights must give the same bytes as long as LayoutVersion is the same. When this
// fails because the layout was changed, count LayoutVersion up and record the sums.
func TestLayoutVersion(t *testing.T) {
	sums := map[quant.Type]uint32{}
	require.Equal(t, 1, kernels.LayoutVersion, "the sums below are those of version 1")
	for _, typ := range weightTypes {
		const rows, cols = 24, 256
		src := make([]byte, typ.RowBytes(cols)*rows)
		for i := range src {
			src[i] = byte(i*i>>3 + 7*i)
		}
		m, err := kernels.Describe(typ, rows, cols)
		require.NoError(t, err)
		data := kernels.AlignedBytes(int(m.Bytes()))
		require.NoError(t, m.Bind(data))
		m.PackRows(src, 0, rows)
		sums[typ] = crc32.ChecksumIEEE(data)
	}
	assert.Equal(t, layoutSums, sums)
}

// layoutSums are CRC-32s of the packed bytes that TestLayoutVersion makes.
var layoutSums = map[quant.Type]uint32{
	quant.F32: 0x9f6e3033, quant.F16: 0x88205ce1, quant.Q4_0: 0x20f8c3b5, quant.Q4_1: 0x1bb02c99, quant.Q5_0: 0xed1854d3,
	quant.Q5_1: 0x0cde9843, quant.Q8_0: 0x1e89c2e4, quant.Q4_K: 0x219dc923, quant.Q5_K: 0x22464403, quant.Q6_K: 0x9039304d,
}

package gguf

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/edsrzf/mmap-go"
	"github.com/stretchr/testify/require"

	"windowseat/quant"
)

// FuzzParse checks that no input makes the reader panic, believe a place
// outside the file, or return an error of another kind.
func FuzzParse(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, Write(&b, []KV{
		{"general.alignment", uint32(64)},
		{"s", "text"},
		{"a", []string{"x", "yz"}},
		{"n", []int32{1, 2}},
		{"f", float32(1)},
		{"b", []bool{true}},
	}, []Tensor{
		{Name: "w", Type: quant.Q4_0, Shape: []int{2, 32}, Data: make([]byte, 36)},
		{Name: "n", Type: quant.F32, Shape: []int{4}, Data: make([]byte, 16)},
	}))
	good := b.Bytes()
	f.Add(good)
	for _, n := range []int{0, 4, 20, 60, len(good) / 2, len(good) - 1} {
		f.Add(good[:n])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, places, err := parse(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			var fe *FormatError
			var ue *UnsupportedError
			require.True(t, errors.As(err, &fe) || errors.As(err, &ue), "%v", err)
			return
		}
		for _, p := range places {
			require.True(t, 0 <= p.start && p.start < p.end && p.end <= int64(len(data)))
		}
		for _, key := range file.Keys() { // no getter may panic on a verified header
			file.String(key)
			file.Uint(key)
			file.Float(key)
			file.Bool(key)
			file.Strings(key)
			file.Ints(key)
			file.Floats(key)
		}
		file.bind(data, places)
	})
}

// TestSizeShrinks covers a file that loses its end while it is read.
func TestSizeShrinks(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Write(&b, []KV{{"s", "text"}}, nil))
	_, _, err := parse(bytes.NewReader(b.Bytes()[:30]), int64(b.Len()))
	var fe *FormatError
	require.ErrorAs(t, err, &fe)
	require.Positive(t, fe.Missing)
}

// TestMappingRefused: a file that the system does not map is an error, but for a small
// one, which is read.
func TestMappingRefused(t *testing.T) {
	defer func(f func(*os.File) (mmap.MMap, error)) { mapFile = f }(mapFile)
	mapFile = func(*os.File) (mmap.MMap, error) { return nil, syscall.ENOMEM }
	for n, refused := range map[int]bool{64: false, maxRead/4 + 64: true} {
		var b bytes.Buffer
		data := bytes.Repeat([]byte{1, 2, 3, 4}, n)
		require.NoError(t, Write(&b, nil, []Tensor{{Name: "a", Type: quant.F32, Shape: []int{n}, Data: data}}))
		path := filepath.Join(t.TempDir(), "m.gguf")
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		f, err := Open(path)
		if refused {
			require.ErrorIs(t, err, syscall.ENOMEM)
			require.ErrorContains(t, err, "mapping 16 MiB")
		} else {
			require.NoError(t, err)
			a, _ := f.Tensor("a")
			require.Equal(t, data, a.Data)
			require.NoError(t, f.Close())
		}
		f, err = Inspect(path)
		require.NoError(t, err)
		a, _ := f.Tensor("a")
		require.Nil(t, a.Data)
		require.Equal(t, int64(4*n), f.PackedBytes())
	}
}

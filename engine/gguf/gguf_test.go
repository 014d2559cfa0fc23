package gguf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/quant"
)

// tinyMeta and tinyTensors are the content of the small valid file that the
// tests below damage.
func tinyMeta() []gguf.KV {
	return []gguf.KV{
		{Key: "general.architecture", Value: "qwen2"},
		{Key: "n.u8", Value: uint8(200)},
		{Key: "n.i8", Value: int8(-3)},
		{Key: "n.u16", Value: uint16(60000)},
		{Key: "n.i16", Value: int16(-300)},
		{Key: "n.u32", Value: uint32(4_000_000_000)},
		{Key: "n.i32", Value: int32(7)},
		{Key: "n.u64", Value: uint64(1) << 63},
		{Key: "n.i64", Value: int64(-1) << 40},
		{Key: "f.32", Value: float32(0.5)},
		{Key: "f.64", Value: 1e-6},
		{Key: "b", Value: true},
		{Key: "a.str", Value: []string{"会议", "", "x\xff"}},
		{Key: "a.i32", Value: []int32{1, -2, 3}},
		{Key: "a.i64", Value: []int64{1, 1 << 40}},
		{Key: "a.f32", Value: []float32{1.5, -2}},
		{Key: "a.bool", Value: []bool{true, false}},
	}
}

func tinyTensors() []gguf.Tensor {
	ramp := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i + n)
		}
		return b
	}
	return []gguf.Tensor{
		{Name: "token_embd.weight", Type: quant.Q8_0, Shape: []int{3, 64}, Data: ramp(3 * 2 * 34)},
		{Name: "output_norm.weight", Type: quant.F32, Shape: []int{64}, Data: ramp(256)},
		{Name: "experts", Type: quant.F16, Shape: []int{2, 3, 4}, Data: ramp(48)},
	}
}

func encode(t testing.TB, meta []gguf.KV, tensors []gguf.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, gguf.Write(&b, meta, tensors))
	return b.Bytes()
}

func openBytes(t testing.TB, data []byte) (*gguf.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, err := gguf.Open(path)
	if f != nil {
		t.Cleanup(func() { assert.NoError(t, f.Close()) })
	}
	return f, err
}

func TestRoundTrip(t *testing.T) {
	data := encode(t, tinyMeta(), tinyTensors())
	f, err := openBytes(t, data)
	require.NoError(t, err)
	assert.Equal(t, 3, f.Version)
	assert.Equal(t, int64(len(data)), f.Size)
	assert.Len(t, f.Keys(), len(tinyMeta()))
	assert.Equal(t, "general.architecture", f.Keys()[0])

	want := tinyTensors()
	require.Len(t, f.Tensors(), len(want))
	for i, got := range f.Tensors() {
		assert.Equal(t, want[i], got)
		byName, ok := f.Tensor(want[i].Name)
		assert.True(t, ok)
		assert.Equal(t, got, byName)
	}
	_, ok := f.Tensor("absent")
	assert.False(t, ok)
}

func TestGetters(t *testing.T) {
	f, err := openBytes(t, encode(t, tinyMeta(), nil))
	require.NoError(t, err)

	s, ok := f.String("general.architecture")
	assert.Equal(t, "qwen2", s)
	assert.True(t, ok)
	for key, want := range map[string]uint64{"n.u8": 200, "n.u16": 60000, "n.u32": 4_000_000_000, "n.i32": 7, "n.u64": 1 << 63} {
		got, ok := f.Uint(key)
		assert.True(t, ok, key)
		assert.Equal(t, want, got, key)
	}
	for _, key := range []string{"n.i8", "n.i16", "n.i64", "b", "f.32", "a.i32", "absent"} {
		_, ok := f.Uint(key)
		assert.False(t, ok, key)
	}
	for key, want := range map[string]float64{"f.32": 0.5, "f.64": 1e-6} {
		got, ok := f.Float(key)
		assert.True(t, ok, key)
		assert.InDelta(t, want, got, 0, key)
	}
	b, ok := f.Bool("b")
	assert.True(t, b && ok)
	list, ok := f.Strings("a.str")
	assert.True(t, ok)
	assert.Equal(t, []string{"会议", "", "x\xff"}, list)
	ints, ok := f.Ints("a.i32")
	assert.True(t, ok)
	assert.Equal(t, []int32{1, -2, 3}, ints)
	floats, ok := f.Floats("a.f32")
	assert.True(t, ok)
	assert.Equal(t, []float32{1.5, -2}, floats)

	_, ok = f.Ints("a.i64")
	assert.False(t, ok, "1<<40 does not fit an int32")
	_, ok = f.Ints("a.str")
	assert.False(t, ok)
	_, ok = f.Floats("a.i32")
	assert.False(t, ok)
	_, ok = f.Strings("a.i32")
	assert.False(t, ok)
	_, ok = f.String("n.u8")
	assert.False(t, ok)
	_, ok = f.Float("n.u8")
	assert.False(t, ok)
	_, ok = f.Bool("n.u8")
	assert.False(t, ok)
}

// TestVersion2 reads the older version, which differs in its number only.
func TestVersion2(t *testing.T) {
	data := encode(t, tinyMeta(), tinyTensors())
	data[4] = 2
	f, err := openBytes(t, data)
	require.NoError(t, err)
	assert.Equal(t, 2, f.Version)
}

// TestCutFile is case G1: a file cut anywhere is refused with its reason.
func TestCutFile(t *testing.T) {
	data := encode(t, tinyMeta(), tinyTensors())
	table := bytes.Index(data, []byte("token_embd.weight"))
	base := len(data) - (3*2*34 + 20 + 256 + 64) // 20 and 16: padding to 32
	last := len(data) - 16                       // end of the last tensor's own bytes
	for name, n := range map[string]int{
		"empty": 0, "magic": 3, "version": 6, "tensor_count": 12, "key_count": 20,
		"first_key": 40, "string_array": bytes.Index(data, []byte("会议")) + 2,
		"tensor_name": table + 5, "tensor_offset": table + 40, "data_start": base,
		"data_middle": base + 300, "last_byte": last - 1,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openBytes(t, data[:n])
			var fe *gguf.FormatError
			require.ErrorAs(t, err, &fe)
			assert.Positive(t, fe.Missing, err.Error())
			if n >= base {
				assert.Equal(t, int64(last-n), fe.Missing)
				if last-n == 1 {
					assert.Contains(t, err.Error(), ": 1 byte is missing")
				} else {
					assert.Contains(t, err.Error(), fmt.Sprintf(": %d bytes are missing", last-n))
				}
			}
		})
	}
	_, err := openBytes(t, data[:last])
	assert.NoError(t, err, "the padding after the last tensor is not needed")
}

// TestUnsupported is case G3: the message names what was found and what would do.
func TestUnsupported(t *testing.T) {
	good := encode(t, tinyMeta(), tinyTensors())
	typeAt := bytes.Index(good, []byte("token_embd.weight")) + len("token_embd.weight") + 4 + 16
	require.Equal(t, byte(quant.Q8_0), good[typeAt])
	patch := func(at int, b ...byte) []byte {
		d := bytes.Clone(good)
		copy(d[at:], b)
		return d
	}
	split := newRaw(0, 1).str("split.count").u32(4).u32(3).pad(64)
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"version_1":    {patch(4, 1), []string{"version 1", "2, 3"}},
		"version_4":    {patch(4, 4), []string{"version 4", "2, 3"}},
		"version_0":    {patch(4, 0), []string{"version 0", "2, 3"}},
		"big_endian":   {patch(4, 0, 0, 0, 3), []string{"big-endian", "little-endian"}},
		"magic_swap":   {patch(0, 'F', 'U', 'G', 'G'), []string{"big-endian"}},
		"known_type":   {patch(typeAt, 30), []string{"BF16", "token_embd.weight", "Q4_K", "F32"}},
		"unknown_type": {patch(typeAt, 99), []string{"tensor type 99 of", "Q4_K"}},
		"split":        {split, []string{"3 files"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openBytes(t, c.data)
			var ue *gguf.UnsupportedError
			require.ErrorAs(t, err, &ue)
			for _, w := range c.want {
				assert.Contains(t, err.Error(), w)
			}
		})
	}
}

// raw builds hostile headers field by field.
type raw []byte

func newRaw(nTensors, nKeys uint64) raw {
	b := raw("GGUF").u32(3)
	return b.u64(nTensors).u64(nKeys)
}
func (b raw) u32(x uint32) raw { return binary.LittleEndian.AppendUint32(b, x) }
func (b raw) u64(x uint64) raw { return binary.LittleEndian.AppendUint64(b, x) }
func (b raw) str(s string) raw { return append(b.u64(uint64(len(s))), s...) }
func (b raw) pad(n int) raw    { return append(b, make([]byte, n)...) }
func (b raw) tensor(name string, typ uint32, offset uint64, dims ...uint64) raw {
	b = b.str(name).u32(uint32(len(dims)))
	for _, d := range dims {
		b = b.u64(d)
	}
	return b.u32(typ).u64(offset)
}

func TestDamaged(t *testing.T) {
	const huge = 1 << 63
	nested := newRaw(0, 1).str("k").u32(9)
	for range 6 {
		nested = nested.u32(9).u64(1)
	}
	for name, c := range map[string]struct {
		data raw
		want string
	}{
		"other_file":      {raw("PK\x03\x04 something else"), "not a GGUF file"},
		"key_count":       {newRaw(0, huge).pad(64), "cannot fit"},
		"tensor_count":    {newRaw(huge, 0).pad(64), "cannot fit"},
		"key_length":      {newRaw(0, 1).u64(huge).pad(64), "at most 65535"},
		"string_length":   {newRaw(0, 1).str("k").u32(8).u64(huge).pad(64), "at most"},
		"string_past_end": {newRaw(0, 1).str("k").u32(8).u64(100).pad(64), "36 bytes more"},
		"array_count":     {newRaw(0, 1).str("k").u32(9).u32(4).u64(huge).pad(64), "cannot fit"},
		"string_array":    {newRaw(0, 1).str("k").u32(9).u32(8).u64(9).pad(64), "cannot fit"},
		"array_of_what":   {newRaw(0, 1).str("k").u32(9).u32(77).u64(0).pad(64), "unknown type 77"},
		"value_type":      {newRaw(0, 1).str("k").u32(13).pad(64), "unknown type 13"},
		"nesting":         {nested.pad(64), "nested deeper"},
		"empty_key":       {newRaw(0, 1).str("").u32(0).pad(64), "empty key"},
		"bool_2":          {newRaw(0, 1).str("k").u32(7).pad(0).u32(2).pad(64), "bool"},
		"same_key":        {newRaw(0, 2).str("k").u32(4).u32(1).str("k").u32(4).u32(1), "listed twice"},
		"align_3":         {newRaw(0, 1).str("general.alignment").u32(4).u32(3), "power of two"},
		"align_0":         {newRaw(0, 1).str("general.alignment").u32(4).u32(0), "power of two"},
		"align_type":      {newRaw(0, 1).str("general.alignment").u32(10).u64(32), "power of two"},
		"same_tensor":     {newRaw(2, 0).tensor("a", 0, 0, 8).tensor("a", 0, 32, 8).pad(128), "listed twice"},
		"empty_name":      {newRaw(1, 0).tensor("", 0, 0, 8).pad(128), "empty tensor name"},
		"long_name":       {newRaw(1, 0).tensor(strings.Repeat("n", 65), 0, 0, 8).pad(128), "at most 64"},
		"no_dims":         {newRaw(1, 0).tensor("a", 0, 0).pad(128), "0 dimensions"},
		"five_dims":       {newRaw(1, 0).tensor("a", 0, 0, 1, 1, 1, 1, 1).pad(128), "5 dimensions"},
		"zero_dim":        {newRaw(1, 0).tensor("a", 0, 0, 8, 0).pad(128), "is 0"},
		"dim_sign":        {newRaw(1, 0).tensor("a", 0, 0, huge).pad(128), "dimension 0"},
		"dims_overflow":   {newRaw(1, 0).tensor("a", 0, 0, 1<<32, 1<<32).pad(128), "too large"},
		"dims_overflow64": {newRaw(1, 0).tensor("a", 0, 0, 1<<62, 4).pad(128), "too large"},
		"half_block":      {newRaw(1, 0).tensor("a", 12, 0, 128).pad(128), "whole Q4_K blocks of 256"},
		"block_over_rows": {newRaw(1, 0).tensor("a", 8, 0, 16, 2).pad(128), "whole Q8_0 blocks of 32"},
		"offset_odd":      {newRaw(1, 0).tensor("a", 0, 8, 8).pad(256), "multiple of the alignment"},
		"offset_huge":     {newRaw(1, 0).tensor("a", 0, huge, 8).pad(256), "outside any file"},
		"overlap":         {newRaw(2, 0).tensor("a", 0, 0, 16).tensor("b", 0, 32, 8).pad(256), `"a" and "b" overlap`},
		"same_place":      {newRaw(2, 0).tensor("a", 0, 0, 8).tensor("b", 0, 0, 8).pad(256), "overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openBytes(t, c.data)
			var fe *gguf.FormatError
			require.ErrorAs(t, err, &fe)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func TestOpenMissing(t *testing.T) {
	_, err := gguf.Open(filepath.Join(t.TempDir(), "none.gguf"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = gguf.Open(t.TempDir())
	var fe *gguf.FormatError
	require.ErrorAs(t, err, &fe)
}

func TestCloseTwice(t *testing.T) {
	f, err := openBytes(t, encode(t, nil, tinyTensors()))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	assert.Empty(t, f.Tensors())
}

func TestHeaderHash(t *testing.T) {
	open := func(data []byte) [32]byte {
		f, err := openBytes(t, data)
		require.NoError(t, err)
		return f.HeaderHash()
	}
	data := encode(t, tinyMeta(), tinyTensors())
	want := open(data)
	weights := bytes.Clone(data)
	weights[len(weights)-20] ^= 1
	assert.Equal(t, want, open(weights))
	name := bytes.Clone(data)
	name[bytes.Index(name, []byte("experts"))] = 'E'
	assert.NotEqual(t, want, open(name))
}

func TestWriteRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		meta    []gguf.KV
		tensors []gguf.Tensor
	}{
		"value":      {meta: []gguf.KV{{Key: "k", Value: 1}}},
		"same_key":   {meta: []gguf.KV{{Key: "k", Value: true}, {Key: "k", Value: true}}},
		"alignment":  {meta: []gguf.KV{{Key: "general.alignment", Value: uint32(24)}}},
		"short_data": {tensors: []gguf.Tensor{{Name: "a", Shape: []int{8}, Data: make([]byte, 31)}}},
		"no_shape":   {tensors: []gguf.Tensor{{Name: "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.Error(t, gguf.Write(&b, c.meta, c.tensors))
			assert.Zero(t, b.Len())
		})
	}
}

func TestAlignment(t *testing.T) {
	meta := []gguf.KV{{Key: "general.alignment", Value: uint32(4096)}}
	f, err := openBytes(t, encode(t, meta, tinyTensors()))
	require.NoError(t, err)
	assert.Equal(t, tinyTensors(), f.Tensors())
}

// bigVocab is the metadata of a 152,000-token model.
func bigVocab() []gguf.KV {
	tokens, merges := make([]string, 152_000), make([]string, 152_000)
	types := make([]int32, len(tokens))
	for i := range tokens {
		tokens[i] = "tok" + strconv.Itoa(i)
		merges[i] = "t o" + strconv.Itoa(i)
	}
	return []gguf.KV{
		{Key: "tokenizer.ggml.tokens", Value: tokens},
		{Key: "tokenizer.ggml.merges", Value: merges},
		{Key: "tokenizer.ggml.token_type", Value: types},
	}
}

func TestLargeVocabularyIsFast(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, os.WriteFile(path, encode(t, bigVocab(), nil), 0o600))
	best := time.Hour
	for range 3 { // the machine may be busy
		start := time.Now()
		f, err := gguf.Open(path)
		require.NoError(t, err)
		tokens, ok := f.Strings("tokenizer.ggml.tokens")
		best = min(best, time.Since(start))
		require.True(t, ok)
		require.Equal(t, "tok151999", tokens[151999])
		require.NoError(t, f.Close())
	}
	assert.Less(t, best, 100*time.Millisecond)
}

func BenchmarkOpenLargeVocabulary(b *testing.B) {
	path := filepath.Join(b.TempDir(), "m.gguf")
	require.NoError(b, os.WriteFile(path, encode(b, bigVocab(), nil), 0o600))
	b.ReportAllocs()
	for b.Loop() {
		f, err := gguf.Open(path)
		require.NoError(b, err)
		f.Strings("tokenizer.ggml.tokens")
		f.Strings("tokenizer.ggml.merges")
		require.NoError(b, f.Close())
	}
}

// TestRealModels opens the real files and checks facts published for them.
func TestRealModels(t *testing.T) {
	dir := os.Getenv("WINDOWSEAT_MODELS")
	if dir == "" {
		t.Skip("WINDOWSEAT_MODELS is not set: no real model files to read")
	}
	for name, c := range map[string]struct {
		arch    string
		vocab   int
		hidden  int
		tensors int
	}{
		"smollm2-135m-instruct-q4_1":         {"llama", 49152, 576, 272},
		"qwen2.5-coder-0.5b-instruct-q4_k_m": {"qwen2", 151936, 896, 291},
		"qwen2.5-coder-1.5b-instruct-q4_k_m": {"qwen2", 151936, 1536, 339},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := gguf.Open(filepath.Join(dir, name+".gguf"))
			if errors.Is(err, os.ErrNotExist) {
				t.Skip("model file is not present")
			}
			require.NoError(t, err)
			defer f.Close()
			arch, _ := f.String("general.architecture")
			assert.Equal(t, c.arch, arch)
			tokens, _ := f.Strings("tokenizer.ggml.tokens")
			assert.Len(t, tokens, c.vocab)
			embd, ok := f.Tensor("token_embd.weight")
			require.True(t, ok)
			assert.Equal(t, []int{c.vocab, c.hidden}, embd.Shape)
			assert.Len(t, f.Tensors(), c.tensors)
		})
	}
}

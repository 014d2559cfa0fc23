package tokenizer_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/tokenizer"
)

// viaFlat stores and restores a tokenizer.
func viaFlat(t testing.TB, tok *tokenizer.Tokenizer) *tokenizer.Tokenizer {
	t.Helper()
	flat := tok.AppendFlat(nil)
	again, err := tokenizer.FromFlat(flat)
	require.NoError(t, err)
	require.True(t, bytes.Equal(flat, again.AppendFlat(nil)), "stored twice, the tables differ")
	return again
}

// flatVocab has merges with virtual results, doubled words and all kinds of tokens.
func flatVocab(pre string) tokenizer.Vocab {
	v := smallVocab(pre, "l|l", "h|e", "he|ll", "hell|o", " |w", "o|r", " w|or", "\xe4\xbc|\x9a", "\xe4|\xbc", "e|ll", "1|2")
	v.Tokens = append(v.Tokens[:0:0], v.Tokens...)
	v.Tokens[258] = "<gone>" // a merge result and a byte without tokens of their own
	v.Tokens[7] = "<byte 7>"
	v.BOS, v.EOS, v.AddBOS = 257, int32(len(v.Tokens)-6), true
	v.Ends = []int32{3}
	return v
}

func TestFlatEquals(t *testing.T) {
	for _, pre := range tokenizer.Pretokenizers() {
		v := flatVocab(pre)
		a := newTokenizer(t, v)
		b := viaFlat(t, a)
		require.Equal(t, a.VocabSize(), b.VocabSize())
		for id := int32(-1); id <= int32(a.VocabSize()); id++ {
			require.Equal(t, a.Piece(id), b.Piece(id))
			require.Equal(t, a.IsControl(id), b.IsControl(id))
			require.Equal(t, a.IsEOG(id), b.IsEOG(id))
		}
		for _, s := range append(v.Tokens, "", "nosuch") {
			ida, oka := a.ID(s)
			idb, okb := b.ID(s)
			require.Equal(t, ida, idb, s)
			require.Equal(t, oka, okb, s)
		}
		assert.Equal(t, a.MissingBytes(), b.MissingBytes())
		assert.Equal(t, []byte{7}, b.MissingBytes())
		bosA, okA := a.BOS()
		bosB, okB := b.BOS()
		assert.Equal(t, bosA, bosB)
		assert.Equal(t, okA, okB)
		assert.Equal(t, a.AddBOS(), b.AddBOS())
		for _, text := range []string{"hello world 12 会\x07", "<|im_start|>hell<tool_call>o", strings.Repeat("hello", 50), "\xff\xe4\xbc"} {
			assert.Equal(t, a.Encode(nil, text), b.Encode(nil, text), "%s %q", pre, text)
			assert.Equal(t, a.EncodeControl(nil, text), b.EncodeControl(nil, text), "%s %q", pre, text)
		}
	}
}

// TestFlatGoldens: the ids are llama.cpp's also when the tables come from the flat form.
func TestFlatGoldens(t *testing.T) {
	for model, golden := range map[string]string{smallModel: "smollm", qwenModel: "qwen2"} {
		t.Run(model, func(t *testing.T) {
			for _, d := range differences(viaFlat(t, realModel(t, model)), readGoldens(t, golden)) {
				t.Error(d)
			}
		})
	}
}

// TestFlatDamaged: cut tables, and every word of small ones set to bad values, give an
// error or a tokenizer that ends every call without a crash.
func TestFlatDamaged(t *testing.T) {
	for _, pre := range []string{"qwen2", "llama-bpe"} {
		flat := newTokenizer(t, flatVocab(pre)).AppendFlat(nil)
		for n := 0; n < len(flat); n += 1 + n/50 {
			_, err := tokenizer.FromFlat(bytes.Clone(flat[:n]))
			require.Error(t, err, "%d of %d bytes", n, len(flat))
		}
		_, err := tokenizer.FromFlat(append(bytes.Clone(flat), 0, 0, 0, 0))
		require.Error(t, err)
		refused := 0
		for at := 0; at+4 <= len(flat); at += 4 {
			for _, value := range []uint32{0, 1, 0xffffffff, 0x7fffffff, 1 << 20} {
				b := bytes.Clone(flat)
				binary.LittleEndian.PutUint32(b[at:], value)
				if !exercise(b) {
					refused++
				}
			}
		}
		assert.Greater(t, refused, len(flat)/4, "most changes are noticed")
	}
}

// exercise uses a tokenizer from flat tables in every way. It reports whether they
// were accepted.
func exercise(flat []byte) bool {
	tok, err := tokenizer.FromFlat(flat)
	if err != nil {
		return false
	}
	text := "hello world 12 会\x07<|im_start|>x" + strings.Repeat("hello", 30)
	ids := tok.EncodeControl(tok.Encode(nil, text), text)
	tok.Decode(ids)
	for id := range int32(tok.VocabSize()) {
		tok.Piece(id)
		tok.IsEOG(id)
	}
	tok.ID("hello")
	tok.ID("")
	tok.BOS()
	tok.EOS()
	return true
}

func FuzzFromFlat(f *testing.F) {
	flat := newTokenizer(f, flatVocab("llama-bpe")).AppendFlat(nil)
	f.Add([]byte{1}, uint32(4))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, uint32(60))
	f.Add(bytes.Repeat([]byte{0}, 2000), uint32(5000))
	f.Fuzz(func(_ *testing.T, change []byte, at uint32) {
		b := bytes.Clone(flat)
		copy(b[at%uint32(len(b)):], change)
		exercise(b)
		exercise(change)
	})
}

// TestFlatRandom changes words at random, several at once.
func TestFlatRandom(t *testing.T) {
	flat := newTokenizer(t, flatVocab("llama-bpe")).AppendFlat(nil)
	rng := rand.New(rand.NewPCG(9, 9))
	accepted := 0
	for range 3000 {
		b := bytes.Clone(flat)
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(b)/4) * 4
			binary.LittleEndian.PutUint32(b[at:], uint32(rng.IntN(300)))
		}
		if exercise(b) {
			accepted++
		}
	}
	assert.NotZero(t, accepted, "some changes are no more than other tokens")
}

func BenchmarkFromFlat(b *testing.B) {
	flat := newTokenizer(b, bigVocab()).AppendFlat(nil)
	b.SetBytes(int64(len(flat)))
	for b.Loop() {
		_, err := tokenizer.FromFlat(flat)
		require.NoError(b, err)
	}
}

// TestFlatVersion: stored tables outlive the program that made them, so the same
// vocabulary must give the same bytes as long as FlatVersion is the same. When this
// fails because the tables or the end tokens were changed, count FlatVersion up and
// record the sum.
func TestFlatVersion(t *testing.T) {
	require.Equal(t, 1, tokenizer.FlatVersion, "the sum below is that of version 1")
	v := flatVocab("llama-bpe")
	v.Tokens, v.Types = append(v.Tokens, tokenizer.EndSpellings()...), nil
	slices.Sort(v.Tokens)
	v.Tokens = slices.Compact(v.Tokens)
	flat := newTokenizer(t, v).AppendFlat(nil)
	assert.Equal(t, uint32(0x8df5307b), crc32.ChecksumIEEE(flat))
}

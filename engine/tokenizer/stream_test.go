package tokenizer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/tokenizer"
)

// TestStreamSplits is case G7: a text cut into pieces at every pair of bytes
// comes out whole, and never with a replacement character.
func TestStreamSplits(t *testing.T) {
	for _, text := range []string{"赋", "歪", "👨‍👩‍👧", "🇨🇳", "a赋b", "é\u0301", "\ufffd"} {
		for i := 0; i <= len(text); i++ {
			for j := i; j <= len(text); j++ {
				var s tokenizer.UTF8Stream
				var got strings.Builder
				for _, piece := range []string{text[:i], text[i:j], text[j:]} {
					out := s.Push([]byte(piece))
					require.True(t, utf8.ValidString(out), "%q", out)
					got.WriteString(out)
				}
				assert.Equal(t, text, got.String(), "cut at %d and %d", i, j)
				assert.Zero(t, s.Held())
			}
		}
	}
}

func TestStreamByteByByte(t *testing.T) {
	const text = "赋能 歪 👨‍👩‍👧🇨🇳 end"
	var s tokenizer.UTF8Stream
	got := ""
	for i := range len(text) {
		got += s.Push([]byte{text[i]})
	}
	assert.Equal(t, text, got)
}

func TestStreamHalfAndInvalid(t *testing.T) {
	for name, c := range map[string]struct {
		pieces []string
		want   string
		held   int
	}{
		"half_at_end":       {[]string{"ab", "\xe8\xb5"}, "ab", 2},
		"three_of_four":     {[]string{"\xf0\x9f\x91"}, "", 3},
		"invalid_byte":      {[]string{"a\xffb"}, "ab", 0},
		"half_then_text":    {[]string{"\xe8\xb5", "abc"}, "abc", 0},
		"half_then_whole":   {[]string{"\xe8\xb5", "赋"}, "赋", 0},
		"lone_continuation": {[]string{"\x8b", "x"}, "x", 0},
		"surrogate":         {[]string{"\xed\xa0\x80x"}, "x", 0},
		"overlong":          {[]string{"\xc0\x80x"}, "x", 0},
		"empty":             {[]string{"", ""}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var s tokenizer.UTF8Stream
			got := ""
			for _, p := range c.pieces {
				got += s.Push([]byte(p))
			}
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.held, s.Held())
		})
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("赋\xff👨‍👩‍👧"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		var s tokenizer.UTF8Stream
		got := ""
		for rest := data; len(rest) > 0; {
			n := min(int(step)%5+1, len(rest))
			got += s.Push(rest[:n])
			rest = rest[n:]
		}
		require.True(t, utf8.ValidString(got))
		if utf8.Valid(data) {
			require.Equal(t, string(data), got)
		}
		require.Less(t, s.Held(), utf8.UTFMax)
	})
}

package tokenizer

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/dlclark/regexp2/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The published patterns.
// Source: tokenizer.json of GPT-2, Qwen2 and Llama 3, in the spelling of
// llama.cpp src/llama-vocab.cpp, MIT licence.
const (
	patternGPT2   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	patternQwen2  = `(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternLlama3 = `(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// matches cuts s with a regular-expression engine; every character must be matched.
func matches(t testing.TB, re *regexp2.Regexp, s string) []string {
	t.Helper()
	var words []string
	spans, err := re.FindAllStringIndex(s, -1)
	require.NoError(t, err)
	at := 0
	for _, sp := range spans {
		require.Equal(t, at, sp[0], "%q", s)
		words = append(words, s[sp[0]:sp[1]])
		at = sp[1]
	}
	require.Equal(t, len(s), at, "%q", s)
	return words
}

// isolated cuts at every number first, then the rest with the pattern.
func isolated(t testing.TB, re *regexp2.Regexp, s string) []string {
	var words []string
	rest := func(part string) { words = append(words, matches(t, re, part)...) }
	from := 0
	for i, r := range s {
		if unicode.IsNumber(r) {
			rest(s[from:i])
			words = append(words, string(r))
			from = i + len(string(r))
		}
	}
	rest(s[from:])
	return words
}

func split(pre, s string) []string {
	var words []string
	for len(s) > 0 {
		n := pretokenizers[pre].next(classTable(), s)
		words = append(words, s[:n])
		s = s[n:]
	}
	return words
}

// atoms cover each class and each character that a pattern names.
var atoms = []string{
	"a", "B", "s", "S", "t", "re", "VE", "m", "ll", "LL", "d", "'", "'s", "'LL", " ", " ", "  ", "\n", "\r", "\t", "\v", "\u0085",
	"\u00a0", "\u3000", "\u2028", "7", "42", "½", "Ⅳ", "٣", "会", "议", "é", "e\u0301", "ß", "ǅ", "ʰ", "😀", "👨‍👩‍👧", "\u200d", "\ufeff", "!", "。", "，",
	"-", "_", "\x00", "\x7f", "\U00020bb7", "\U0010ffff", "ſ", "\u212a",
}

func TestSplitAgainstPatterns(t *testing.T) {
	gpt2, qwen2, llama3 := regexp2.MustCompile(patternGPT2), regexp2.MustCompile(patternQwen2), regexp2.MustCompile(patternLlama3)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			b.WriteString(atoms[rng.IntN(len(atoms))])
		}
		s := b.String()
		require.Equal(t, matches(t, gpt2, s), split("gpt-2", s), "gpt-2 %q", s)
		require.Equal(t, matches(t, qwen2, s), split("qwen2", s), "qwen2 %q", s)
		require.Equal(t, matches(t, llama3, s), split("llama-bpe", s), "llama-bpe %q", s)
		require.Equal(t, isolated(t, gpt2, s), split("smollm", s), "smollm %q", s)
	}
}

// TestSplitEveryCharacter checks the class of every character in a context that
// tells the classes apart.
func TestSplitEveryCharacter(t *testing.T) {
	qwen2 := regexp2.MustCompile(patternQwen2)
	var b strings.Builder
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xD800 && r < 0xE000 || r >= 0x2EBF0 && r <= 0x2EE5D {
			continue // surrogates; Extension I, which Go's tables do not know
		}
		if r > 0x40000 && r%97 != 0 {
			continue // unassigned, private use and tags
		}
		fmt.Fprintf(&b, "!%ca%c", r, r)
		if b.Len() > 4000 {
			require.Equal(t, matches(t, qwen2, b.String()), split("qwen2", b.String()), "up to %U", r)
			b.Reset()
		}
	}
}

// TestClassTable pins the table to the one that llama.cpp's Unicode data
// (src/unicode-data.cpp, Unicode 15.1) gives: FNV-1a over the classes of all
// code points below classTableSize. A Go release with newer tables fails here.
func TestClassTable(t *testing.T) {
	h := fnv.New64a()
	for _, c := range classTable() {
		h.Write([]byte{byte(c)})
	}
	assert.Equal(t, uint64(0x72c7dda15ca5eb9e), h.Sum64())
	for r := rune(classTableSize); r <= unicode.MaxRune; r++ {
		require.False(t, unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSpace(r), "%U", r)
	}
}

func TestSplitInvalidUTF8(t *testing.T) {
	assert.Equal(t, []string{"a", "\xff\xe4\xbc", "b"}, split("gpt-2", "a\xff\xe4\xbcb"))
	assert.Equal(t, []string{"a", "\xff\xe4", "b", "\xffc"}, split("qwen2", "a\xff\xe4b\xffc"))
}

func FuzzSplit(f *testing.F) {
	f.Add("It's 会议 42\r\n  \xff!")
	f.Fuzz(func(t *testing.T, s string) {
		for pre := range pretokenizers {
			require.Equal(t, s, strings.Join(split(pre, s), ""), pre)
		}
	})
}

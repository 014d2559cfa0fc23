package tokenizer

import (
	"maps"
	"slices"
)

// pretokenizer cuts text into words; merges never cross a word boundary.
type pretokenizer struct {
	// next returns the length in bytes of the first word of s, which is not
	// empty. The rest of s is then cut in the same way, independent of what went before.
	next       func(t *[classTableSize]class, s string) int
	wholeWords bool // a word that is a token is that token, whatever the merges say
	addBOS     bool // default when the file does not say
}

// pretokenizers maps tokenizer.ggml.pre to its splitter. smollm isolates every
// \p{N} first and applies the GPT-2 pattern to the texts between. Each splitter
// is checked in the tests against its pattern in a regular-expression engine.
// Source: llama.cpp src/llama-vocab.cpp (pattern per name), MIT licence.
var pretokenizers = map[string]pretokenizer{
	"gpt-2":            {next: nextGPT2},
	"smollm":           {next: nextSmolLM},
	"qwen2":            {next: nextQwen2},
	"deepseek-r1-qwen": {next: nextQwen2},
	"llama-bpe":        {next: nextLlama3, wholeWords: true, addBOS: true},
	"llama3":           {next: nextLlama3, wholeWords: true, addBOS: true},
	"llama-v3":         {next: nextLlama3, wholeWords: true, addBOS: true},
}

// Pretokenizers lists the supported values of tokenizer.ggml.pre.
func Pretokenizers() []string { return slices.Sorted(maps.Keys(pretokenizers)) }

func nextGPT2(t *[classTableSize]class, s string) int   { return nextOld(t, s, false) }
func nextSmolLM(t *[classTableSize]class, s string) int { return nextOld(t, s, true) }
func nextQwen2(t *[classTableSize]class, s string) int  { return nextNew(t, s, 1) }
func nextLlama3(t *[classTableSize]class, s string) int { return nextNew(t, s, 3) }

// nextOld matches the GPT-2 pattern at the start of s:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// With isolate every number is a
// word of its own and counts as the end of the text for what stands before it.
func nextOld(t *[classTableSize]class, s string, isolate bool) int {
	if n := contraction(s, false); n > 0 {
		return n
	}
	c, n := classAt(t, s, 0)
	if c == number && isolate {
		return n
	}
	i := 0
	if s[0] == ' ' {
		i = 1
		c, _ = classAt(t, s, 1)
	}
	if c == letter || c == other || c == number && !isolate {
		return run(t, s, i, c) // " ?\p{L}+", " ?\p{N}+" or " ?[^\s\p{L}\p{N}]+"
	}
	stop, last := 0, 0 // the white space is s[:stop], its last character s[last:stop]
	for {
		c, n := classAt(t, s, stop)
		if c != space {
			return cutSpace(last, stop, c == end || c == number && isolate)
		}
		last, stop = stop, stop+n
	}
}

// nextNew matches the pattern of Qwen2 (maxDigits 1) or Llama 3 (3) at the start of s:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,maxDigits}|
//	 ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// where (?i) folds ASCII only, as llama.cpp has it.
func nextNew(t *[classTableSize]class, s string, maxDigits int) int {
	if n := contraction(s, true); n > 0 {
		return n
	}
	newline := func(i int) bool { return i < len(s) && (s[i] == '\r' || s[i] == '\n') }
	c, n := classAt(t, s, 0)
	switch {
	case c == letter:
		return run(t, s, n, letter)
	case c == number:
		i := n
		for digits := 1; digits < maxDigits; digits++ {
			c, n := classAt(t, s, i)
			if c != number {
				break
			}
			i += n
		}
		return i
	case !newline(0):
		if c2, n2 := classAt(t, s, n); c2 == letter { // [^\r\n\p{L}\p{N}]?\p{L}+
			return run(t, s, n+n2, letter)
		}
	}
	i := 0
	if s[0] == ' ' {
		i = 1
		c, _ = classAt(t, s, 1)
	}
	if c == other { // " ?[^\s\p{L}\p{N}]+[\r\n]*"
		i = run(t, s, i, other)
		for newline(i) {
			i++
		}
		return i
	}
	stop, last, afterNewline := 0, 0, 0
	for {
		c, n := classAt(t, s, stop)
		if c != space {
			if afterNewline > 0 {
				return afterNewline // \s*[\r\n]+
			}
			return cutSpace(last, stop, c == end)
		}
		last, stop = stop, stop+n
		if newline(last) {
			afterNewline = stop
		}
	}
}

// cutSpace decides between "\s+(?!\S)" and "\s+" for the white space s[:stop]
// whose last character begins at last: that character is left to the next word
// unless the text ends here or it stands alone.
func cutSpace(last, stop int, atEnd bool) int {
	if atEnd || last == 0 {
		return stop
	}
	return last
}

// contraction returns the length of an English contraction at the start of s, 0
// if there is none.
func contraction(s string, foldCase bool) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	lower := func(b byte) byte {
		if foldCase && b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		return b
	}
	a := lower(s[1])
	switch a {
	case 's', 't', 'm', 'd':
		return 2
	}
	if len(s) < 3 {
		return 0
	}
	switch b := lower(s[2]); {
	case a == 'r' && b == 'e', a == 'v' && b == 'e', a == 'l' && b == 'l':
		return 3
	}
	return 0
}

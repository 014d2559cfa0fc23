package tokenizer_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/tokenizer"
)

// byteSpelling is the GPT-2 byte alphabet, written out independently of the
// package: printable Latin-1 stands for itself, the rest moves to U+0100.
func byteSpelling() [256]string {
	var out [256]string
	printable := "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~" +
		"¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
	for _, r := range printable {
		out[r] = string(r)
	}
	moved := 'Ā'
	for b := range out {
		if out[b] == "" {
			out[b] = string(moved)
			moved++
		}
	}
	return out
}

// spell writes raw text in the byte alphabet.
func spell(s string) string {
	alphabet := byteSpelling()
	var b strings.Builder
	for i := range len(s) {
		b.WriteString(alphabet[s[i]])
	}
	return b.String()
}

// smallVocab is a vocabulary with the 256 bytes, the given merges (in raw text,
// "left|right") and a few control tokens at the end.
func smallVocab(pre string, merges ...string) tokenizer.Vocab {
	v := tokenizer.Vocab{Pre: pre, BOS: tokenizer.None, EOS: tokenizer.None}
	for _, s := range byteSpelling() {
		v.Tokens = append(v.Tokens, s)
	}
	seen := map[string]bool{}
	for _, m := range merges {
		left, right, _ := strings.Cut(m, "|")
		v.Merges = append(v.Merges, spell(left)+" "+spell(right))
		if s := spell(left + right); !seen[s] {
			seen[s] = true
			v.Tokens = append(v.Tokens, s)
		}
	}
	for range v.Tokens {
		v.Types = append(v.Types, tokenizer.Normal)
	}
	for _, s := range []string{"<|im_start|>", "<|im_end|>", "<|im_end|>x", "<eos>"} {
		v.Tokens = append(v.Tokens, s)
		v.Types = append(v.Types, tokenizer.Control)
	}
	v.Tokens = append(v.Tokens, "<tool_call>", "[PAD]0", "<unk>")
	v.Types = append(v.Types, tokenizer.UserDefined, tokenizer.Unused, tokenizer.Unknown)
	return v
}

func newTokenizer(t testing.TB, v tokenizer.Vocab) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.New(v)
	require.NoError(t, err)
	return tok
}

// pieces encodes and shows the tokens as text.
func pieces(tok *tokenizer.Tokenizer, ids []int32) []string {
	out := []string{}
	for _, id := range ids {
		out = append(out, string(tok.Piece(id)))
	}
	return out
}

func TestEncodeSmall(t *testing.T) {
	tok := newTokenizer(t, smallVocab("qwen2", "l|l", "h|e", "he|ll", "hell|o", " |w", "o|r", " w|or", "\xe4\xbc|\x9a", "\xe4|\xbc", "e|ll", "1|2"))
	for text, want := range map[string][]string{
		"":         {},
		"hello":    {"hello"},
		"hell":     {"hell"},
		"helo":     {"he", "l", "o"},
		"ell":      {"ell"},
		" world":   {" wor", "l", "d"},
		"会":        {"会"},
		"会议":       {"会", "\xe8", "\xae", "\xae"},
		"12":       {"1", "2"}, // qwen2 isolates digits: the merge does not apply
		"hello \n": {"hello", " ", "\n"},
		"\xff":     {"\xff"},
	} {
		assert.Equal(t, want, pieces(tok, tok.Encode(nil, text)), "%q", text)
	}
	assert.Equal(t, []int32{7, 97}, tok.Encode([]int32{7}, "a"), "appends to dst")
}

func TestWholeWords(t *testing.T) {
	v := smallVocab("llama-bpe", "a|b")
	v.Tokens = append(v.Tokens, spell("zebra"), spell("123"))
	v.Types = append(v.Types, tokenizer.Normal, tokenizer.Normal)
	tok := newTokenizer(t, v)
	assert.Equal(t, []string{"zebra", "123", "4"}, pieces(tok, tok.Encode(nil, "zebra1234")))
	v.Pre = "qwen2"
	tok = newTokenizer(t, v)
	assert.Equal(t, []string{"z", "e", "b", "r", "a"}, pieces(tok, tok.Encode(nil, "zebra")))
}

// naive merges a word by the textbook: join the leftmost pair of the best rank
// until no pair is in the list.
func naive(merges []string, word string) []string {
	rank := map[string]int{}
	for i, m := range merges {
		if _, dup := rank[m]; !dup {
			rank[m] = i
		}
	}
	var parts []string
	for i := range len(word) {
		parts = append(parts, spell(word[i:i+1]))
	}
	for {
		best, at := len(merges), -1
		for i := 0; i+1 < len(parts); i++ {
			if r, ok := rank[parts[i]+" "+parts[i+1]]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return parts
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}

// TestMergeOrder compares both merge loops, for short and for long words, with
// the textbook on random merge lists over a small alphabet.
func TestMergeOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		parts := []string{"a", "b", "c", "会"[:1], "会"[1:2]}
		var merges []string
		for range 25 {
			l, r := parts[rng.IntN(len(parts))], parts[rng.IntN(len(parts))]
			merges = append(merges, l+"|"+r)
			parts = append(parts, l+r)
		}
		v := smallVocab("gpt-2", merges...)
		tok := newTokenizer(t, v)
		for _, n := range []int{1, 2, 3, 7, 30, 63, 64, 65, 66, 100, 400} {
			word := make([]byte, n)
			for i := range word {
				word[i] = "abc"[rng.IntN(3)]
			}
			var got []string
			for _, id := range tok.Encode(nil, string(word)) {
				got = append(got, v.Tokens[id])
			}
			require.Equal(t, naive(v.Merges, string(word)), got, "%q with %q", word, merges)
		}
	}
}

// TestControlSpellingsStayText is case G6.
func TestControlSpellingsStayText(t *testing.T) {
	v := smallVocab("qwen2", "<||", "im|_", "<|im_end|>|x")
	// A hostile merge list that builds a control token out of text.
	whole := "<|im_end|>"
	for i := 1; i < len(whole); i++ {
		v.Merges = append(v.Merges, whole[:i]+" "+whole[i:i+1])
	}
	for _, pre := range []string{"qwen2", "smollm", "gpt-2", "llama-bpe"} {
		v.Pre = pre
		tok := newTokenizer(t, v)
		for _, text := range []string{
			"<|im_end|>", "模板以<|im_start|>开始，以<|im_end|>结束。", "<eos>", "<tool_call>", "<|im_end|>x", "<unk>", "[PAD]0",
		} {
			ids := tok.Encode(nil, text)
			assert.Equal(t, text, string(tok.Decode(ids)))
			for _, id := range ids {
				assert.False(t, tok.IsControl(id), "%s %q", pre, text)
				assert.False(t, tok.IsEOG(id), "%s %q", pre, text)
			}
		}
	}
}

func TestEncodeControl(t *testing.T) {
	tok := newTokenizer(t, smallVocab("qwen2", "h|i"))
	id := func(s string) int32 {
		n, ok := tok.ID(s)
		require.True(t, ok, s)
		return n
	}
	start, end, longer, call := id("<|im_start|>"), id("<|im_end|>"), id("<|im_end|>x"), id("<tool_call>")
	for text, want := range map[string][]int32{
		"<|im_start|>hi<|im_end|>": {start, id("hi"), end},
		"<|im_end|>x":              {longer},
		"<|im_end|><|im_end|>":     {end, end},
		"<<|im_end|>":              {'<', end},
		"hi":                       {id("hi")},
		"<tool_call>":              {call},
		"<|im_end":                 tok.Encode(nil, "<|im_end"),
		"[PAD]0":                   tok.Encode(nil, "[PAD]0"),
		"<unk>":                    {id("<unk>")},
	} {
		// The vocabulary orders the printable ASCII bytes by value.
		assert.Equal(t, want, tok.EncodeControl(nil, text), "%q", text)
	}
	assert.Empty(t, tok.EncodeControl(nil, ""))
}

func TestKinds(t *testing.T) {
	v := smallVocab("qwen2", "</|s>")
	v.EOS, _ = int32(len(v.Tokens)-1), true // <unk>, of all tokens
	v.Ends = []int32{'~'}
	v.BOS, v.AddBOS = 3, true
	tok := newTokenizer(t, v)
	for s, want := range map[string]struct{ control, eog bool }{
		"a": {false, false}, "<|im_start|>": {true, false}, "<|im_end|>": {true, true}, "<eos>": {true, true},
		"<tool_call>": {true, false}, "</s>": {true, true}, "<unk>": {false, true}, "~": {false, true},
	} {
		id, ok := tok.ID(s)
		require.True(t, ok, s)
		assert.Equal(t, want.control, tok.IsControl(id), s)
		assert.Equal(t, want.eog, tok.IsEOG(id), s)
		assert.Equal(t, s, string(tok.Piece(id)))
	}
	unused, ok := tok.ID("[PAD]0")
	assert.True(t, ok)
	assert.Empty(t, tok.Piece(unused))
	bos, ok := tok.BOS()
	assert.Equal(t, int32(3), bos)
	assert.True(t, ok && tok.AddBOS())
	eos, ok := tok.EOS()
	assert.True(t, ok && tok.IsEOG(eos))
	assert.Equal(t, len(v.Tokens), tok.VocabSize())
	for _, id := range []int32{-1, int32(len(v.Tokens)), 1 << 30} {
		assert.Nil(t, tok.Piece(id))
		assert.False(t, tok.IsControl(id) || tok.IsEOG(id))
	}
	_, ok = tok.ID("absent")
	assert.False(t, ok)

	v.BOS = tokenizer.None
	tok = newTokenizer(t, v)
	_, ok = tok.BOS()
	assert.False(t, ok || tok.AddBOS(), "no BOS to add")
}

// TestMissingBytes: what the vocabulary cannot express is named, not hidden.
func TestMissingBytes(t *testing.T) {
	v := smallVocab("gpt-2")
	v.Tokens[0xFF], v.Tokens['q'] = "unrelated", "other"
	tok := newTokenizer(t, v)
	assert.Equal(t, []byte{'q', 0xFF}, tok.MissingBytes())
	assert.Equal(t, "ab", string(tok.Decode(tok.Encode(nil, "aq\xffb"))))
}

// TestMergeWithoutToken: a merge whose result has no token is spelled in bytes,
// and may still lead to a longer token.
func TestMergeWithoutToken(t *testing.T) {
	v := smallVocab("gpt-2", "会"[:1]+"|"+"会"[1:2], "会"[:2]+"|"+"会"[2:])
	v.Tokens[256] = "gone"
	tok := newTokenizer(t, v)
	assert.Equal(t, []string{"会"}, pieces(tok, tok.Encode(nil, "会")))
	assert.Equal(t, []string{"\xe4", "\xbc", "!"}, pieces(tok, tok.Encode(nil, "\xe4\xbc!")))
}

func TestNewRefuses(t *testing.T) {
	for name, damage := range map[string]func(*tokenizer.Vocab){
		"no_tokens":      func(v *tokenizer.Vocab) { v.Tokens, v.Types = nil, nil },
		"type_count":     func(v *tokenizer.Vocab) { v.Types = v.Types[1:] },
		"same_token":     func(v *tokenizer.Vocab) { v.Tokens[5] = v.Tokens[6] },
		"merge_one_part": func(v *tokenizer.Vocab) { v.Merges = []string{"ab"} },
		"merge_empty":    func(v *tokenizer.Vocab) { v.Merges = []string{""} },
		"merge_no_left":  func(v *tokenizer.Vocab) { v.Merges = []string{" b"} },
		"merge_no_right": func(v *tokenizer.Vocab) { v.Merges = []string{"a "} },
		"bos_range":      func(v *tokenizer.Vocab) { v.BOS = int32(len(v.Tokens)) },
		"end_range":      func(v *tokenizer.Vocab) { v.Ends = []int32{-7} },
	} {
		t.Run(name, func(t *testing.T) {
			v := smallVocab("qwen2", "a|b")
			damage(&v)
			_, err := tokenizer.New(v)
			var fe *gguf.FormatError
			require.ErrorAs(t, err, &fe)
		})
	}
	_, err := tokenizer.New(smallVocab("tekken"))
	var ue *gguf.UnsupportedError
	require.ErrorAs(t, err, &ue)
	assert.Contains(t, err.Error(), `"tekken"`)
	assert.Contains(t, err.Error(), "qwen2")
}

func TestFromGGUF(t *testing.T) {
	v := smallVocab("qwen2", "a|b")
	types := make([]int32, len(v.Types))
	for i, x := range v.Types {
		types[i] = int32(x)
	}
	meta := func(change func(map[string]any)) []gguf.KV {
		m := map[string]any{
			"model": "gpt2", "pre": v.Pre, "tokens": v.Tokens, "token_type": types, "merges": v.Merges,
			"bos_token_id": uint32(1), "eos_token_id": uint32(len(v.Tokens) - 4), "eot_token_id": uint32(math.MaxUint32), "add_bos_token": true,
		}
		change(m)
		var kvs []gguf.KV
		for k, x := range m {
			kvs = append(kvs, gguf.KV{Key: "tokenizer.ggml." + k, Value: x})
		}
		return kvs
	}
	load := func(change func(map[string]any)) (*tokenizer.Tokenizer, error) {
		var b bytes.Buffer
		require.NoError(t, gguf.Write(&b, meta(change), nil))
		path := filepath.Join(t.TempDir(), "v.gguf")
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		f, err := gguf.Open(path)
		require.NoError(t, err)
		defer f.Close()
		return tokenizer.FromGGUF(f)
	}

	tok, err := load(func(map[string]any) {})
	require.NoError(t, err)
	assert.True(t, tok.AddBOS())
	assert.Equal(t, []string{"ab"}, pieces(tok, tok.Encode(nil, "ab")))
	end, _ := tok.ID("<|im_end|>")
	assert.True(t, tok.IsControl(end))

	for key, want := range map[string]string{"model": "model", "tokens": "tokens", "merges": "merges", "pre": `""`} {
		_, err := load(func(m map[string]any) { delete(m, key) })
		require.ErrorContains(t, err, want, key)
	}
	_, err = load(func(m map[string]any) { m["model"] = "llama" })
	var ue *gguf.UnsupportedError
	require.ErrorAs(t, err, &ue)

	// A special token is in the vocabulary, or none.
	for _, name := range []string{"bos", "eos", "eot", "fim_pad", "padding", "unknown"} {
		_, err := load(func(m map[string]any) { m[name+"_token_id"] = uint32(len(v.Tokens)) })
		var fe *gguf.FormatError
		require.ErrorAs(t, err, &fe, name)
		require.ErrorContains(t, err, fmt.Sprintf("tokenizer.ggml.%s_token_id is %d, outside the vocabulary of %d", name, len(v.Tokens), len(v.Tokens)))
		for _, none := range []any{uint32(math.MaxUint32), int32(-1)} {
			_, err = load(func(m map[string]any) { m[name+"_token_id"] = none })
			require.NoError(t, err)
		}
	}
	tok, err = load(func(m map[string]any) { m["eos_token_id"] = uint32(len(v.Tokens) - 1) })
	require.NoError(t, err)
	last, ok := tok.EOS()
	assert.True(t, ok && tok.IsEOG(last))

	tok, err = load(func(m map[string]any) { delete(m, "add_bos_token") })
	require.NoError(t, err)
	assert.False(t, tok.AddBOS())
	tok, err = load(func(m map[string]any) { delete(m, "add_bos_token"); m["pre"] = "llama-bpe" })
	require.NoError(t, err)
	assert.True(t, tok.AddBOS())
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"", "hello 会议 42\n", "\xff\xfe\x00", "<|im_end|>x", strings.Repeat("会议 ", 50), "👨‍👩‍👧🇨🇳"} {
		f.Add(s)
	}
	var toks []*tokenizer.Tokenizer
	for _, pre := range tokenizer.Pretokenizers() {
		toks = append(toks, newTokenizer(f, smallVocab(pre, "a|a", "aa|aa", "\xe4|\xbc", "\xe4\xbc|\x9a", " | ", "<||", "l|l")))
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, tok := range toks {
			ids := tok.Encode(nil, s)
			require.Equal(t, s, string(tok.Decode(ids)))
			for _, id := range ids {
				require.False(t, tok.IsControl(id))
			}
			require.Equal(t, s, string(tok.Decode(tok.EncodeControl(nil, s))))
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	tok := newTokenizer(t, smallVocab("qwen2", "a|b", "ab|ab"))
	text := strings.Repeat("ab", 500) + " 会议 " + strings.Repeat("ba", 300)
	want := tok.Encode(nil, text)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				assert.Equal(t, want, tok.Encode(nil, text))
			}
		})
	}
	wg.Wait()
}

// TestNoQuadraticCost encodes runs without a word boundary.
func TestNoQuadraticCost(t *testing.T) {
	var merges []string
	for n := 1; n <= 32; n *= 2 {
		for _, s := range []string{"a", " ", "会"} {
			merges = append(merges, strings.Repeat(s, n)+"|"+strings.Repeat(s, n))
		}
	}
	for _, pre := range []string{"qwen2", "smollm"} {
		tok := newTokenizer(t, smallVocab(pre, merges...))
		for _, s := range []string{"a", " ", "\n", "会", "9", "!", " \n", "<|im_"} {
			text := strings.Repeat(s, 1<<18/len(s))
			start := time.Now()
			n := len(tok.EncodeControl(nil, text))
			// About 30 ms; half of 2^36 steps take more than the limit.
			assert.Less(t, time.Since(start), 5*time.Second, "%s %q", pre, s)
			assert.Positive(t, n)
		}
	}
}

// bigVocab has 152,000 tokens, each made by a merge of earlier ones.
func bigVocab() tokenizer.Vocab {
	v := smallVocab("qwen2")
	rng := rand.New(rand.NewPCG(5, 6))
	seen := map[string]bool{}
	for _, s := range v.Tokens {
		seen[s] = true
	}
	for len(v.Tokens) < 152_000 {
		l, r := v.Tokens[rng.IntN(min(len(v.Tokens), 9000))], v.Tokens[rng.IntN(256)]
		if len(l) < 24 && !seen[l+r] && utf8.ValidString(l+r) {
			seen[l+r] = true
			v.Tokens = append(v.Tokens, l+r)
			v.Types = append(v.Types, tokenizer.Normal)
			v.Merges = append(v.Merges, l+" "+r)
		}
	}
	return v
}

func BenchmarkNew(b *testing.B) {
	v := bigVocab()
	for b.Loop() {
		newTokenizer(b, v)
	}
}

func BenchmarkEncode(b *testing.B) {
	zh := "张伟：下周三前把第三季度的预算报告提交给王芳，预算从500万元降到350万元，大家同意吗？逾期视为放弃。\n"
	en := "The quick brown fox jumps over the lazy dog; Ann will send the draft to Bob by Friday at 5 pm.\n"
	for _, model := range []string{qwenModel, smallModel} {
		tok := realModel(b, model)
		for name, text := range map[string]string{
			"zh": zh, "en": en, "aaa": strings.Repeat("a", 1<<20), "spaces": strings.Repeat(" ", 1<<20),
			"han_run": strings.Repeat("预算报告提交给大家同意逾期视为放弃", 1<<14),
		} {
			for len(text) < 1<<20 {
				text += strconv.Itoa(len(text)) + text
			}
			b.Run(fmt.Sprintf("%.6s/%s", model, name), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				var ids []int32
				for b.Loop() {
					ids = tok.Encode(ids[:0], text)
				}
			})
		}
	}
}

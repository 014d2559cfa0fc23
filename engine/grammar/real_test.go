package grammar_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/grammar"
	"windowseat/engine/tokenizer"
)

// realTokenizer loads the tokenizer of a model file, or skips.
func realTokenizer(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	folder := os.Getenv("WINDOWSEAT_MODELS")
	if folder == "" {
		t.Skip("WINDOWSEAT_MODELS is not set: no real vocabulary")
	}
	f, err := gguf.Open(filepath.Join(folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not in WINDOWSEAT_MODELS", name)
	}
	require.NoError(t, err)
	defer f.Close()
	tok, err := tokenizer.FromGGUF(f)
	require.NoError(t, err)
	return tok
}

const (
	qwen  = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
	smol  = "smollm2-135m-instruct-q4_1.gguf"
	notes = `{"title":"Weekly sync — 周会","date":"2026-03-18","items":[` +
		`{"task":"Send the \"Q2\" draft to finance, then wait for comments","owner":"Li Wei","due":"2026-03-20","priority":"high","done":false}, ` +
		`{"task": "将测试计划更新后发给所有人，并在周五前确认", "owner": null, "due": null, "done": true},` +
		`{"task":"Fix the crash on start-up\nand add a test 🚀","owner":"王芳","due":"2026-04-01","priority":"low","done":false}]}`
)

func TestRealVocabularies(t *testing.T) {
	for _, name := range []string{qwen, smol} {
		t.Run(name, func(t *testing.T) {
			tok := realTokenizer(t, name)
			before := heap()
			began := time.Now()
			x := grammar.NewVocabIndex(tok)
			t.Logf("index of %d tokens: %v, %d KiB; missing bytes %x", tok.VocabSize(), time.Since(began), (heap()-before)>>10, tok.MissingBytes())
			began = time.Now()
			g, err := grammar.Compile([]byte(meeting), x)
			require.NoError(t, err)
			t.Logf("compile: %v, shortest answer %d tokens", time.Since(began), g.Minimum())
			s := validator(t, meeting)
			follow(t, g, tok, notes)
			for seed := range uint64(4) {
				text, n := randomAnswer(t, g, tok, 150, seed)
				require.Empty(t, check(s, text, n, 150), text)
			}
		})
	}
}

// heap returns the live bytes.
func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// follow decodes the text in the tokenizer's own cut and checks each mask.
func follow(t *testing.T, g *grammar.Grammar, tok *tokenizer.Tokenizer, text string) {
	t.Helper()
	ids := tok.Encode(nil, text)
	m := newMatcher(t, g, len(ids)+g.Minimum())
	mask := make([]uint64, g.MaskWords())
	forced, skip := 0, 0
	for i, id := range ids {
		m.Mask(mask)
		require.NotZero(t, mask[id>>6]>>(id&63)&1, "token %d %q", i, tok.Piece(id))
		if skip == 0 {
			next := m.Forced(nil)
			for k, f := range next {
				require.Equal(t, ids[i+k], f, "forced %q, the tokenizer has %q", tok.Piece(f), tok.Piece(ids[i+k]))
			}
			forced += len(next)
			skip = len(next)
		}
		skip = max(0, skip-1)
		require.NoError(t, m.Accept(id))
	}
	require.True(t, m.Done())
	t.Logf("%d tokens, %d of them forced", len(ids), forced)
}

// randomAnswer draws uniformly among the allowed tokens.
func randomAnswer(t *testing.T, g *grammar.Grammar, tok *tokenizer.Tokenizer, budget int, seed uint64) (string, int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	m := newMatcher(t, g, budget)
	mask := make([]uint64, g.MaskWords())
	var text []byte
	n := 0
	for ; !m.Done(); n++ {
		m.Mask(mask)
		id := int32(r.IntN(tok.VocabSize()))
		for mask[id>>6]>>(id&63)&1 == 0 {
			id = (id + 1) % int32(tok.VocabSize())
		}
		require.NoError(t, m.Accept(id))
		text = append(text, tok.Piece(id)...)
	}
	require.True(t, json.Valid(text))
	return string(text), n
}

// BenchmarkMask decodes one answer of about 150 tokens: warm with a grammar that
// has seen it, cold with a fresh grammar each time (compiled outside the clock).
func BenchmarkMask(b *testing.B) {
	tok := realTokenizer(b, qwen)
	x := grammar.NewVocabIndex(tok)
	ids := tok.Encode(nil, notes)
	run := func(b *testing.B, g *grammar.Grammar, budget int) time.Duration {
		m, err := g.NewMatcher(budget)
		require.NoError(b, err)
		mask := make([]uint64, g.MaskWords())
		worst := time.Duration(0)
		for _, id := range ids {
			began := time.Now()
			m.Mask(mask)
			if err := m.Accept(id); err != nil {
				b.Fatal(err)
			}
			worst = max(worst, time.Since(began))
		}
		return worst
	}
	report := func(b *testing.B, worst time.Duration) {
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(ids)), "µs/token")
		b.ReportMetric(float64(worst.Microseconds()), "µs-worst")
	}
	fresh := func() *grammar.Grammar {
		g, err := grammar.Compile([]byte(meeting), x)
		require.NoError(b, err)
		return g
	}
	for name, budget := range map[string]int{"warm": 4000, "warm_tight": len(ids)} {
		b.Run(name, func(b *testing.B) {
			g := fresh()
			run(b, g, budget)
			worst := time.Duration(0)
			for b.Loop() {
				worst = max(worst, run(b, g, budget))
			}
			report(b, worst)
		})
	}
	b.Run("cold", func(b *testing.B) {
		worst := time.Duration(0)
		for b.Loop() {
			b.StopTimer()
			g := fresh()
			b.StartTimer()
			worst = max(worst, run(b, g, 4000))
		}
		report(b, worst)
	})
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			fresh()
		}
	})
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			grammar.NewVocabIndex(tok)
		}
	})
}

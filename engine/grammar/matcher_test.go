package grammar_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/grammar"
)

const meeting = `{"type":"object","additionalProperties":false,"required":["title","items"],"properties":{
	"title":{"type":"string","maxLength":80},
	"date":{"type":["string","null"],"format":"date"},
	"items":{"type":"array","maxItems":20,"items":{"type":"object","additionalProperties":false,"required":["task","owner","due","done"],"properties":{
		"task":{"type":"string","minLength":1,"maxLength":300},
		"owner":{"type":["string","null"]},
		"due":{"type":["string","null"],"pattern":"^\\d{4}-\\d{2}-\\d{2}$"},
		"priority":{"enum":["low","medium","high"]},
		"done":{"type":"boolean"}}}}}}`

// feed accepts a text byte by byte.
func feed(t testing.TB, m *grammar.Matcher, text string) {
	t.Helper()
	for i := range len(text) {
		require.NoError(t, m.Accept(int32(text[i])), "byte %d of %q", i, text)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	g := compile(t, meeting)
	m := newMatcher(t, g, 200)
	feed(t, m, `{"title":"a`)
	want := make([]uint64, g.MaskWords())
	m.Mask(want)
	c := m.Clone()
	feed(t, c, `b","items":[]}`)
	assert.True(t, c.Done())
	got := make([]uint64, g.MaskWords())
	m.Mask(got)
	assert.Equal(t, want, got)
	assert.False(t, m.Done())
	feed(t, m, `c", "date":null`)
	assert.True(t, c.Done())
	assert.Error(t, c.Accept(' '))
}

func TestEnd(t *testing.T) {
	v := synthetic()
	eog := int32(-1)
	for id := range v.eog {
		eog = max(eog, id)
	}
	g := compile(t, `{"type":"integer"}`)
	m := newMatcher(t, g, 10)
	require.ErrorIs(t, m.Accept(eog), grammar.ErrRejected)
	feed(t, m, "12")
	assert.True(t, m.Complete())
	assert.False(t, m.Done(), "another digit may follow")
	require.NoError(t, m.Accept(eog))
	assert.True(t, m.Done())
	assert.Zero(t, m.Minimum())
	mask := make([]uint64, g.MaskWords())
	m.Mask(mask)
	assert.Equal(t, make([]uint64, g.MaskWords()), mask)
	for _, id := range []int32{eog, '1', -1, 1 << 30} {
		require.ErrorIs(t, m.Accept(id), grammar.ErrRejected)
	}
	assert.Empty(t, m.Forced(nil))
}

func TestBudgetEnds(t *testing.T) {
	g := compile(t, `{"type":"integer"}`)
	m := newMatcher(t, g, 1)
	require.ErrorIs(t, m.Accept('-'), grammar.ErrRejected)
	feed(t, m, "7")
	assert.True(t, m.Done())
	_, err := g.NewMatcher(0)
	require.ErrorIs(t, err, grammar.ErrBudget)
}

// The least budget must suffice for every choice that the mask leaves.
func TestLeastBudget(t *testing.T) {
	g := compile(t, meeting)
	s := validator(t, meeting)
	seen := map[string]bool{}
	for i := range uint64(50) {
		p := &picker{r: rand.New(rand.NewPCG(i, 9)), bias: "long", v: synthetic()}
		text, n := generate(t, newMatcher(t, g, g.Minimum()), p, g.MaskWords())
		require.Empty(t, check(s, text, n, g.Minimum()), text)
		seen[text] = true
	}
	assert.Less(t, g.Minimum(), len(`{"title":"","items":[]}`))
	assert.NotEmpty(t, seen)
}

func TestForced(t *testing.T) {
	cases := []struct{ schema, before, want string }{
		{meeting, ``, `{"title`},
		{meeting, `{"title":"x"`, ``},
		{meeting, `{"title":"x","items":[`, ``},
		{meeting, `{"title":"x","items":[{`, `"task`},
		{meeting, `{"title":"x","items":[{"task":"x","owner":null,"due":n`, `ull`},
		{`{"const":"abcd会议"}`, ``, `"abcd会议"`},
		{`{"enum":["abx","aby"]}`, ``, `"ab`},
		{`{"type":"integer","minimum":7,"maximum":7}`, ``, `7`},
		{`{"type":"string","maxLength":0}`, `"`, `"`},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.before, " ", "_"), func(t *testing.T) {
			g := compile(t, c.schema)
			m := newMatcher(t, g, 300)
			feed(t, m, c.before)
			least := m.Minimum()
			ids := m.Forced(nil)
			assert.Equal(t, least, m.Minimum(), "Forced moves nothing")
			var text string
			for _, id := range ids {
				text += string(synthetic().Piece(id))
				require.NoError(t, m.Accept(id))
			}
			assert.Equal(t, c.want, text)
		})
	}
}

func TestForcedAddsTokens(t *testing.T) {
	m := newMatcher(t, compile(t, `{"const":"abcd会议"}`), 300)
	ids := m.Forced([]int32{42})
	require.Greater(t, len(ids), 2)
	assert.Equal(t, int32(42), ids[0])
}

func TestConcurrentUse(t *testing.T) {
	g := compile(t, meeting)
	s := validator(t, meeting)
	var wg sync.WaitGroup
	problems := make([]string, 8)
	for i := range problems {
		wg.Go(func() {
			m, err := g.NewMatcher(100)
			if err != nil {
				problems[i] = err.Error()
				return
			}
			p := &picker{r: rand.New(rand.NewPCG(uint64(i), 0)), bias: "long", v: synthetic()}
			mask := make([]uint64, g.MaskWords())
			var text []byte
			n := 0
			for ; !m.Done(); n++ {
				m.Mask(mask)
				id := p.pick(mask)
				text = append(text, p.v.Piece(id)...)
				if err := m.Accept(id); err != nil {
					problems[i] = err.Error()
					return
				}
			}
			problems[i] = check(s, string(text), n, 100)
		})
	}
	wg.Wait()
	assert.Equal(t, make([]string, len(problems)), problems)
}

func TestVocabularyWithoutBytes(t *testing.T) {
	v := newTestVocab()
	v.pieces['}'] = []byte("}}")
	_, err := grammar.Compile([]byte(`{"type":"null"}`), grammar.NewVocabIndex(v))
	require.ErrorIs(t, err, grammar.ErrVocab)
	v = newTestVocab()
	v.pieces[0xE4] = nil
	for id, p := range v.pieces {
		if strings.Contains(string(p), "会") {
			v.pieces[id] = nil
		}
	}
	x := grammar.NewVocabIndex(v)
	_, err = grammar.Compile([]byte(`{"type":"string"}`), x)
	require.NoError(t, err)
	for _, schema := range []string{`{"const":"会议"}`, `{"type":"object","properties":{"会":{"type":"null"}}}`, `{"type":"string","pattern":"^会$"}`} {
		_, err = grammar.Compile([]byte(schema), x)
		require.ErrorIs(t, err, grammar.ErrVocab, schema)
	}
}

func FuzzCompile(f *testing.F) {
	gen := &schemaGen{r: rand.New(rand.NewPCG(11, 12))}
	for range 20 {
		f.Add([]byte(gen.root()), uint64(1))
	}
	for _, s := range []string{meeting, `{"type":"string","pattern":"^(a{1,9}){1,9}[^é]\\S$"}`, `{"$ref":"#/$defs/~0","$defs":{"~":{"const":[1e400,-0]}}}`, `{"type":"number","minimum":-1e-9,"maximum":1e29}`, `[`, `{"oneOf":[{"const":1},{"const":1.0}]}`} {
		f.Add([]byte(s), uint64(2))
	}
	f.Fuzz(func(t *testing.T, schema []byte, seed uint64) {
		g, err := grammar.Compile(schema, syntheticIndex())
		if err != nil {
			return
		}
		budget := g.Minimum() + 5
		if budget > 3000 {
			return
		}
		p := &picker{r: rand.New(rand.NewPCG(seed, 1)), bias: "long", v: synthetic()}
		text, n := generate(t, newMatcher(t, g, budget), p, g.MaskWords())
		require.LessOrEqual(t, n, budget)
		require.True(t, json.Valid([]byte(text)), text)
	})
}

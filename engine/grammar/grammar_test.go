package grammar_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/grammar"
)

// validator compiles a schema with an independent implementation.
func validator(t testing.TB, schema string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err, schema)
	return s
}

func compile(t testing.TB, schema string) *grammar.Grammar {
	t.Helper()
	g, err := grammar.Compile([]byte(schema), syntheticIndex())
	require.NoError(t, err, schema)
	return g
}

func newMatcher(t testing.TB, g *grammar.Grammar, budget int) *grammar.Matcher {
	t.Helper()
	m, err := g.NewMatcher(budget)
	require.NoError(t, err)
	return m
}

// generate decodes until the end with tokens drawn by p and returns the text and
// the number of tokens without EOG.
func generate(t testing.TB, m *grammar.Matcher, p *picker, words int) (string, int) {
	t.Helper()
	var text []byte
	mask := make([]uint64, words)
	for n := 0; ; n++ {
		if m.Done() {
			return string(text), n
		}
		m.Mask(mask)
		id := p.pick(mask)
		require.GreaterOrEqual(t, id, int32(0), "no token allowed after %q", text)
		require.NoError(t, m.Accept(id), "token %d %q after %q", id, p.v.Piece(id), text)
		if p.v.IsEOG(id) {
			return string(text), n
		}
		text = append(text, p.v.Piece(id)...)
	}
}

// check reports what is wrong with an answer, "" if nothing is.
func check(s *jsonschema.Schema, text string, n, budget int) string {
	if n > budget {
		return "over budget"
	}
	if !json.Valid([]byte(text)) {
		return "not JSON"
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err.Error()
	}
	if err := s.Validate(value); err != nil {
		return err.Error()
	}
	return ""
}

func TestRandomSchemas(t *testing.T) {
	gen := &schemaGen{r: rand.New(rand.NewPCG(1, 2))}
	biases := []string{"none", "newlines", "long", "structure", "eog", "bytes"}
	caught := 0
	for i := range 500 {
		schema := gen.root()
		g := compile(t, schema)
		s := validator(t, schema)
		least := g.Minimum()
		_, err := g.NewMatcher(least - 1)
		require.ErrorIs(t, err, grammar.ErrBudget, schema)
		for j, bias := range biases {
			budget := least + []int{0, 1, 3, 10, 40, 120}[(i+j)%6]
			p := &picker{r: rand.New(rand.NewPCG(uint64(i), uint64(j))), bias: bias, v: synthetic()}
			text, n := generate(t, newMatcher(t, g, budget), p, g.MaskWords())
			require.Empty(t, check(s, text, n, budget), "schema %s\nbias %s budget %d\nanswer %s", schema, bias, budget, text)
			if check(s, strings.Replace(text, `"`, `x`, 1)+"x", n, budget) != "" {
				caught++
			}
		}
	}
	require.Equal(t, 3000, caught, "the check must see a corrupted answer")
}

func TestLanguage(t *testing.T) {
	obj := `{"type":"object","additionalProperties":false,"required":["b"],"properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{"type":"boolean"}}}`
	cases := []struct {
		name, schema string
		good, bad    []string
	}{
		{
			"object", obj,
			[]string{`{"b":""}`, `{"a":1,"b":"x"}`, `{"a": 1, "b": "x", "c": true}`, `{"b":"x","c":false}`},
			[]string{`{}`, `{"a":1}`, `{"b":"x","a":1}`, `{"b":"x",}`, `{ "b":"x"}`, "{\n\"b\":\"\"}", `{"b":  "x"}`, `{"b" :"x"}`, `{"b":"x"} `, `{"d":1,"b":""}`, `{"b":"x","b":"y"}`},
		},
		{"no properties", `{"type":"object"}`, []string{`{}`}, []string{`{ }`, `{"a":1}`}},
		{
			"array", `{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3}`,
			[]string{`[1]`, `[1,2]`, `[1, 2,3]`, `[-12]`},
			[]string{`[]`, `[1,2,3,4]`, `[1,]`, `[,1]`, `[1 ,2]`, `[ 1]`, `[01]`},
		},
		{"empty array", `{"type":"array","maxItems":0}`, []string{`[]`}, []string{`[1]`}},
		{
			"nested arrays", `{"type":"array","minItems":2,"items":{"type":"array","maxItems":1,"items":{"type":"null"}}}`,
			[]string{`[[],[]]`, `[[null],[],[null]]`},
			[]string{`[]`, `[[]]`, `[[null,null],[]]`},
		},
		{
			"string", `{"type":"string","minLength":1,"maxLength":3}`,
			[]string{`"a"`, `"会议室"`, `"😀😀😀"`, `"\n\u00e9\""`, `"\ud83d\ude00"`, `"\uD83D\uDE00ab"`, `"\/"`},
			[]string{`""`, `"abcd"`, `"😀😀😀😀"`, `"\ud83d"`, `"\ude00"`, `"\ud83d\u0041"`, `"\x"`, "\"\n\"", "\"\x00\"", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xe4\xbc\"", "\"\xf4\x90\x80\x80\"", `"\u12g4"`, `"a`},
		},
		{
			"integer", `{"type":"integer","minimum":-12,"maximum":130}`,
			[]string{`-12`, `-1`, `0`, `9`, `10`, `99`, `100`, `130`},
			[]string{`-13`, `-0`, `131`, `00`, `01`, `1.0`, `1e1`, `200`, `1000`, `+1`, ``, `-`},
		},
		{"positive", `{"type":"integer","exclusiveMinimum":0}`, []string{`1`, `999999999999999`}, []string{`0`, `-1`, `1000000000000000`}},
		{
			"number", `{"type":"number","minimum":-1.5,"exclusiveMaximum":2}`,
			[]string{`-1.5`, `-1.500`, `-0.25`, `0`, `0.0`, `1.999999`, `1`},
			[]string{`-1.500001`, `2`, `2.0`, `-0`, `-0.0`, `1.`, `.5`, `1.0000000`, `1e0`},
		},
		{"small numbers", `{"type":"number","exclusiveMinimum":0,"maximum":0.0005}`, []string{`0.0005`, `0.000001`}, []string{`0`, `0.0`, `0.00051`, `1`}},
		{"only fraction", `{"type":"number","exclusiveMinimum":0.1,"exclusiveMaximum":0.2}`, []string{`0.15`, `0.11`}, []string{`0.1`, `0.2`, `0`, `0.10`}},
		{
			"enum", `{"enum":["a","ab",null,1,[1,{"x":2}]]}`,
			[]string{`"a"`, `"ab"`, `null`, `1`, `[1,{"x":2}]`, `[1, {"x": 2}]`},
			[]string{`"abc"`, `"`, `[1]`, `2`, `11`},
		},
		{"filtered enum", `{"type":["integer","string"],"minimum":2,"maxLength":2,"enum":[1,2,2.5,"x","xyz",null]}`, []string{`2`, `"x"`}, []string{`1`, `2.5`, `"xyz"`, `null`}},
		{"date pattern", `{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}$"}`, []string{`"2026-13-99"`}, []string{`"2026-1-99"`, `"02026-13-99"`, `2026-13-99`}},
		{
			"date", `{"type":"string","format":"date"}`,
			[]string{`"2024-02-29"`, `"2000-02-29"`, `"2026-12-31"`, `"2026-04-30"`},
			[]string{`"2023-02-29"`, `"1900-02-29"`, `"2026-04-31"`, `"2026-13-01"`, `"2026-00-10"`, `"2026-01-00"`},
		},
		{"loose pattern", `{"type":"string","pattern":"b+$|^c"}`, []string{`"ab"`, `"cx"`, `"b"`, `"c"`, `"abab"`}, []string{`"ba"`, `"xc"`, `""`}},
		{"escaped pattern", `{"type":"string","pattern":"^[\"\\\\]{2}\\n?$"}`, []string{`"\"\\"`, `"\\\\\n"`}, []string{`"""`, `"\"`, "\"\\\"\\\"\n\""}},
		{"class pattern", `{"type":"string","pattern":"^[é-你][^a]$"}`, []string{`"你b"`, `"ê😀"`}, []string{`"你a"`, `"她b"`}},
		{"nullable", `{"type":["string","null"]}`, []string{`null`, `"x"`}, []string{`nul`, `0`}},
		{"anyOf", `{"anyOf":[{"type":"integer"},{"type":"number","maximum":3},` + obj + `]}`, []string{`17`, `2.5`, `{"b":"x"}`}, []string{`17.5`, `"x"`}},
		{
			"shared prefix", `{"anyOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"}}},{"type":"object","required":["k","v"],"properties":{"k":{"const":"b"},"v":{"type":"null"}}}]}`,
			[]string{`{"k":"a"}`, `{"k":"b","v":null}`},
			[]string{`{"k":"b"}`, `{"k":"a","v":null}`},
		},
		{"ref", `{"$defs":{"s/x":{"type":"null"}},"type":"array","items":{"$ref":"#/$defs/s~1x"}}`, []string{`[null]`}, []string{`[1]`}},
		{"quoted key", `{"type":"object","required":["a\"\\\u0001会"],"properties":{"a\"\\\u0001会":{"type":"null"}}}`, []string{`{"a\"\\\u0001会":null}`}, []string{`{"a":null}`}},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			g := compile(t, c.schema)
			s := validator(t, c.schema)
			for _, text := range c.good {
				assert.True(t, accepts(t, g, text), text)
				assert.Empty(t, check(s, text, 0, 0), text)
			}
			for _, text := range c.bad {
				assert.False(t, accepts(t, g, text), text)
			}
		})
	}
}

func TestDisjoint(t *testing.T) {
	object := func(props, required, extra string) string {
		return `{"type":"object","properties":{` + props + `},"required":[` + required + `]` + extra + `}`
	}
	closed := `,"additionalProperties":false`
	cases := []struct {
		name, a, b string
		want       bool
	}{
		{"types", `{"type":"string"}`, `{"type":["null","integer"]}`, true},
		{"integer in number", `{"type":"integer"}`, `{"type":"number"}`, false},
		{"ranges", `{"type":"integer","maximum":3}`, `{"type":"number","exclusiveMinimum":3}`, true},
		{"touching ranges", `{"type":"integer","maximum":3}`, `{"type":"number","minimum":3}`, false},
		{"lengths", `{"type":"string","maxLength":3}`, `{"type":"string","minLength":4}`, true},
		{"overlapping lengths", `{"type":"string","maxLength":3}`, `{"type":"string","minLength":3}`, false},
		{"constants", `{"enum":[1,"a",[1]]}`, `{"enum":[2,"b",[2]]}`, true},
		{"equal numbers", `{"const":1}`, `{"const":1.0}`, false},
		{"equal objects", `{"const":{"a":1,"b":2}}`, `{"const":{"b":2,"a":1}}`, false},
		{"constant in length", `{"const":"abc"}`, `{"type":"string","maxLength":3}`, false},
		{"constant beyond length", `{"const":"abcd"}`, `{"type":"string","maxLength":3}`, true},
		{"constant in pattern", `{"type":"string","pattern":"^a"}`, `{"const":"ab"}`, false},
		{"constant not in pattern", `{"type":"string","pattern":"^a"}`, `{"const":"ba"}`, true},
		{"constant in range", `{"const":5}`, `{"type":"integer","minimum":5}`, false},
		{"constant below range", `{"const":4.5}`, `{"type":"number","minimum":5}`, true},
		{"counts", `{"type":"array","maxItems":1,"items":{"type":"null"}}`, `{"type":"array","minItems":2,"items":{"type":"null"}}`, true},
		{"items", `{"type":"array","minItems":1,"items":{"type":"null"}}`, `{"type":"array","minItems":1,"items":{"type":"string"}}`, true},
		{"both empty", `{"type":"array","items":{"type":"null"}}`, `{"type":"array","minItems":1,"items":{"type":"string"}}`, false},
		{"discriminator", object(`"k":{"const":"a"}`, `"k"`, ""), object(`"k":{"const":"b"}`, `"k"`, ""), true},
		{"optional discriminator", object(`"k":{"const":"a"}`, ``, closed), object(`"k":{"const":"b"}`, ``, closed), false},
		{"missing in closed", object(`"a":{"type":"null"}`, `"a"`, ""), object(`"b":{"type":"null"}`, ``, closed), true},
		{"missing in open", object(`"a":{"type":"null"}`, `"a"`, ""), object(`"b":{"type":"null"}`, ``, ""), false},
		{"union", `{"anyOf":[{"const":1},{"const":2}]}`, `{"anyOf":[{"const":3},{"const":2}]}`, false},
		{"disjoint union", `{"anyOf":[{"const":1},{"const":2}]}`, `{"type":["string","integer"],"minimum":3}`, true},
	}
	for _, c := range cases {
		for _, pair := range []string{c.a + "," + c.b, c.b + "," + c.a} {
			_, err := grammar.Compile([]byte(`{"oneOf":[`+pair+`]}`), syntheticIndex())
			if c.want {
				assert.NoError(t, err, c.name)
			} else {
				assert.ErrorIs(t, err, grammar.ErrUnsupported, c.name)
			}
		}
	}
}

// accepts feeds the text byte by byte; the first 256 tokens are the bytes.
func accepts(t testing.TB, g *grammar.Grammar, text string) bool {
	m := newMatcher(t, g, 1000)
	for i := range len(text) {
		if m.Accept(int32(text[i])) != nil {
			return false
		}
	}
	return m.Complete()
}

func TestRefused(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 9) + `{"type":"null"}` + strings.Repeat(`}`, 9)
	nested := strings.Repeat(`{"anyOf":[`, 60) + `{"type":"null"}` + strings.Repeat(`]}`, 60)
	var defs []string
	for i := range 20 {
		next := `{"type":"null"}`
		if i < 19 {
			ref := `{"$ref":"#/$defs/d` + string(rune('A'+i+1)) + `"}`
			next = `{"type":"object","properties":{"a":` + ref + `,"b":` + ref + `}}`
		}
		defs = append(defs, `"d`+string(rune('A'+i))+`":`+next)
	}
	doubling := `{"$ref":"#/$defs/dA","$defs":{` + strings.Join(defs, ",") + `}}`
	cases := []struct {
		name, schema string
		kind         error
		text         string
	}{
		{"bounds", `{"type":"integer","minimum":3,"maximum":2}`, grammar.ErrUnsatisfiable, "#"},
		{"no integer between", `{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":4}`, grammar.ErrUnsatisfiable, "#"},
		{"open bounds", `{"type":"number","minimum":3,"exclusiveMaximum":3}`, grammar.ErrUnsatisfiable, "#"},
		{"items", `{"type":"array","items":{"type":"null"},"minItems":3,"maxItems":2}`, grammar.ErrUnsatisfiable, "minItems 3"},
		{"length", `{"type":"object","properties":{"a":{"type":"string","minLength":3,"maxLength":2}}}`, grammar.ErrUnsatisfiable, "#/properties/a"},
		{"empty enum", `{"enum":[]}`, grammar.ErrUnsatisfiable, "enum"},
		{"enum of other type", `{"type":"string","enum":[1]}`, grammar.ErrUnsatisfiable, "enum"},
		{"const out of bounds", `{"const":1,"minimum":2}`, grammar.ErrUnsatisfiable, "const"},
		{"required undefined", `{"type":"object","properties":{},"required":["x"]}`, grammar.ErrUnsatisfiable, `"x"`},
		{"additional", `{"type":"object","additionalProperties":{"type":"string"}}`, grammar.ErrUnsupported, "additionalProperties"},
		{"additional true", `{"type":"object","additionalProperties":true}`, grammar.ErrUnsupported, "additionalProperties"},
		{"false", `{"type":"array","items":false,"minItems":1}`, grammar.ErrUnsatisfiable, "#/items"},
		{"no alternatives", `{"anyOf":[]}`, grammar.ErrUnsatisfiable, "anyOf"},
		{"no types", `{"type":[]}`, grammar.ErrUnsatisfiable, "types"},
		{"pattern without match", `{"type":"string","pattern":"a^b"}`, grammar.ErrUnsatisfiable, "#"},
		{"not", `{"not":{"type":"null"}}`, grammar.ErrUnsupported, `"not"`},
		{"unknown", `{"type":"string","foo":1}`, grammar.ErrUnsupported, `"foo"`},
		{"multipleOf", `{"type":"integer","multipleOf":2}`, grammar.ErrUnsupported, `"multipleOf"`},
		{"uniqueItems", `{"type":"array","items":{"type":"null"},"uniqueItems":true}`, grammar.ErrUnsupported, `"uniqueItems"`},
		{"patternProperties", `{"type":"object","patternProperties":{}}`, grammar.ErrUnsupported, `"patternProperties"`},
		{"prefixItems", `{"type":"array","prefixItems":[]}`, grammar.ErrUnsupported, `"prefixItems"`},
		{"minProperties", `{"type":"object","minProperties":1}`, grammar.ErrUnsupported, `"minProperties"`},
		{"wrong type for keyword", `{"type":"string","minimum":1}`, grammar.ErrUnsupported, `"minimum"`},
		{"beside anyOf", `{"anyOf":[{"type":"null"}],"type":"null"}`, grammar.ErrUnsupported, `"type" beside "anyOf"`},
		{"beside ref", `{"$ref":"#/$defs/a","maxLength":1,"$defs":{"a":{"type":"string"}}}`, grammar.ErrUnsupported, `"maxLength"`},
		{"two mains", `{"enum":[1],"const":1}`, grammar.ErrUnsupported, `beside`},
		{"allOf", `{"allOf":[{"type":"null"},{"type":"null"}]}`, grammar.ErrUnsupported, "allOf"},
		{"overlap", `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, grammar.ErrUnsupported, "0 and 1"},
		{"overlapping objects", `{"oneOf":[{"type":"object","properties":{"a":{"type":"null"}}},{"type":"object","required":["b"],"properties":{"b":{"type":"null"}}}]}`, grammar.ErrUnsupported, "0 and 1"},
		{"any", `{}`, grammar.ErrUnsupported, "without a type"},
		{"true", `true`, grammar.ErrUnsupported, "any value"},
		{"no items", `{"type":"array"}`, grammar.ErrUnsupported, "items"},
		{"recursive", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`, grammar.ErrUnsupported, "recursive"},
		{"remote ref", `{"$ref":"other.json#/a"}`, grammar.ErrUnsupported, "other.json"},
		{"missing ref", `{"$ref":"#/$defs/a"}`, grammar.ErrUnsupported, "#/$defs/a"},
		{"format", `{"type":"string","format":"email"}`, grammar.ErrUnsupported, `"email"`},
		{"lookahead", `{"type":"string","pattern":"(?=a)b"}`, grammar.ErrUnsupported, "pattern"},
		{"case folding", `{"type":"string","pattern":"(?i)ab"}`, grammar.ErrUnsupported, "case"},
		{"word boundary", `{"type":"string","pattern":"\\ba"}`, grammar.ErrUnsupported, "pattern"},
		{"pattern and length", `{"type":"string","pattern":"a","maxLength":3}`, grammar.ErrUnsupported, "maxLength"},
		{"unknown type", `{"type":"text"}`, grammar.ErrSchema, `"text"`},
		{"negative", `{"type":"string","minLength":-1}`, grammar.ErrSchema, "minLength"},
		{"duplicate member", `{"type":"object","properties":{"a":{"type":"null"},"a":{"type":"string"}}}`, grammar.ErrSchema, `"a"`},
		{"trailing", `{"type":"null"} x`, grammar.ErrSchema, "JSON"},
		{"surrogate", `{"const":"\ud800"}`, grammar.ErrSchema, "surrogate"},
		{"not utf8", "{\"const\":\"\xff\"}", grammar.ErrSchema, "UTF-8"},
		{"empty", ``, grammar.ErrSchema, "JSON"},
		{"arrays too deep", deep, grammar.ErrTooLarge, "arrays"},
		{"too deep", nested, grammar.ErrTooLarge, "deeper"},
		{"doubling", doubling, grammar.ErrTooLarge, "#"},
		{"long answer", `{"type":"string","minLength":100000}`, grammar.ErrTooLarge, "#"},
		{"nested counts", `{"type":"array","minItems":1000,"items":{"type":"array","minItems":1000,"items":{"type":"null"}}}`, grammar.ErrTooLarge, "#"},
		{"huge exponent", `{"type":"number","minimum":1e999999999}`, grammar.ErrTooLarge, "minimum"},
		{"many alternatives", `{"anyOf":[` + strings.Repeat(`{"type":"null"},`, 2000) + `{"type":"null"}]}`, grammar.ErrTooLarge, "at once"},
		{"long enum value", `{"const":"` + strings.Repeat("x", 9000) + `"}`, grammar.ErrTooLarge, "bytes of constants"},
		{"large document", strings.Repeat(" ", 1<<20) + `{"type":"null"}`, grammar.ErrTooLarge, "bytes"},
		{"deep document", strings.Repeat("[", 300) + strings.Repeat("]", 300), grammar.ErrTooLarge, "nested"},
		{"many decimals", `{"type":"number","minimum":0.000000000000000001}`, grammar.ErrTooLarge, "decimals"},
		{"many digits", `{"type":"integer","minimum":1e30}`, grammar.ErrTooLarge, "digits"},
		{"huge pattern", `{"type":"string","pattern":"^(a|b)*a(a|b){30}$"}`, grammar.ErrTooLarge, "states"},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			_, err := grammar.Compile([]byte(c.schema), syntheticIndex())
			require.ErrorIs(t, err, c.kind)
			assert.ErrorContains(t, err, c.text)
		})
	}
}

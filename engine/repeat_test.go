package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
	"windowseat/engine/tinymodel"
)

// Case G9: loops are found, honest repeats pass.
func TestRepeatGuard(t *testing.T) {
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i+1)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a sentence":                {strings.Repeat("会议讨论了预算问题。", 5), true},
		"a sentence, four times":    {strings.Repeat("会议讨论了预算问题。", 4), false},
		"in other spacing":          {strings.Repeat("we go on like this!  ", 3) + strings.Repeat("we go  on like this!\n", 3), true},
		"a pair of lines":           {strings.Repeat("first line here\nsecond line here\n", 5), true},
		"a numbered list of one":    {lines(6, "%d. 进一步确认方案\n"), true},
		"a counter inside":          {lines(12, "第%d步继续推进项目的实施。"), true},
		"a week of days":            {lines(7, "5月%d日：系统运行正常。\n"), false},
		"同意 four times":             {"甲：同意。乙：同意。丙：同意。丁：同意。", false},
		"many short assents":        {strings.Repeat("同意。", 30), false},
		"table rows":                {lines(40, "| 第%d周 | 正常 | 无 |\n"), false},
		"a list":                    {lines(30, "- item %d differs\n")[:200], false},
		"different lines":           {"the first line\nthe second one\nand a third\nthe fourth line\nsomething else\nthe end now\n", false},
		"without an end, far apart": {strings.Repeat("x", 3*unitMaxBytes), false},
	} {
		var g repeatGuard
		got := false
		for _, r := range c.text { // piece by piece, as an answer comes
			got = got || g.push(string(r))
		}
		assert.Equal(t, c.want, got, name)
	}
}

// An answer that loops under a schema is closed, not broken off, also where the schema
// wants the repetition.
func TestLoopsUnderASchemaStayValid(t *testing.T) {
	inGrain(t, kernels.Fine) // where a random model begins to loop depends on it
	e := open(t, tinymodel.Qwen(), Options{})
	run := func(prompt, schema string) Result {
		st, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: prompt}}, Schema: []byte(schema), MaxTokens: 900})
		require.NoError(t, err)
		r, err := st.Result()
		require.NoError(t, err)
		require.True(t, json.Valid([]byte(r.Text)), "%s: %q", r.Stop, r.Text)
		return r
	}
	looped := 0
	for i := range 8 {
		r := run(fmt.Sprint("prompt ", i), `{"type":"object","properties":{"a":{"type":"string","maxLength":3000},"b":{"enum":["yes","no"]}},"required":["a","b"],"additionalProperties":false}`)
		if r.Stop == StopLoop {
			looped++
			assert.Less(t, len(r.Tokens), 800)
		}
	}
	require.Positive(t, looped, "greedy answers of a random model loop")
	r := run("x", `{"type":"array","items":{"const":0},"minItems":100,"maxItems":100}`)
	assert.Equal(t, 100, strings.Count(r.Text, "0"))
}

package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBenchTable: a prefill has no time between tokens, each share names its limit, and
// more than 100 % is shown as it is, marked and explained.
func TestBenchTable(t *testing.T) {
	results := []benchResult{
		{Test: "prefill", Tokens: 512, Batch: 1, TokPerSec: 900, FirstToken: 570, ReadGBPerSec: 12, MultiplyPerSec: 800, PercentOfLimit: 100, PeakRSS: 5 << 20},
		{Test: "decode", Tokens: 64, Batch: 8, Depth: 4096, Minute: 2, TokPerSec: 90, FirstToken: 10, P50: 11.26, P95: 0.04, PercentOfLimit: 122.4},
	}
	for lang, want := range map[string][]string{
		"en": {
			"tokens each", "int8 Gmac/s", "prefill 512 0 1 900.0 570.0 - - 12.0 800 100% int8 5", "decode (2 min) 64 4096 8 90.0 10.0 11.3 0.0 0.0 0 ? 122% read 0",
		},
		"zh": {"每路词元", "int8 乘加 G/s", "预填充 512 0 1 900.0 570.0 - - 12.0 800 100% 乘加 5", "解码 (2 min) 64 4096 8 90.0 10.0 11.3 0.0 0.0 0 ? 122% 读取 0"},
	} {
		var out, errOut bytes.Buffer
		a := &app{lang: lang, out: &out, err: &errOut}
		require.NoError(t, a.printBench(results))
		table := strings.Join(strings.FieldsFunc(out.String(), func(r rune) bool { return r == ' ' || r == '\n' }), " ")
		for _, w := range want {
			assert.Contains(t, table, w)
		}
		assert.Equal(t, 1, strings.Count(out.String(), "?"))
		assert.Contains(t, errOut.String(), "100")
		errOut.Reset()
		require.NoError(t, a.printBench(results[:1]))
		assert.Empty(t, errOut.String())
	}
}

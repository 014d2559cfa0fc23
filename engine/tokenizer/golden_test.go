package tokenizer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/tokenizer"
)

// goldens are ids that llama.cpp gives for the same model file, see
// testdata/README.md.
type goldens struct {
	Ends  []int32      `json:"ends"`
	Cases []goldenCase `json:"cases"`
}

type goldenCase struct {
	Text    string  `json:"text"`
	Plain   []int32 `json:"plain"`   // absent: only the control mode applies
	Control []int32 `json:"control"` // absent: as Plain
}

func readGoldens(t testing.TB, name string) goldens {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "golden", name+".json"))
	require.NoError(t, err)
	var g goldens
	require.NoError(t, json.Unmarshal(raw, &g))
	require.Greater(t, len(g.Cases), 300)
	return g
}

// realModel loads the tokenizer of a model file, or skips.
func realModel(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	dir := os.Getenv("WINDOWSEAT_MODELS")
	if dir == "" {
		t.Skip("WINDOWSEAT_MODELS is not set: no real vocabulary to test")
	}
	f, err := gguf.Open(filepath.Join(dir, name+".gguf"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s.gguf is not in WINDOWSEAT_MODELS", name)
	}
	require.NoError(t, err)
	defer f.Close()
	tok, err := tokenizer.FromGGUF(f)
	require.NoError(t, err)
	return tok
}

const (
	smallModel = "smollm2-135m-instruct-q4_1"
	qwenModel  = "qwen2.5-coder-0.5b-instruct-q4_k_m"
)

// differences describes every golden case that the tokenizer does not meet.
func differences(tok *tokenizer.Tokenizer, g goldens) []string {
	var out []string
	compare := func(mode, text string, want, got []int32) {
		if !slices.Equal(want, got) {
			out = append(out, fmt.Sprintf("%s %q: want %v, got %v", mode, text, want, got))
		}
	}
	for _, c := range g.Cases {
		control := c.Control
		if c.Plain != nil {
			compare("plain", c.Text, c.Plain, tok.Encode(nil, c.Text))
			if control == nil {
				control = c.Plain
			}
		}
		compare("control", c.Text, control, tok.EncodeControl(nil, c.Text))
	}
	return out
}

func TestGoldens(t *testing.T) {
	for model, golden := range map[string]string{
		smallModel:                           "smollm",
		qwenModel:                            "qwen2",
		"qwen2.5-coder-1.5b-instruct-q4_k_m": "qwen2",
	} {
		t.Run(model, func(t *testing.T) {
			tok := realModel(t, model)
			g := readGoldens(t, golden)
			for _, d := range differences(tok, g) {
				t.Error(d)
			}
			var ends []int32
			for id := range int32(tok.VocabSize()) {
				if tok.IsEOG(id) {
					ends = append(ends, id)
				}
			}
			assert.Equal(t, g.Ends, ends)
		})
	}
}

// TestGoldensCanFail: one wrong id in one case is reported, once per mode.
func TestGoldensCanFail(t *testing.T) {
	tok := realModel(t, smallModel)
	g := readGoldens(t, "smollm")
	g.Cases[7].Plain[0]++
	got := differences(tok, g)
	require.Len(t, got, 2)
	assert.Contains(t, got[0], "plain")
}

// TestRealRoundTrip decodes what it encoded; the bytes that a vocabulary lacks
// are the only loss.
func TestRealRoundTrip(t *testing.T) {
	for model, golden := range map[string]string{smallModel: "smollm", qwenModel: "qwen2"} {
		t.Run(model, func(t *testing.T) {
			tok := realModel(t, model)
			missing := string(tok.MissingBytes())
			keep := func(s string) string {
				var b []byte
				for i := range len(s) {
					if strings.IndexByte(missing, s[i]) < 0 {
						b = append(b, s[i])
					}
				}
				return string(b)
			}
			for _, c := range readGoldens(t, golden).Cases {
				for _, text := range []string{c.Text, c.Text + "\xe4\xbc", "\xff" + c.Text} {
					ids := tok.Encode(nil, text)
					assert.Equal(t, keep(text), string(tok.Decode(ids)), "%q", text)
					for _, id := range ids {
						assert.False(t, tok.IsControl(id), "%q", text)
					}
					assert.Equal(t, keep(text), string(tok.Decode(tok.EncodeControl(nil, text))), "%q", text)
				}
			}
		})
	}
}

package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/tinymodel"
)

// wantRefused loads a model file in every way there is.
func wantRefused(t *testing.T, path string, words ...string) {
	t.Helper()
	failed(t, 1, call(t, "generate", "--prompt", "x", "--model", path), words...)
	r := call(t, "generate", "--prompt", "x", "--model", path, "--ui-lang", "zh", "--json")
	failed(t, 1, r, "请", "models list")
}

// TestCutModel: case G1.
func TestCutModel(t *testing.T) {
	whole, err := os.ReadFile(tiny)
	require.NoError(t, err)
	n := len(whole)
	for _, size := range []int{0, 2, 4, 8, 20, 100, 2000, n / 2, n - 100, n - 1} {
		path := file(t, "cut.gguf", string(whole[:size]))
		wantRefused(t, path, "damaged or no GGUF", "fetch it again or choose another")
	}
}

// TestForeignModel: cases G1 and G3. patch changes bytes of the header.
func TestForeignModel(t *testing.T) {
	whole, err := os.ReadFile(tiny)
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		patch func(b []byte) []byte
		words []string
	}{
		{"magic", func(b []byte) []byte { copy(b, "GGML"); return b }, []string{"damaged or no GGUF"}},
		{"version1", func(b []byte) []byte { b[4] = 1; return b }, []string{"version 1", "supported: 2, 3"}},
		{"version4", func(b []byte) []byte { b[4] = 4; return b }, []string{"version 4", "supported: 2, 3"}},
		{"big_endian", func(b []byte) []byte { copy(b[4:], []byte{0, 0, 0, 3}); return b }, []string{"big", "cannot be run"}},
		{"type", func(b []byte) []byte { return setType(t, b, 250) }, []string{"250"}},
		{"smaller_type", func(b []byte) []byte { return setType(t, b, 2) }, []string{"damaged or no GGUF", "a hole of"}},
		{"iq_type", func(b []byte) []byte { return setType(t, b, 16) }, []string{"cannot be run", "IQ2_XXS", "supported: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantRefused(t, file(t, "a.gguf", string(c.patch(bytes.Clone(whole)))), c.words...)
		})
	}
}

// setType changes the type of the embedding: name, number of dimensions (u32), two
// dimensions (u64), type (u32).
func setType(t *testing.T, b []byte, typ byte) []byte {
	at := bytes.Index(b, []byte("token_embd.weight"))
	require.Positive(t, at)
	b[at+len("token_embd.weight")+4+16] = typ
	return b
}

func TestUnknownArchitecture(t *testing.T) {
	s := spec()
	s.Meta = map[string]any{"general.architecture": "mamba"}
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, s.Write(path))
	wantRefused(t, path, "architecture", "mamba", "supported: ", "qwen2", "llama")
}

// TestEndBeyondVocabulary: an end of text that no token is would never end an answer.
func TestEndBeyondVocabulary(t *testing.T) {
	s := spec()
	s.Meta = map[string]any{"tokenizer.ggml.eos_token_id": uint32(1 << 20)}
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, s.Write(path))
	wantRefused(t, path, "tokenizer.ggml.eos_token_id is 1048576", "outside the vocabulary")
}

// TestDeadModel: a model with one scale that is no number is named by every command
// that computes, and nothing is printed as if it were a result.
func TestDeadModel(t *testing.T) {
	s := tinymodel.Llama()
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, s.Write(path))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := gguf.Open(path)
	require.NoError(t, err)
	weight, ok := f.Tensor("blk.1.attn_output.weight")
	require.True(t, ok)
	at := bytes.Index(b, weight.Data)
	require.NoError(t, f.Close())
	copy(b[at:], []byte{0x00, 0x7E}) // the f16 scale of the first block
	require.NoError(t, os.WriteFile(path, b, 0o600))
	text := file(t, "a.txt", strings.Repeat("the cat sat on a mat. ", 100))
	for _, args := range [][]string{
		{"generate", "--prompt", "x"},
		{"score", "--prompt", "x", "--continuations", "a,b"},
		{"perplexity", text},
	} {
		failed(t, 1, call(t, append(args, "--model", path, "--ui-lang", "en")...), "computes nothing usable", "models verify")
		failed(t, 1, call(t, append(args, "--model", path, "--ui-lang", "zh", "--json")...), "权重多半已损坏", "请")
	}
	r := call(t, "summary", text, "--model", path, "--ui-lang", "en")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.err, "computes nothing usable")
	assert.Contains(t, r.out, "Not finished") // what there is of a job that failed
}

func TestMissingTensor(t *testing.T) {
	s := spec()
	s.Skip = "blk.0.ffn_up.weight"
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, s.Write(path))
	wantRefused(t, path, `tensor "blk.0.ffn_up.weight" is missing`)
}

// TestChatTemplates: case G4. Without a template that can be used the layout of
// the architecture is taken with a note; a template that goes on for ever is stopped.
func TestChatTemplates(t *testing.T) {
	var want generated
	okJSON(t, &want, "generate", "--prompt", "x", "-n", "3")
	for i, template := range []string{"", "{% for x in %}{{", "{{ raise_exception('no') }}", "only words"} {
		s := spec()
		s.Meta = map[string]any{"tokenizer.chat_template": template}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("m%d.gguf", i))
		require.NoError(t, s.Write(path))
		r := call(t, "generate", "--prompt", "x", "-n", "3", "--json", "--ui-lang", "en", "--model", path)
		require.Equal(t, 0, r.code, r.err)
		var got generated
		decode(t, r.out, &got)
		assert.GreaterOrEqual(t, got.Timing.Prompt, want.Timing.Prompt, template)
		assert.Contains(t, r.err, "chat template", template)
		assert.Contains(t, r.err, "using the ChatML layout", template)
	}
}

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/models"
)

// home gives a test a data folder of its own and returns its models folder.
func home(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("WINDOWSEAT_HOME", dir)
	return filepath.Join(dir, "models")
}

func listed(t *testing.T) map[string]models.Status {
	t.Helper()
	r := call(t, "models", "list", "--json")
	require.Equal(t, 0, r.code, r.err)
	var list []models.Status
	require.NoError(t, json.Unmarshal([]byte(r.out), &list))
	byID := map[string]models.Status{}
	for _, st := range list {
		byID[st.ID] = st
	}
	return byID
}

// TestModelsLife: a file is imported, found by its name, verified, damaged, and
// removed.
func TestModelsLife(t *testing.T) {
	home(t)
	original := filepath.Join(t.TempDir(), "original.gguf")
	require.NoError(t, spec().Write(original))
	r := call(t, "models", "import", original, "--name", "mine", "--json")
	require.Equal(t, 0, r.code, r.err)
	var st models.Status
	require.NoError(t, json.Unmarshal([]byte(r.out), &st))
	assert.Equal(t, "mine", st.ID)
	assert.Len(t, st.SHA256, 64)
	assert.Equal(t, st.SHA256, listed(t)["mine"].SHA256)

	var g generated
	r = call(t, "generate", "--prompt", "x", "-n", "2", "--json", "--model", "mine")
	require.Equal(t, 0, r.code, r.err)
	decode(t, r.out, &g)
	r = call(t, "models", "verify", "mine")
	require.Equal(t, 0, r.code, r.err)
	assert.Contains(t, r.err, "mine is intact")
	r = call(t, "models", "fit", "mine")
	require.Equal(t, 0, r.code, r.err)
	assert.Contains(t, r.out, "mine, 8192 tokens")

	require.NoError(t, os.Truncate(original, 5000))
	assert.Empty(t, listed(t)["mine"].Problem, "the original is another file")
	require.NoError(t, os.Truncate(st.Path, 5000))
	assert.NotEmpty(t, listed(t)["mine"].Problem)
	assert.Contains(t, call(t, "models", "list").out, st.Path+" (")
	failed(t, 1, call(t, "models", "verify", "mine"), "damaged")
	failed(t, 1, call(t, "generate", "--prompt", "x", "--model", "mine", "--ui-lang", "zh"), "已损坏或被改动", "windowseat models verify")

	r = call(t, "models", "remove", "mine", "--ui-lang", "zh")
	require.Equal(t, 0, r.code, r.err)
	assert.Equal(t, "已删除 mine\n", r.err)
	assert.NotContains(t, listed(t), "mine")
	failed(t, 1, call(t, "models", "remove", "mine"), `there is no model "mine"`)
}

// TestModelsImportLink: without a copy, which is said.
func TestModelsImportLink(t *testing.T) {
	home(t)
	original := filepath.Join(t.TempDir(), "original.gguf")
	require.NoError(t, spec().Write(original))
	r := call(t, "models", "import", original, "--link")
	require.Equal(t, 0, r.code, r.err)
	assert.Contains(t, r.err, "nothing was copied: the model and "+original+" are one file")
	r = call(t, "models", "import", original, "--link", "--name", "two", "--ui-lang", "zh")
	require.Equal(t, 0, r.code, r.err)
	assert.Contains(t, r.err, "没有复制")
	assert.Contains(t, call(t, "help", "models", "import").out, "With --link")
}

// TestModelsInAnExtraFolder: a file that lies only in a folder of WINDOWSEAT_MODELS is
// listed and can be verified, which this one, without contents, does not survive.
func TestModelsInAnExtraFolder(t *testing.T) {
	home(t)
	dir := t.TempDir()
	t.Setenv("WINDOWSEAT_MODELS", dir)
	path := filepath.Join(dir, "smollm2-135m-instruct-q4_1.gguf")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	assert.Contains(t, call(t, "models", "list").out, path+" (")
	require.NoError(t, os.Truncate(path, 98_362_432))
	assert.Equal(t, path, listed(t)["smollm2-135m-instruct-q4_1"].Path)
	assert.Contains(t, call(t, "models", "list").out, path+" (not verified yet")
	assert.Contains(t, call(t, "models", "list", "--ui-lang", "zh").out, path+" (未校验")
	failed(t, 1, call(t, "models", "verify", "135m"), "smollm2-135m-instruct-q4_1.gguf is damaged")
	failed(t, 1, call(t, "models", "verify", "0.5b"), "is not on this machine")
}

// TestModelsListSaysWhatFits: as models fit does.
func TestModelsListSaysWhatFits(t *testing.T) {
	home(t)
	var list []struct {
		ID    string       `json:"id"`
		State string       `json:"state"`
		Fit   *models.Plan `json:"fit"`
	}
	r := call(t, "models", "list", "--json", "--ctx", "512")
	require.Equal(t, 0, r.code, r.err)
	require.NoError(t, json.Unmarshal([]byte(r.out), &list))
	require.Len(t, list, len(models.Catalogue()))
	for _, m := range list {
		var p models.Plan
		decode(t, call(t, "models", "fit", m.ID, "--json", "--ctx", "512").out, &p)
		require.NotNil(t, m.Fit, m.ID)
		assert.Equal(t, p.Total, m.Fit.Total, m.ID)
		assert.Equal(t, "absent", m.State)
	}
	assert.Regexp(t, `smollm2\S+ +llama +93 MiB +Apache-2.0 +en +(fits|tight|too big) +-\n`, call(t, "models", "list").out)
	assert.Regexp(t, `(放得下|勉强|放不下) +-\n`, call(t, "models", "list", "--ui-lang", "zh").out)
}

func TestModelsListShowsPartialDownloads(t *testing.T) {
	dir := home(t)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	part := filepath.Join(dir, "smollm2-135m-instruct-q4_1.gguf.part")
	require.NoError(t, os.WriteFile(part, make([]byte, 3<<20), 0o600))
	assert.Equal(t, int64(3<<20), listed(t)["smollm2-135m-instruct-q4_1"].PartBytes)
	assert.Contains(t, call(t, "models", "list").out, "3 of 93 MiB fetched")
	assert.Contains(t, call(t, "models", "list", "--ui-lang", "zh").out, "已下载 3/93 MiB")
}

func TestModelsFit(t *testing.T) {
	var p models.Plan
	r := call(t, "models", "fit", "135m", "--json")
	require.Equal(t, 0, r.code, r.err)
	decode(t, r.out, &p)
	assert.Equal(t, p.Total, p.Weights+p.KV+p.Scratch)
	assert.Contains(t, []string{models.Fits, models.Tight, models.Slow, models.TooBig}, p.Verdict)

	var small models.Plan
	decode(t, call(t, "models", "fit", "135m", "--json", "--ctx", "512").out, &small)
	assert.Equal(t, p.KV, 16*small.KV) // 8192 tokens, the default, to 512
	assert.Contains(t, call(t, "models", "fit", tiny).out, "tiny, 8192 tokens")
	failed(t, 1, call(t, "models", "fit", "nosuch"), `there is no model "nosuch"`)
}

func TestModelsNotThere(t *testing.T) {
	home(t)
	failed(t, 1, call(t, "generate", "--prompt", "x", "--model", "135m"), "is not on this machine", "windowseat models get smollm2-135m-instruct-q4_1", "--model FILE")
	failed(t, 1, call(t, "generate", "--prompt", "x", "--ui-lang", "zh"), "本机没有", "windowseat models get")
	failed(t, 1, call(t, "models", "verify", "135m"), "is not on this machine")
	failed(t, 1, call(t, "models", "get", "nosuch"), `there is no model "nosuch"`, "smollm2-135m-instruct-q4_1")
	failed(t, 1, call(t, "models", "import", "nosuch.gguf"), "nosuch.gguf")
	failed(t, 1, call(t, "models", "import", file(t, "a.gguf", "hello, no model")), "damaged or no GGUF", "models list")
	failed(t, 1, call(t, "models", "import", tiny, "--name", "a/b"), "cannot be the name")
}

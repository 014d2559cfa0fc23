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

// TestModelsVerifyFile: a file given by its path, alone, against its record, and with the
// pack that lies beside it; a byte that is changed under the same time is seen.
func TestModelsVerifyFile(t *testing.T) {
	home(t)
	path := filepath.Join(t.TempDir(), "mine.gguf")
	require.NoError(t, spec().Write(path))
	var st models.Status
	decode(t, call(t, "models", "verify", path, "--json").out, &st)
	assert.True(t, st.NoHash)
	assert.Len(t, st.SHA256, 64)
	r := call(t, "models", "verify", path)
	require.Equal(t, 0, r.code, r.err)
	assert.Contains(t, r.err, "mine is intact: "+path)

	require.Equal(t, 0, call(t, "generate", "--prompt", "x", "-n", "1", "--model", path).code)
	pack := path + ".wspack"
	flip := func(name string) {
		info, err := os.Stat(name)
		require.NoError(t, err)
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		b[len(b)-1] ^= 0x40
		require.NoError(t, os.WriteFile(name, b, 0o600))
		require.NoError(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
	}
	flip(pack)
	r = call(t, "models", "verify", path)
	require.Equal(t, 0, r.code, r.err)
	assert.Contains(t, r.err, "packed weights were damaged and are deleted")
	assert.NoFileExists(t, pack)

	flip(path)
	failed(t, 1, call(t, "models", "verify", path), path+" is damaged", "its sha256 is")
	other := filepath.Join(t.TempDir(), "other.gguf")
	require.NoError(t, spec().Write(other))
	r = call(t, "models", "verify", other, "--ui-lang", "zh")
	require.Equal(t, 0, r.code, r.err)
	assert.Contains(t, r.err, "没有已知的哈希可以核对")
	require.NoError(t, os.Truncate(other, 5000))
	failed(t, 1, call(t, "models", "verify", other), "not a sound GGUF", "the file is cut")
}

// TestModelThatIsNoFile: what lies at the path is said, in both languages.
func TestModelThatIsNoFile(t *testing.T) {
	home(t)
	dir := t.TempDir()
	lost, round := filepath.Join(dir, "lost.gguf"), filepath.Join(dir, "round.gguf")
	require.NoError(t, os.Symlink(filepath.Join(dir, "gone"), lost))
	require.NoError(t, os.Symlink(round, round))
	for path, words := range map[string][2]string{
		dir:                             {"is a folder", "是一个文件夹"},
		lost:                            {"symbolic link that leads to no file", "符号链接"},
		round:                           {"symbolic link that leads to no file", "符号链接"},
		os.DevNull:                      {"is no regular file", "不是普通文件"},
		filepath.Join(dir, "none.gguf"): {"it is no file and none of", "它不是文件"},
		file(t, "empty.gguf", ""):       {"the file is empty", "模型文件已损坏"},
	} {
		for _, args := range [][]string{{"generate", "--prompt", "x", "--model", path}, {"models", "fit", path}, {"models", "verify", path}} {
			if args[1] == "verify" && words[0] == "the file is empty" {
				words[1] = "已损坏"
			}
			failed(t, 1, call(t, args...), words[0])
			failed(t, 1, call(t, append(args, "--ui-lang", "zh")...), words[1])
		}
	}
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

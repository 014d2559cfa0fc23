package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/engine/filelock"
	"windowseat/engine/kernels"
	"windowseat/ui/cli"
)

const minutes = `项目例会纪要

2026年3月12日

张伟：好的，我周五前把测试报告发给李雷。
李雷：我们决定采用方案B，方案A不再考虑。
王芳：风险是供应商可能延期两周，那样上线就要推迟。
李雷：我下周一之前联系供应商确认交期。
`

// needsKernels skips what takes minutes in plain Go: the rules that go before each
// passage are thousands of tokens for a tokenizer of bytes. TestRunJSON remains.
func needsKernels(t *testing.T) {
	t.Helper()
	if kernels.Active() == "ref" {
		t.Skip("takes minutes with kernels in plain Go")
	}
}

func TestRunJSON(t *testing.T) {
	r := ok(t, "run", file(t, "纪要.txt", minutes), "--json")
	require.NoError(t, valid(t, "run.schema.json", r.out))
	var d assistant.RunDocument
	require.NoError(t, json.Unmarshal([]byte(r.out), &d))
	require.Len(t, d.Sources, 1)
	assert.Equal(t, "纪要.txt", d.Sources[0].File)
	assert.Equal(t, d.Sources[0].PartsTotal, d.Sources[0].PartsRead+len(d.Sources[0].LeftOut), "what was not read is named")
	assert.Equal(t, "2026-03-12", d.MeetingDate)
	assert.Equal(t, "text", d.MeetingDateFrom)
	assert.Equal(t, "tiny", d.Model.Name)
	assert.Positive(t, d.Timing.Passes)
}

// TestSchemasCanFail: a document with one thing wrong is refused.
func TestSchemasCanFail(t *testing.T) {
	needsKernels(t)
	r := ok(t, "todos", file(t, "a.txt", minutes), "--json")
	require.NoError(t, valid(t, "envelope.schema.json", r.out))
	for _, change := range [][2]string{
		{`"task": "todos"`, `"task": "chores"`},
		{`"parts_read"`, `"parts_seen"`},
		{`"version": 1`, `"version": 2`},
		{`"items": [`, `"extra": 1, "items": [`},
	} {
		require.Contains(t, r.out, change[0])
		assert.Error(t, valid(t, "envelope.schema.json", strings.Replace(r.out, change[0], change[1], 1)), change[1])
	}
}

// The shape of a mail knows every kind of fact that a draft can have changed, which a
// tiny model's drafts do not show.
func TestSchemaKnowsEveryFactKind(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "common.schema.json"))
	require.NoError(t, err)
	kinds, err := json.Marshal(assistant.FactKinds)
	require.NoError(t, err)
	assert.Contains(t, strings.ReplaceAll(string(raw), ", ", ","), `"kind": {"enum": `+string(kinds))
}

func TestTasksJSON(t *testing.T) {
	needsKernels(t)
	path := file(t, "a.txt", minutes)
	for _, task := range assistant.AllTasks() {
		r := ok(t, string(task), path, "--json", "--meeting-date", "2026-05-06", "--email-lang", "zh")
		require.NoError(t, valid(t, "envelope.schema.json", r.out), task)
		var e assistant.Envelope
		require.NoError(t, json.Unmarshal([]byte(r.out), &e))
		assert.Equal(t, task, e.Task)
		assert.Equal(t, "2026-05-06", e.MeetingDate)
		assert.Equal(t, "option", e.MeetingDateFrom)
	}
}

func TestTasksText(t *testing.T) {
	needsKernels(t)
	path := file(t, "a.txt", minutes)
	for _, task := range assistant.AllTasks() {
		r := ok(t, string(task), path, "--ui-lang", "en")
		assert.Contains(t, r.out, "# ", task)
		assert.Contains(t, r.out, "a.txt", task)
		assert.Contains(t, r.err, "read "+path+": txt")
		assert.Contains(t, r.err, "done in ")
		assert.NotContains(t, r.out, "done in ")
	}
}

func TestRunTasksAreThoseAskedFor(t *testing.T) {
	needsKernels(t)
	var d map[string]any
	okJSON(t, &d, "run", file(t, "a.txt", minutes), "--tasks", "risks")
	assert.Empty(t, d["todos"])
	assert.Empty(t, d["summary"])
	r := ok(t, "run", file(t, "a.txt", minutes), "--tasks", "risks", "--ui-lang", "zh")
	assert.Contains(t, r.out, "风险")
	assert.NotContains(t, r.out, "待办")
}

// TestRunFolderBusy: a second run into a folder says so at once, and a lock that a
// killed one left is none.
func TestRunFolderBusy(t *testing.T) {
	dir := t.TempDir()
	path := file(t, "a.txt", minutes)
	lock := filepath.Join(dir, ".windowseat.lock")
	release, err := filelock.Take(lock)
	if errors.Is(err, filelock.ErrUnsupported) {
		t.Skip("no locks on this disk")
	}
	require.NoError(t, err)
	failed(t, 1, call(t, "run", path, "-o", dir, "--model", tiny), "another run is writing its results to "+dir)
	failed(t, 1, call(t, "run", path, "-o", dir, "--model", tiny, "--ui-lang", "zh"), "另一个 windowseat 正在往")
	release()
	require.NoFileExists(t, filepath.Join(dir, "run.json"))

	needsKernels(t)
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	ok(t, "run", path, "-o", dir, "--tasks", "risks")
	require.FileExists(t, filepath.Join(dir, "run.json"))
	require.NoFileExists(t, lock)
}

func TestRunSavesAndSkipsItsOwnResults(t *testing.T) {
	needsKernels(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte(minutes), 0o600))
	r := ok(t, "run", dir, "--tasks", "risks", "-o", dir)
	js, err := os.ReadFile(filepath.Join(dir, "run.json"))
	require.NoError(t, err)
	require.NoError(t, valid(t, "run.schema.json", string(js)))
	md, err := os.ReadFile(filepath.Join(dir, "run.md"))
	require.NoError(t, err)
	assert.Equal(t, r.out, string(md))

	again := ok(t, "run", dir, "--tasks", "risks", "--json")
	var d assistant.RunDocument
	require.NoError(t, json.Unmarshal([]byte(again.out), &d))
	assert.Len(t, d.Sources, 1)
	assert.Contains(t, again.err, "skipped "+filepath.Join(dir, "run.md"))
}

func TestRunFolder(t *testing.T) {
	needsKernels(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.txt": minutes, "a/c.md": "# 标题\n\n张伟：我周五前交报告。\n", "x.pdf": "%PDF-1.7\n\x00\x01", "d.bin": "\x00\x01\x02\x03\xff\xfe\x00\x00",
		"empty.txt": "  \n", "facts.json": "{}", ".hidden.txt": minutes, ".git/e.txt": minutes,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.txt")))
	// The same file by another path is not read again.
	r := ok(t, "run", dir, filepath.Join(dir, "a", "..", "b.txt"), "--tasks", "risks", "--json")
	var d assistant.RunDocument
	require.NoError(t, json.Unmarshal([]byte(r.out), &d))
	got := map[string]string{} // why it was not read, by name
	for _, s := range d.Sources {
		got[s.File] = ""
		for _, n := range s.Notes {
			got[s.File] += n.Args["reason"]
		}
	}
	assert.Equal(t, map[string]string{"a/c.md": "", "b.txt": "", "x.pdf": "unsupported", "d.bin": "unsupported", "empty.txt": "empty"}, got)
	for _, name := range []string{"x.pdf", "d.bin", "empty.txt", "facts.json"} {
		assert.Contains(t, r.err, "skipped "+filepath.Join(dir, name)+": ")
	}
	assert.NotContains(t, r.err, "hidden")
}

// A named file that cannot be read does not stop the others: the result names it,
// and the status says that not all was done.
func TestRunGoesOnWithoutAFile(t *testing.T) {
	needsKernels(t)
	good, bad := file(t, "a.txt", "# 标题\n\n张伟：我周五前交报告。\n"), file(t, "b.pdf", "%PDF-1.7\n")
	r := call(t, "run", bad, filepath.Join(t.TempDir(), "none.txt"), good, "--model", tiny, "--tasks", "risks")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.err, "windowseat: "+bad+": pdf is not read yet")
	assert.Contains(t, r.out, "a.txt")
	assert.Contains(t, r.out, "b.pdf: 没有读: 还不能读这种文件")
	assert.Contains(t, r.out, "none.txt: 没有读: 打不开")
}

func TestRunNothingToRead(t *testing.T) {
	empty := t.TempDir()
	failed(t, 1, call(t, "run", empty, "--model", tiny), "no readable document in "+empty, "txt, md, srt or vtt")
	failed(t, 1, call(t, "run", filepath.Join(empty, "none"), "--model", tiny), "there is no file or folder")
	failed(t, 1, call(t, "run", file(t, "a.pdf", "%PDF-1.7\n"), "--model", tiny), "a.pdf: pdf is not read yet", "save it as txt")
	failed(t, 1, call(t, "run", file(t, "a.txt", "\n\n"), "--model", tiny), "a.txt: there is no text in it")
}

func TestRunStandardInput(t *testing.T) {
	needsKernels(t)
	r := callWith(t, context.Background(), strings.NewReader(minutes), "run", "-", "--tasks", "risks", "--json", "--model", tiny)
	require.Equal(t, 0, r.code, r.err)
	require.NoError(t, valid(t, "run.schema.json", r.out))
}

// TestRunLongFile: 80,000 Chinese characters go to the model in parts that all fit; a
// tenth of them where the same takes minutes: with the race detector and with
// kernels in plain Go.
func TestRunLongFile(t *testing.T) {
	needsKernels(t)
	if testing.Short() {
		t.Skip("reads 240,000 tokens")
	}
	chars := 80_000
	if raceDetector {
		chars /= 10
	}
	r := ok(t, "run", file(t, "long.txt", longChinese(chars)), "--tasks", "summary", "--json")
	require.NoError(t, valid(t, "run.schema.json", r.out))
	var d assistant.RunDocument
	require.NoError(t, json.Unmarshal([]byte(r.out), &d))
	src := d.Sources[0]
	assert.GreaterOrEqual(t, src.Chars, chars)
	assert.Greater(t, src.PartsTotal, 1)
	assert.Equal(t, src.PartsTotal, src.PartsRead+len(src.LeftOut), "what was not read is named")
	for _, left := range src.LeftOut { // random answers run on; that every prompt fitted is the point
		assert.NotContains(t, left, assistant.NoteFailed)
	}
	assert.NotContains(t, r.err, "failed")
}

// longChinese makes speech of at least n characters that does not repeat itself.
func longChinese(n int) string {
	people := []string{"张伟", "李雷", "王芳", "赵敏", "陈静"}
	var b strings.Builder
	for i := 0; b.Len() < 3*n+3*n/10; i++ {
		fmt.Fprintf(&b, "%s：第%d项我们看了现场的情况，%d号线的进度比计划慢了%d天，材料已经到了仓库，工人还在等图纸。下一步先把图纸催下来，再说别的事情。\n",
			people[i%5], i, i%7+1, i%11+2)
	}
	return b.String()
}

// cancelling cancels when it is given a line with the word.
type cancelling struct {
	mu     sync.Mutex
	buf    bytes.Buffer
	word   string
	cancel context.CancelFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf.Write(p)
	if strings.Contains(c.buf.String(), c.word) {
		c.cancel()
	}
	return len(p), nil
}

// TestRunCancelled: what was read so far is printed and saved, and marked.
func TestRunCancelled(t *testing.T) {
	needsKernels(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir := t.TempDir()
	path := file(t, "long.txt", longChinese(30_000))
	var out bytes.Buffer
	errOut := &cancelling{word: "working ", cancel: cancel}
	code := cli.Run(ctx, []string{"run", path, "--tasks", "summary", "--json", "-o", dir, "--model", tiny}, strings.NewReader(""), &out, errOut, "")
	require.Equal(t, 130, code, errOut.buf.String())
	require.NoError(t, valid(t, "run.schema.json", out.String()))
	var d assistant.RunDocument
	require.NoError(t, json.Unmarshal(out.Bytes(), &d))
	src := d.Sources[0]
	assert.Less(t, src.PartsRead, src.PartsTotal)
	assert.Contains(t, strings.Join(src.LeftOut, "\n"), "cancelled")
	assert.Contains(t, errOut.buf.String(), "stopped after")
	assert.Contains(t, errOut.buf.String(), "cancelled\n")
	saved, err := os.ReadFile(filepath.Join(dir, "run.json"))
	require.NoError(t, err)
	assert.Equal(t, out.String(), string(saved))
}

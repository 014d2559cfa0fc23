package cli_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"
)

type readDoc struct {
	Kind     string   `json:"kind"`
	Title    string   `json:"title"`
	Date     string   `json:"date"`
	DateFrom string   `json:"date_from"`
	Encoding string   `json:"encoding"`
	Guessed  bool     `json:"encoding_guessed"`
	People   []string `json:"people"`
	Blocks   []struct {
		ID      int      `json:"id"`
		Text    string   `json:"text"`
		Kind    string   `json:"kind"`
		Page    int      `json:"page"`
		Line    int      `json:"line"`
		Start   *float64 `json:"start"`
		End     *float64 `json:"end"`
		Speaker string   `json:"speaker"`
		Heading string   `json:"heading"`
	} `json:"blocks"`
	Notes []struct {
		Code string            `json:"code"`
		Args map[string]string `json:"args"`
	} `json:"notes"`
}

const captions = "WEBVTT\n\n1:02:03.500 --> 1:02:05.000\n<v 张伟>你好\n\n1:03:00.000 --> 1:03:02.000\n<v 李雷>好的\n"

func TestRead(t *testing.T) {
	var d readDoc
	okJSON(t, &d, "read", file(t, "a.vtt", captions))
	assert.Equal(t, "vtt", d.Kind)
	assert.Equal(t, []string{"张伟", "李雷"}, d.People)
	require.Len(t, d.Blocks, 2)
	assert.Equal(t, "你好", d.Blocks[0].Text)
	assert.Equal(t, "张伟", d.Blocks[0].Speaker)
	require.NotNil(t, d.Blocks[0].Start)
	assert.InDelta(t, 3723.5, *d.Blocks[0].Start, 1e-9)

	r := ok(t, "read", file(t, "a.vtt", captions))
	assert.Contains(t, r.out, "[0] 1:02:03 张伟: 你好\n")
	in := callWith(t, context.Background(), strings.NewReader(captions), "read", "-")
	require.Equal(t, 0, in.code, in.err)
	assert.Contains(t, in.out, "[0] 1:02:03 张伟: 你好\n")
}

// TestReadGuessedEncoding: case A1, and a file with NULs, whose note goes to
// standard error.
func TestReadGuessedEncoding(t *testing.T) {
	gb, err := simplifiedchinese.GB18030.NewEncoder().String(minutes)
	require.NoError(t, err)
	path := file(t, "a.txt", gb)
	assert.Contains(t, ok(t, "read", path, "--ui-lang", "en").out, "gb18030 (guessed)")
	assert.Contains(t, ok(t, "read", path, "--ui-lang", "zh").out, "gb18030 (猜测)")
	var d readDoc
	okJSON(t, &d, "read", path)
	assert.True(t, d.Guessed)
	okJSON(t, &d, "read", path, "--encoding", "gb18030")
	assert.False(t, d.Guessed)

	r := ok(t, "read", file(t, "b.txt", strings.Repeat("a plain line of a log\n", 40)+"x\x00y\n"), "--ui-lang", "zh")
	assert.Contains(t, r.err, "去掉了空字符")
	assert.NotContains(t, r.out, "去掉了空字符")
}

func TestReadRefusals(t *testing.T) {
	for _, c := range []struct{ name, text, en, zh string }{
		{"a.pdf", "%PDF-1.7\n", "a.pdf: pdf is not read yet; save it as txt, md, srt or vtt", "a.pdf: 还不能读 pdf；请另存为 txt、md、srt 或 vtt"},
		{"a.txt", "\x00\x01\x02\x80\xff\x00\x01\xfe", "not a text file (binary); choose a text file", "不是文本文件（binary）；请选一个文本文件"},
		{"a.zip", "PK\x03\x04\x14\x00\x00\x00", "unpack it", "请先解压"},
		{"a.mp3", "ID3\x04\x00\x00\x00\x00\x00\x00", "transcribe it first", "请先转写"},
		{"a.txt", " \n", "there is no text in it", "文件里没有文字"},
	} {
		path := file(t, c.name, c.text)
		failed(t, 1, call(t, "read", path), c.en)
		failed(t, 1, call(t, "read", path, "--ui-lang", "zh", "--json"), c.zh)
	}
	failed(t, 1, call(t, "read", "none.txt"), "there is no file none.txt")
	failed(t, 1, call(t, "read", t.TempDir()), "it is a folder")
	failed(t, 2, call(t, "read", file(t, "a.txt", "x"), "--encoding", "klingon"), `unknown encoding "klingon"`)
}

type chunk struct {
	Tokens     int    `json:"tokens"`
	FirstBlock int    `json:"first_block"`
	LastBlock  int    `json:"last_block"`
	Text       string `json:"text"`
}

// TestChunksLongChinese: 80,000 characters without line ends or spaces are cut
// within the budget, and the parts are the whole text.
func TestChunksLongChinese(t *testing.T) {
	text := strings.TrimSpace(strings.NewReplacer("\n", "", "：", "，", " ", "").Replace(longChinese(80_000)))
	require.GreaterOrEqual(t, utf8.RuneCountInString(text), 80_000)
	path := file(t, "long.txt", text)
	for _, budget := range []string{"100", "4096"} {
		var parts []chunk
		okJSON(t, &parts, "chunks", path, "--tokens", budget)
		var all strings.Builder
		for i, p := range parts {
			require.LessOrEqual(t, p.Tokens, map[string]int{"100": 100, "4096": 4096}[budget], i)
			require.LessOrEqual(t, p.FirstBlock, p.LastBlock)
			all.WriteString(p.Text)
		}
		require.True(t, strings.ReplaceAll(all.String(), "\n", "") == text, "%s: the parts are not the text", budget)
	}
}

func TestChunksText(t *testing.T) {
	path := file(t, "a.txt", minutes)
	r := ok(t, "chunks", path, "--tokens", "100", "--ui-lang", "en")
	assert.Contains(t, r.out, "--- 1/")
	assert.Contains(t, r.out, " tokens · blocks 0-")
	assert.Contains(t, ok(t, "chunks", path, "--ui-lang", "zh").out, "个词元")
	failed(t, 2, call(t, "chunks", path, "--tokens", "0", "--model", tiny), "must be positive")
	failed(t, 2, call(t, "chunks", path, "--overlap", "-1", "--model", tiny), "must not be negative")
	failed(t, 1, call(t, "chunks", path, "--tokens", "1", "--model", tiny), "raise --tokens")
}

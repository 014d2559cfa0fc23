package document_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/document"
)

func TestUnsupported(t *testing.T) {
	zip := "PK\x03\x04\x14\x00\x06\x00\x08\x00"
	tests := map[string]struct{ raw, what string }{
		"pdf":  {"%PDF-1.7\n%\xE2\xE3\n1 0 obj", "pdf"},
		"docx": {zip + "[Content_Types].xml....word/document.xml", "docx"},
		"xlsx": {zip + "[Content_Types].xml....xl/workbook.xml", "xlsx"},
		"zip":  {zip + "holiday/photo.bin", "zip"},
		"doc":  {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1rest", "doc"},
		"mp4":  {"\x00\x00\x00\x20ftypisom", "mp4"},
		"wav":  {"RIFF\x00\x00\x00\x00WAVEfmt ", "wav"},
		"png":  {"\x89PNG\r\n\x1A\n", "png"},
		"html": {"<!DOCTYPE html><html><body>x</body></html>", "html"},
		"json": {"\uFEFF {\"segments\": []}", "json"},
		"gguf": {"GGUF\x03\x00\x00\x00", "gguf"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := document.Read(context.Background(), strings.NewReader(tc.raw), document.Options{Name: "a.txt"})
			var ue *document.UnsupportedError
			require.ErrorAs(t, err, &ue)
			assert.Equal(t, tc.what, ue.What)
			assert.Regexp(t, "is not read yet: |not a text file: ", err.Error())
		})
	}
}

func TestReadErrors(t *testing.T) {
	ctx := context.Background()
	for _, text := range []string{"", "  \n\n", "\uFEFF", "\r\n\t\r\n"} {
		_, err := document.Read(ctx, strings.NewReader(text), document.Options{})
		require.ErrorIs(t, err, document.ErrEmpty, "%q", text)
	}
	_, err := document.Read(ctx, strings.NewReader("12345678901"), document.Options{MaxBytes: 10})
	var le *document.LimitError
	require.ErrorAs(t, err, &le)
	assert.Equal(t, document.LimitError{What: "bytes", Limit: 10}, *le)
	_, err = document.Read(ctx, strings.NewReader("1234567890"), document.Options{MaxBytes: 10})
	require.NoError(t, err)

	boom := errors.New("disk gone")
	_, err = document.Read(ctx, iotest.ErrReader(boom), document.Options{})
	require.ErrorIs(t, err, boom)
	_, err = document.Read(ctx, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(boom)), document.Options{})
	require.ErrorIs(t, err, boom)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = document.Read(cancelled, strings.NewReader("text"), document.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "周会 2026.txt")
	raw := "张伟：好。\n李娜：好。\n"
	require.NoError(t, os.WriteFile(path, []byte(raw), 0o600))
	when := time.Date(2026, 3, 4, 12, 0, 0, 0, time.Local)
	require.NoError(t, os.Chtimes(path, when, when))
	doc, err := document.ReadFile(context.Background(), path, document.Options{})
	require.NoError(t, err)
	checkDoc(t, doc)
	sum := sha256.Sum256([]byte(raw))
	assert.Equal(t, hex.EncodeToString(sum[:]), doc.Hash)
	assert.Equal(t, document.ReaderVersion, doc.ReaderVersion)
	assert.Equal(t, "周会 2026", doc.Title)
	assert.Equal(t, "2026-03-04", doc.Date)
	assert.Equal(t, "file", doc.DateFrom)

	_, err = document.ReadFile(context.Background(), filepath.Join(dir, "absent"), document.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = document.ReadFile(context.Background(), dir, document.Options{})
	var ue *document.UnsupportedError
	require.ErrorAs(t, err, &ue)
}

func TestDate(t *testing.T) {
	mod := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	tests := map[string]struct{ text, name, want, from string }{
		"iso":             {"周会 2026-05-12\n内容\n", "", "2026-05-12", "text"},
		"slashes":         {"会议日期：2026/5/2 10:00~12:00\n", "", "2026-05-02", "text"},
		"dots":            {"## 时间：2026.8.31\n\n内容\n", "a.md", "2026-08-31", "text"},
		"chinese":         {"时间：2026年5月12日 下午\n", "", "2026-05-12", "text"},
		"spaced":          {"2026 年 5 月 12 日 例会\n", "", "2026-05-12", "text"},
		"english":         {"Weekly\nDate: May 12, 2026\n", "", "2026-05-12", "text"},
		"english day":     {"Weekly call, 12th of May 2026\n", "", "2026-05-12", "text"},
		"day first":       {"Date: 25/12/2026\n", "", "2026-12-25", "text"},
		"month first":     {"Date: 12/25/2026\n", "", "2026-12-25", "text"},
		"ambiguous":       {"Date: 03/04/2026\n", "", "2026-01-02", "file"},
		"impossible":      {"日期：2026-02-30\n", "", "2026-01-02", "file"},
		"label wins":      {"背景 2025-01-01 的决定\n会议时间：2026-05-12\n", "", "2026-05-12", "text"},
		"deadline":        {"截止 2026-06-01 交\n", "", "2026-01-02", "file"},
		"late":            {strings.Repeat("一行内容\n", 60) + "会议时间：2026-05-12\n", "", "2026-01-02", "file"},
		"in a long story": {"我们从去年开始讨论这个问题，" + strings.Repeat("说了很多话，", 20) + "直到2026-05-12才定。\n", "", "2026-01-02", "file"},
		"spoken":          {"张伟：2025-05-05 那次不算。\n李娜：对。\n张伟：好。\n", "", "2026-01-02", "file"},
		"name":            {"内容\n", "weekly_20260512_final.txt", "2026-05-12", "file"},
		"name dashes":     {"内容\n", "call-2026-05-12.txt", "2026-05-12", "file"},
		"phone number":    {"电话 13820260512\n", "", "2026-01-02", "file"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			doc := readBytes(t, []byte(tc.text), document.Options{Name: tc.name, ModTime: mod})
			assert.Equal(t, []string{tc.want, tc.from}, []string{doc.Date, doc.DateFrom})
		})
	}
	doc := read(t, "", "没有日期\n")
	assert.Equal(t, []string{"", ""}, []string{doc.Date, doc.DateFrom})
}

func TestTitle(t *testing.T) {
	tests := map[string]struct{ text, name, want string }{
		"heading":      {"前言\n\n# 周会\n\n## 二\n", "a.md", "周会"},
		"title line":   {"产品周会纪要\n\n会议时间：2026-05-12\n", "a.txt", "产品周会纪要"},
		"label":        {"会议时间：2026-05-12\n会议主题：预算评审\n", "a.txt", "预算评审"},
		"field":        {"会议时间：2026-05-12\n内容如下。\n", "weekly.txt", "weekly"},
		"date only":    {"2026-05-12\n内容如下。\n", "weekly.txt", "weekly"},
		"turn":         {"张伟：好。\n李娜：好。\n", "dir/talk.txt", "talk"},
		"windows path": {"张伟：好。\n李娜：好。\n", `C:\x\talk.txt`, "talk"},
		"sentence":     {"这是一句完整的话。\n", "a.txt", "a"},
		"captions":     {"WEBVTT\n\n00:01.000 --> 00:02.000\nhi\n", "standup.vtt", "standup"},
		"no name":      {"这是一句完整的话。\n", "", "这是一句完整的话。"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, read(t, tc.name, tc.text).Title)
		})
	}
}

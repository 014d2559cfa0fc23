package ui

import (
	"context"
	"io"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/storage/repository"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

func TestDownload(t *testing.T) {
	gate := make(chan struct{})
	b := &fakeBackend{models: goodModels(false), download: func(_ context.Context, progress func(done, total int64)) error {
		progress(493e6, 986e6)
		<-gate
		return nil
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste(meeting)
	assert.Equal(t, bn.w.words.t("run.no_model"), bn.w.panes.bar.status.Text())
	assert.Contains(t, texts(bn.w), "windowseat models get qwen2.5-1.5b")

	bn.w.models.download("qwen-1.5b")
	bn.q.until(t, "progress shows", func() bool { return bn.w.models.total > 0 })
	assert.Contains(t, texts(bn.w), "493 MB of 986 MB")
	assert.InDelta(t, 0.5, bn.w.panes.model.bar.Value(), 1e-6)
	close(gate)
	bn.q.until(t, "the model is here", func() bool { _, ok := bn.w.models.current(""); return ok })
	assert.False(t, bn.w.panes.bar.start.Disabled())
}

func TestFailedAndCancelledDownload(t *testing.T) {
	b := &fakeBackend{models: goodModels(false), download: func(ctx context.Context, _ func(done, total int64)) error { return errBroken }}
	bn := newBench(t, b, Options{Lang: English})
	bn.w.models.download("qwen-1.5b")
	bn.q.until(t, "it has failed", func() bool { return bn.w.models.failed != nil })
	assert.Contains(t, texts(bn.w), "The download stopped: engine: out of luck.")

	b.download = func(ctx context.Context, _ func(done, total int64)) error { <-ctx.Done(); return ctx.Err() }
	bn.w.models.download("qwen-1.5b")
	bn.w.models.cancel()
	bn.q.until(t, "it has ended", func() bool { return bn.w.models.cancel == nil })
	assert.NoError(t, bn.w.models.failed, "a cancelled download is not a failure")
}

func TestChangeOfLanguageKeepsTheWork(t *testing.T) {
	b := &fakeBackend{models: goodModels(true), run: func(context.Context, RunRequest, func(Event)) (*assistant.RunDocument, error) {
		return goodResult("x"), nil
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste(meeting)
	bn.w.choices.meetingDate = "2026-03-19"
	bn.start()
	bn.idle()
	bn.w.setLanguage(Chinese)
	seen := texts(bn.w)
	assert.Contains(t, seen, "✓ 已核对")
	assert.Contains(t, seen, "238 字")
	assert.NotContains(t, seen, "Owner")
	assert.Equal(t, "2026-03-19", bn.w.panes.setup.date.Text)
}

func TestWrongDateKeepsStartDisabled(t *testing.T) {
	bn := newBench(t, &fakeBackend{models: goodModels(true)}, Options{Lang: English})
	bn.paste(meeting)
	bn.w.panes.setup.date.SetText("2026-02-30")
	assert.True(t, bn.w.panes.bar.start.Disabled())
	assert.Equal(t, bn.w.words.t("setup.date_wrong"), bn.w.panes.setup.hint.Text())
	bn.w.panes.setup.date.SetText("2026-02-28")
	assert.False(t, bn.w.panes.bar.start.Disabled())
}

func TestShutdownEndsTheJob(t *testing.T) {
	ended := false
	b := &fakeBackend{models: goodModels(true), run: func(ctx context.Context, _ RunRequest, _ func(Event)) (*assistant.RunDocument, error) {
		<-ctx.Done()
		ended = true
		return nil, ctx.Err()
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.w.Shutdown() // with nothing to stop
	bn.paste(meeting)
	bn.start()
	bn.w.Shutdown()
	assert.True(t, ended)
}

func TestShortcuts(t *testing.T) {
	bn := newBench(t, &fakeBackend{models: goodModels(true)}, Options{Lang: English})
	fyne.CurrentApp().Clipboard().SetContent(meeting)
	typeShortcut(bn.w, &fyne.ShortcutPaste{})
	bn.q.until(t, "it is read", func() bool { f, _ := bn.w.files.ready(); return len(f) == 1 })
	typeShortcut(bn.w, &desktop.CustomShortcut{KeyName: fyne.KeyO, Modifier: fyne.KeyModifierShortcutDefault})
	assert.NotNil(t, bn.w.win.Canvas().Overlays().Top(), "the file dialog is open")
}

func typeShortcut(w *Window, s fyne.Shortcut) {
	w.win.Canvas().(fyne.Shortcutable).TypedShortcut(s)
}

// opaque is a content provider of a phone: addresses without a name or type.
type opaque struct{ text string }

func (opaque) Exists(fyne.URI) (bool, error)  { return true, nil }
func (opaque) CanRead(fyne.URI) (bool, error) { return true, nil }
func (opaque) Destroy(string)                 {}
func (o opaque) Reader(u fyne.URI) (fyne.URIReadCloser, error) {
	return opaqueFile{io.NopCloser(strings.NewReader(o.text)), u}, nil
}

type opaqueFile struct {
	io.ReadCloser
	uri fyne.URI
}

func (f opaqueFile) URI() fyne.URI { return f.uri }

// TestOpaqueURI is case I8: an address without name, type or size is read by content.
func TestOpaqueURI(t *testing.T) {
	bn := newBench(t, &fakeBackend{models: goodModels(true)}, Options{Mobile: true, Lang: Chinese})
	repository.Register("content", opaque{meeting})
	u, err := storage.ParseURI("content://media/external/file/42")
	require.NoError(t, err)
	bn.w.Open(u)
	bn.q.until(t, "it is read", func() bool { f, _ := bn.w.files.ready(); return len(f) == 1 })
	assert.Contains(t, texts(bn.w), "238 字")
}

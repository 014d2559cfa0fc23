package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/document"
	"windowseat/ui/widgets"
)

// forms are the two shapes of the window in the two languages.
var forms = map[string]Options{
	"desktop_zh": {Lang: Chinese}, "desktop_en": {Lang: English},
	"phone_zh": {Mobile: true, Lang: Chinese}, "phone_en": {Mobile: true, Lang: English},
}

// texts returns what can be read in the window, in drawing order.
func texts(w *Window) string {
	var all []string
	walk(w.win.Content(), fyne.NewPos(0, 0), func(o fyne.CanvasObject, _ fyne.Position) {
		if t, ok := o.(*canvas.Text); ok {
			all = append(all, t.Text)
		}
	})
	return strings.Join(all, "\n")
}

func TestOpenRunRead(t *testing.T) {
	for name, o := range forms {
		t.Run(name, func(t *testing.T) {
			b := &fakeBackend{models: goodModels(true), run: func(_ context.Context, r RunRequest, events func(Event)) (*assistant.RunDocument, error) {
				events(Event{Kind: EventText, Stream: 1, Text: `{"has":true,"action":"把预算表`})
				events(Event{Kind: EventText, Stream: 1, Text: `发给财务"}`})
				return goodResult(r.Files[0].Name), nil
			}}
			bn := newBench(t, b, o)
			require.True(t, bn.w.panes.bar.start.Disabled(), "Start without a file")
			assert.Equal(t, bn.w.words.t("run.no_file"), bn.w.panes.bar.status.Text())

			bn.paste(meeting)
			bn.start()
			bn.idle()

			live := bn.w.panes.live.lines.Paragraphs()
			assert.Equal(t, "把预算表发给财务", live[len(live)-1].Text, "streamed text")
			seen := texts(bn.w)
			assert.Contains(t, seen, "团队讨论了预算表", "summary is on the first screen of the results")
			assert.Contains(t, seen, bn.w.words.t("state.checked"))
			require.Len(t, b.requests, 1)
			r := b.requests[0]
			assert.Equal(t, []assistant.Task{"summary", "decisions", "todos", "risks", "email"}, r.Tasks)
			assert.Equal(t, "qwen-1.5b", r.Model)
			assert.Equal(t, "auto", r.Language)
			assert.Equal(t, English, r.EmailLanguage)
		})
	}
}

func TestResultsNameOwnerDateReasonAndPlace(t *testing.T) {
	b := &fakeBackend{models: goodModels(true), run: func(context.Context, RunRequest, func(Event)) (*assistant.RunDocument, error) {
		return goodResult("会议.txt", "second.txt"), nil
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste(meeting)
	bn.paste(meeting)
	bn.start()
	bn.idle()
	var seen []string
	collect(bn.w.panes.result.page.Body(), &seen)
	all := strings.Join(seen, "\n")
	for _, want := range []string{
		"Owner: Maria", "Due: 2026-03-25 (下周三之前)", "Unassigned", "No due date", "✓ Checked", "Unconfirmed",
		"The quote does not prove who the owner is.", "八月的发布推迟到九月十五日", "Pasted text · 0:30 · line 3 · 张伟",
		"second.txt: 3 of 12 parts read, 20,480 characters", "Left out: part 4-5 (the job was stopped)", "Left out: part 7 (the answer did not fit, even in smaller pieces)", "Meeting date 2026-03-18 (named in the text)",
		"Please check. Not in the documents: 25 March (date)", "Release moved to 15 September", "Raised by Maria",
	} {
		assert.Contains(t, all, want)
	}
}

// collect gathers the texts of widgets, whether scrolled into view or not.
func collect(o fyne.CanvasObject, into *[]string) {
	switch o := o.(type) {
	case *widgets.Text:
		*into = append(*into, o.Text())
	case *widgets.Link:
		*into = append(*into, o.Text.Text())
	case *widgets.Chip:
		*into = append(*into, o.Text())
	case *widgets.Column:
		for _, child := range o.Objects {
			collect(child, into)
		}
	case *widgets.Laid:
		for _, child := range o.Objects() {
			collect(child, into)
		}
	}
}

func TestEmptySectionsSaySo(t *testing.T) {
	b := &fakeBackend{models: goodModels(true), run: func(context.Context, RunRequest, func(Event)) (*assistant.RunDocument, error) {
		return &assistant.RunDocument{}, nil
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste("午饭")
	bn.w.choices.summary, bn.w.choices.email, bn.w.choices.risks = false, false, false
	bn.start()
	bn.idle()
	var seen []string
	collect(bn.w.panes.result.page.Body(), &seen)
	assert.Contains(t, seen, "To-dos (0)")
	assert.Contains(t, seen, "None found.")
	assert.NotContains(t, strings.Join(seen, "\n"), "Risks", "a task that was not asked for has no section")
}

func TestFailingBackendSaysWhatToDo(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{errBroken, "engine: out of luck. Try again"},
		{ErrNoModel, "Download it again"},
		{ErrNoMemory, "Close other programs"},
		{fmt.Errorf("%w: engine: 3 MiB are free", assistant.ErrNoMemory), "Close other programs"},
		{fmt.Errorf("%w: engine: verify it", assistant.ErrBadModel), "The model file is damaged"},
	} {
		b := &fakeBackend{models: goodModels(true), run: func(context.Context, RunRequest, func(Event)) (*assistant.RunDocument, error) { return nil, tc.err }}
		bn := newBench(t, b, Options{Lang: English})
		bn.paste(meeting)
		bn.start()
		bn.idle()
		assert.Contains(t, texts(bn.w), tc.want)
		assert.False(t, bn.w.panes.bar.start.Disabled(), "one can try again")
	}
}

func TestStopIsIdleAtOnceAndKeepsWhatWasFinished(t *testing.T) {
	running := make(chan struct{})
	b := &fakeBackend{models: goodModels(true), run: func(ctx context.Context, r RunRequest, _ func(Event)) (*assistant.RunDocument, error) {
		close(running)
		<-ctx.Done()
		return goodResult(r.Files[0].Name), ctx.Err()
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste(meeting)
	bn.start()
	<-running
	test.Tap(bn.w.panes.bar.stop)
	bn.idle()
	require.True(t, bn.w.job.last.stopped)
	var seen []string
	collect(bn.w.panes.result.page.Body(), &seen)
	assert.Contains(t, seen, "What was finished is below; the rest is missing.")
	assert.Contains(t, seen, "把预算表发给财务")
}

// TestStopOfADeafJob: a backend that does not look at ctx does not hold the window;
// its late news are dropped, and the next job waits for its end.
func TestStopOfADeafJob(t *testing.T) {
	release, second := make(chan struct{}), make(chan struct{})
	calls := 0
	b := &fakeBackend{models: goodModels(true), run: func(_ context.Context, _ RunRequest, events func(Event)) (*assistant.RunDocument, error) {
		if calls++; calls == 2 {
			close(second)
			return &assistant.RunDocument{}, nil
		}
		<-release
		events(Event{Kind: EventText, Stream: 9, Text: "too late"})
		return goodResult("late"), nil
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste(meeting)
	bn.start()
	began := time.Now()
	test.Tap(bn.w.panes.bar.stop)
	bn.idle()
	assert.GreaterOrEqual(t, time.Since(began), stopPatience)
	assert.Nil(t, bn.w.job.last.doc)

	bn.start()
	select {
	case <-second:
		t.Fatal("the second job ran beside the first")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	bn.idle()
	<-second
	assert.NotContains(t, texts(bn.w), "too late")
	assert.Nil(t, bn.w.job.last.err)
}

func TestStopBeforeAnythingIsFinished(t *testing.T) {
	running := make(chan struct{})
	b := &fakeBackend{models: goodModels(true), run: func(ctx context.Context, _ RunRequest, _ func(Event)) (*assistant.RunDocument, error) {
		close(running)
		<-ctx.Done()
		return &assistant.RunDocument{Header: assistant.Header{Sources: []assistant.Source{{File: "a", PartsTotal: 2, LeftOut: []string{"1/2 cancelled", "2/2 cancelled"}}}}}, ctx.Err()
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste(meeting)
	bn.start()
	<-running
	test.Tap(bn.w.panes.bar.stop)
	bn.idle()
	seen := texts(bn.w)
	assert.Contains(t, seen, "Nothing was finished yet.")
	assert.Contains(t, seen, "Left out: part 1-2 (the job was stopped)")
	assert.NotContains(t, seen, "None found", "nothing was looked for")
	assert.False(t, bn.w.panes.result.tools.Visible(), "there is nothing to save")
}

func TestRemovedFileIsNotShownWhenItsReadingEnds(t *testing.T) {
	gate := make(chan struct{})
	b := &fakeBackend{models: goodModels(true), readGate: gate}
	bn := newBench(t, b, Options{Lang: English})
	bn.w.files.addText("slow", meeting)
	bn.w.files.addText("kept", meeting)
	assert.Equal(t, "Waiting until the files are read…", bn.w.panes.bar.status.Text())
	bn.w.files.remove(bn.w.files.files[0].id)
	close(gate)
	bn.q.until(t, "the other file is read", func() bool { f, reading := bn.w.files.ready(); return len(f) == 1 && !reading })
	require.Len(t, bn.w.files.files, 1)
	assert.Equal(t, "kept", bn.w.files.files[0].name)
}

func TestDropOfFilesAndFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"一.txt", "two.md", ".hidden"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(meeting), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "inner"), 0o700))
	bn := newBench(t, &fakeBackend{models: goodModels(true)}, Options{Lang: Chinese})
	one := storage.NewFileURI(filepath.Join(dir, "一.txt"))
	bn.w.Open(one, one, storage.NewFileURI(dir), storage.NewFileURI(filepath.Join(dir, "gone.txt")))
	bn.q.until(t, "all is read", func() bool {
		ready, reading := bn.w.files.ready()
		return len(ready) == 2 && !reading
	})
	var names []string
	for _, f := range bn.w.files.files {
		names = append(names, f.name)
	}
	assert.ElementsMatch(t, []string{"一.txt", "gone.txt", "two.md"}, names, "no hidden file, no folder, nothing twice")
	assert.Contains(t, texts(bn.w), bn.w.words.t("failure.missing"))
}

func TestUnsupportedFileSaysWhatToDo(t *testing.T) {
	b := &fakeBackend{models: goodModels(true), readErr: &document.UnsupportedError{What: "pdf", Advice: "export_text"}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste(meeting)
	assert.Contains(t, texts(bn.w), "Not supported yet: pdf.")
	assert.True(t, bn.w.panes.bar.start.Disabled())
}

func TestEvidenceOpensItsPlace(t *testing.T) {
	b := &fakeBackend{models: goodModels(true), run: func(context.Context, RunRequest, func(Event)) (*assistant.RunDocument, error) {
		return goodResult("x"), nil
	}}
	bn := newBench(t, b, Options{Lang: English})
	bn.paste(meeting)
	bn.start()
	bn.idle()
	e := goodResult("x").Decisions[0].Evidence[0]
	bn.w.showEvidence(e)
	assert.Contains(t, texts(bn.w), "八月的发布推迟到九月十五日", "the line is in view")
	assert.Nil(t, bn.w.win.Canvas().Overlays().Top())

	e.Quote = "something else"
	bn.w.showEvidence(e)
	assert.NotNil(t, bn.w.win.Canvas().Overlays().Top(), "a place that does not hold the quote is not shown as if it did")
}

func TestChosenEncodingReadsAgain(t *testing.T) {
	bn := newBench(t, &fakeBackend{models: goodModels(true)}, Options{Lang: English})
	bn.paste(meeting)
	f := bn.w.files.files[0]
	bn.w.showFile(f)
	bn.w.panes.document.encoding.SetSelected("gb18030")
	bn.q.until(t, "it is read again", func() bool { return !f.reading() })
	assert.Equal(t, "gb18030", f.doc.Encoding)
}

func TestSave(t *testing.T) {
	b := &fakeBackend{models: goodModels(true), run: func(context.Context, RunRequest, func(Event)) (*assistant.RunDocument, error) {
		return goodResult("周会 <1>.txt"), nil
	}}
	bn := newBench(t, b, Options{Lang: Chinese})
	bn.paste(meeting)
	bn.start()
	bn.idle()
	doc := bn.w.job.last.doc
	assert.Equal(t, "周会 <1>-windowseat.json", saveName(doc, saveJSON))

	for format, check := range map[saveFormat]func([]byte){
		saveMarkdown: func(got []byte) {
			assert.Contains(t, string(got), "- [ ] **Maria**: 把预算表发给财务 · 2026-03-25 (下周三之前)\n  > 下周三之前要把预算表发给财务")
		},
		saveJSON: func(got []byte) {
			assert.Contains(t, string(got), "周会 <1>.txt", "not escaped")
			var back assistant.RunDocument
			require.NoError(t, json.Unmarshal(got, &back))
			assert.Len(t, back.Todos, 2)
		},
	} {
		path := filepath.Join(t.TempDir(), "out"+format.extension())
		to, err := storage.Writer(storage.NewFileURI(path))
		require.NoError(t, err)
		bn.w.writeResults(to, bn.w.job.last, format)
		bn.q.until(t, "it is saved", func() bool { return bn.w.win.Canvas().Overlays().Top() != nil })
		bn.w.win.Canvas().Overlays().Remove(bn.w.win.Canvas().Overlays().Top())
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		check(got)
	}
}

// fullDisk is a file whose last bytes cannot be written.
type fullDisk struct{ bytes.Buffer }

func (*fullDisk) Close() error  { return errors.New("disk full") }
func (*fullDisk) URI() fyne.URI { return storage.NewFileURI("/full.md") }

func TestFailedSaveIsTold(t *testing.T) {
	bn := newBench(t, &fakeBackend{models: goodModels(true)}, Options{Lang: English})
	bn.w.writeResults(&fullDisk{}, &outcome{doc: goodResult("a")}, saveMarkdown)
	bn.q.until(t, "the user is told", func() bool { return bn.w.win.Canvas().Overlays().Top() != nil })
	var said []string
	walk(bn.w.win.Canvas().Overlays().Top(), fyne.NewPos(0, 0), func(o fyne.CanvasObject, _ fyne.Position) {
		if x, ok := o.(*canvas.Text); ok {
			said = append(said, x.Text)
		}
	})
	assert.Contains(t, strings.Join(said, " "), "disk full")
}

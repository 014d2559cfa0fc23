package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/assistant/journal"
	"windowseat/engine/models"
)

// plainGenerator answers every prompt with the same text, rune by rune.
type plainGenerator struct {
	answer string
	err    error
	both   *sync.WaitGroup // when set, the first two calls stream side by side
}

func (g plainGenerator) Generate(ctx context.Context, p assistant.Prompt) (assistant.Answer, error) {
	if g.err != nil {
		return assistant.Answer{}, g.err
	}
	if p.OnText != nil {
		for _, r := range g.answer {
			p.OnText(string(r))
		}
		if g.both != nil {
			g.both.Done()
			g.both.Wait()
			p.OnText("!")
		}
	}
	return assistant.Answer{Text: g.answer, Stop: assistant.StopEnd}, ctx.Err()
}

func (plainGenerator) Score(_ context.Context, _ assistant.Prompt, cs []string) ([]float32, error) {
	return make([]float32, len(cs)), nil
}

func (plainGenerator) CountTokens(text string) int { return len(text) / 3 }

func (plainGenerator) Info() assistant.GeneratorInfo {
	return assistant.GeneratorInfo{Model: assistant.ModelInfo{Name: "plain"}, ContextTokens: 8192, Parallel: 2}
}

func newLocal(t *testing.T, open Opener) *Local {
	t.Helper()
	store, err := models.Open(t.TempDir(), nil)
	require.NoError(t, err)
	return NewLocal(LocalOptions{Open: open, Store: store, ContextTokens: 8192})
}

// request is a job for todos over text that the real readers have read.
func request(t *testing.T, l *Local, text string) RunRequest {
	t.Helper()
	doc, err := l.Read(t.Context(), ReadRequest{Name: "会议.txt", Data: strings.NewReader(text)})
	require.NoError(t, err)
	return RunRequest{Files: []RunFile{{Name: "会议.txt", Document: doc}}, Tasks: []assistant.Task{assistant.TaskTodos}, Model: "m", Language: "auto", EmailLanguage: English, MeetingDate: "2026-03-18"}
}

const todoText = "张伟：下周三之前我把预算表发给财务。\n李娜：好的，周五之前我把报告写完。\n"

func TestLocalRunsAndKeepsTheModelOpen(t *testing.T) {
	opened, closed := 0, 0
	l := newLocal(t, func(_ context.Context, model string, progress func(done, total int64)) (assistant.Generator, func() error, error) {
		opened++
		progress(1, 2)
		return plainGenerator{answer: `{"has":false}`}, func() error { closed++; return nil }, nil
	})
	r := request(t, l, todoText)
	var mu sync.Mutex
	kinds := map[EventKind]int{}
	texts := map[int]string{}
	for range 2 {
		doc, err := l.Run(t.Context(), r, func(e Event) {
			mu.Lock()
			defer mu.Unlock()
			kinds[e.Kind]++
			if e.Kind == EventText {
				texts[e.Stream] += e.Text
				assert.Equal(t, assistant.TaskTodos, e.Task)
			}
		})
		require.NoError(t, err)
		assert.Equal(t, "会议.txt", doc.Sources[0].File)
		assert.Equal(t, doc.Sources[0].PartsTotal, doc.Sources[0].PartsRead)
	}
	assert.Equal(t, 1, opened)
	assert.Equal(t, 1, kinds[EventLoading])
	assert.NotZero(t, kinds[EventProgress])
	assert.NotEmpty(t, texts)
	for _, text := range texts {
		assert.True(t, strings.HasPrefix(text, `{"has":false}`), text)
	}
	r.Model = "other"
	_, err := l.Run(t.Context(), r, func(Event) {})
	require.NoError(t, err)
	assert.Equal(t, 2, opened)
	require.NoError(t, l.Close())
	assert.Equal(t, 2, closed)
}

// A job that was stopped goes on where it stopped: kept passes are not asked again.
func TestLocalContinuesAStoppedJob(t *testing.T) {
	var asked atomic.Int64
	l := newLocal(t, func(context.Context, string, func(done, total int64)) (assistant.Generator, func() error, error) {
		return counting{plainGenerator{answer: `{"has":false}`}, &asked}, func() error { return nil }, nil
	})
	l.opts.Journal = journal.Open(t.TempDir())
	r := request(t, l, todoText)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := l.Run(ctx, r, func(e Event) {
		if e.Kind == EventPassEnd {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	first := asked.Load()
	require.Positive(t, first)
	doc, err := l.Run(t.Context(), r, func(Event) {})
	require.NoError(t, err)
	assert.Positive(t, doc.Timing.EarlierPasses)
	assert.Equal(t, int64(doc.Timing.Passes-doc.Timing.EarlierPasses), asked.Load()-first)
	list, err := l.opts.Journal.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.NotNil(t, list[0].Record.Finished)
}

// counting counts the passes that reach the model.
type counting struct {
	plainGenerator
	asked *atomic.Int64
}

func (c counting) Generate(ctx context.Context, p assistant.Prompt) (assistant.Answer, error) {
	c.asked.Add(1)
	return c.plainGenerator.Generate(context.WithoutCancel(ctx), p)
}

func TestLocalErrors(t *testing.T) {
	broken := errors.New("engine: no")
	for name, tc := range map[string]struct {
		open Opener
		want error
	}{
		"not_installed": {func(context.Context, string, func(done, total int64)) (assistant.Generator, func() error, error) {
			return nil, nil, fmt.Errorf("opening: %w", &models.NotInstalledError{})
		}, ErrNoModel},
		"cannot_open": {func(context.Context, string, func(done, total int64)) (assistant.Generator, func() error, error) {
			return nil, nil, broken
		}, broken},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLocal(t, tc.open)
			_, err := l.Run(t.Context(), request(t, l, todoText), func(Event) {})
			assert.ErrorIs(t, err, tc.want)
			assert.NoError(t, l.Close())
		})
	}
}

// TestStreamsSideBySideAreToldApart: two passes decode at once, and no text of one is
// put under the other.
func TestStreamsSideBySideAreToldApart(t *testing.T) {
	var mu sync.Mutex
	texts := map[int]string{}
	n := newNews(1, func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == EventText {
			texts[e.Stream] += e.Text
		}
	})
	var both, done sync.WaitGroup
	both.Add(2)
	for _, answer := range []string{"first answer", "zweite Antwort"} {
		g := n.listen(plainGenerator{answer: answer, both: &both})
		done.Go(func() {
			_, err := g.Generate(t.Context(), assistant.Prompt{OnText: func(s string) {
				n.take(assistant.Streamed{Task: assistant.TaskTodos, Text: s})
			}})
			assert.NoError(t, err)
		})
	}
	done.Wait()
	var got []string
	for _, s := range texts {
		got = append(got, s)
	}
	assert.ElementsMatch(t, []string{"first answer!", "zweite Antwort!"}, got)
}

func TestNewsCountsPartsOverAllSources(t *testing.T) {
	var last Event
	n := newNews(2, func(e Event) { last = e })
	n.take(assistant.Planned{Total: 10})
	n.take(assistant.Covered{Source: 0, PartsRead: 2, PartsTotal: 4})
	n.take(assistant.Covered{Source: 1, PartsRead: 1, PartsTotal: 3})
	n.take(assistant.Covered{Source: 5, PartsRead: 1, PartsTotal: 3}) // no such source
	n.take(assistant.PassDone{Done: 6, Total: 12})
	assert.Equal(t, Event{Kind: EventProgress, Part: 3, Parts: 7, Pass: 6, Passes: 12}, last)
	n.take(assistant.Found{Task: assistant.TaskRisks})
	assert.Equal(t, Event{Kind: EventFound, Task: assistant.TaskRisks}, last)
}

func TestLocalModels(t *testing.T) {
	l := newLocal(t, nil)
	list, err := l.Models(t.Context())
	require.NoError(t, err)
	require.Len(t, list, len(models.Catalogue()))
	current := 0
	for _, c := range list {
		assert.False(t, c.Installed, c.Name)
		assert.Equal(t, "windowseat models get "+c.Name, c.Command)
		assert.Positive(t, c.DownloadSize)
		assert.Contains(t, []Verdict{VerdictFits, VerdictTight, VerdictSlow, VerdictTooBig, VerdictUnknown}, c.Verdict)
		if c.Current {
			current++
		}
	}
	assert.Equal(t, 1, current)

	l.opts.Model = "/somewhere/own.gguf"
	list, err = l.Models(t.Context())
	require.NoError(t, err)
	assert.Equal(t, ModelChoice{Name: "/somewhere/own.gguf", Title: "own.gguf", Installed: true, Current: true, Verdict: VerdictUnknown}, list[0])
}

func TestMarkdown(t *testing.T) {
	w, err := loadWords(English)
	require.NoError(t, err)
	d := goodResult("meeting.txt", "second.txt")
	d.Risks = nil
	asked := []assistant.Task{"summary", "todos", "risks", "email"}
	got := renderMarkdown(w, &outcome{doc: d}, asked)
	assert.Contains(t, got, "# 八月发布推迟的例会\n")
	assert.Contains(t, got, "## Risks\n\nNone found.\n")
	assert.NotContains(t, got, "## Decisions\n\nNone", "decisions come with the summary")
	assert.Contains(t, renderMarkdown(w, &outcome{doc: d, stopped: true}, asked), "## Risks\n\nNot finished.\n")
}

// An unused model is closed after its time, not while jobs come in between, and
// opened again when it is needed.
func TestIdleModelIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened, closed atomic.Int32
		l := newLocal(t, func(context.Context, string, func(done, total int64)) (assistant.Generator, func() error, error) {
			opened.Add(1)
			return plainGenerator{answer: `{"has":false}`}, func() error { closed.Add(1); return nil }, nil
		})
		l.opts.Idle = 10 * time.Minute
		run := func() {
			_, err := l.Run(t.Context(), request(t, l, "Ann: I will send it by Friday."), func(Event) {})
			require.NoError(t, err)
		}
		run()
		time.Sleep(9 * time.Minute)
		run()
		time.Sleep(9 * time.Minute)
		synctest.Wait()
		require.Equal(t, [2]int32{1, 0}, [2]int32{opened.Load(), closed.Load()}, "used in between")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Equal(t, [2]int32{1, 1}, [2]int32{opened.Load(), closed.Load()})
		run()
		require.Equal(t, [2]int32{2, 1}, [2]int32{opened.Load(), closed.Load()})
		require.NoError(t, l.Close())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, [2]int32{2, 2}, [2]int32{opened.Load(), closed.Load()}, "closed once")
	})
}

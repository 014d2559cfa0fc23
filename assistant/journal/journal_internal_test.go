package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

// finish does the job to its end.
func finish(t testing.TB, s *Store, spec assistant.Job, g *script) (*assistant.RunDocument, *Job) {
	t.Helper()
	j := begin(t, s, spec, g)
	d, err := assistantRun(context.Background(), j.Generator(g), spec)
	require.NoError(t, err)
	require.NoError(t, j.Finish(d))
	return d, j
}

// breakOff does the job until n passes were asked.
func breakOff(t testing.TB, s *Store, spec assistant.Job, n int) *Job {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g := newScript()
	g.fault = func(ctx context.Context, _ assistant.Prompt, i int) error {
		if i >= n {
			cancel()
		}
		return ctx.Err()
	}
	j := begin(t, s, spec, g)
	_, err := assistantRun(ctx, j.Generator(g), spec)
	require.ErrorIs(t, err, context.Canceled)
	j.Close()
	return j
}

func only(t testing.TB, s *Store) Entry {
	t.Helper()
	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

func TestContinues(t *testing.T) {
	spec, s := meeting(), Open(t.TempDir())
	want := unbroken(t, spec)
	j := breakOff(t, s, spec, 30)
	e := only(t, s)
	assert.Nil(t, e.Record.Finished)
	assert.False(t, e.Running)
	assert.Equal(t, 30, e.Kept)
	_, err := s.Result(e)
	require.ErrorIs(t, err, ErrUnfinished)

	g := newScript()
	got, again := finish(t, s, spec, g)
	assert.Equal(t, j.ID(), again.ID())
	assert.Equal(t, 30, again.Earlier())
	assert.Equal(t, result(t, want), result(t, got))
	assert.Equal(t, 30, got.Timing.EarlierPasses)
	assert.Equal(t, want.Timing.Passes-30, g.calls)
	read, err := s.Result(only(t, s))
	require.NoError(t, err)
	assert.Equal(t, got, read, "the saved result is the result, with its types")

	third := newScript()
	_, j = finish(t, s, spec, third)
	assert.Zero(t, j.Earlier(), "a finished job is run again, not repeated from the log")
	assert.Equal(t, want.Timing.Passes, third.calls)
	list, err := s.List()
	require.NoError(t, err)
	assert.Len(t, list, 2)
}

func TestFresh(t *testing.T) {
	spec, s, g := meeting(assistant.TaskRisks), Open(t.TempDir()), newScript()
	breakOff(t, s, spec, 10)
	j, err := s.Begin(spec, g.Info(), Options{Program: "test", Fresh: true})
	require.NoError(t, err)
	defer j.Close()
	assert.Zero(t, j.Earlier())
	assert.Equal(t, j.ID(), only(t, s).ID, "the old one is gone")
}

// TestIdentity: another document, option, model or program is another job; another
// context length is not.
func TestIdentity(t *testing.T) {
	info := newScript().Info()
	same := func(change func(*assistant.Job, *assistant.GeneratorInfo, *string)) bool {
		spec, i, program := meeting(), info, "test"
		change(&spec, &i, &program)
		a, b := newRecord(meeting(), info, "test", time.Now()), newRecord(spec, i, program, time.Now())
		return a.Identity == b.Identity
	}
	type of = func(*assistant.Job, *assistant.GeneratorInfo, *string)
	for name, change := range map[string]of{
		"document": func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.Sources[0].Doc.Hash += "0" },
		"name":     func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.Sources[0].Name = "b.txt" },
		"reader":   func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.Sources[0].Doc.ReaderVersion++ },
		"encoding": func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.Sources[0].Doc.Encoding = "big5" },
		"tasks": func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) {
			j.Tasks = []assistant.Task{assistant.TaskRisks}
		},
		"lang":     func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.Lang = "en" },
		"email":    func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.EmailLang = "zh" },
		"date":     func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.MeetingDate = "2026-01-01" },
		"tone":     func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.Tone = "formal" },
		"seed":     func(j *assistant.Job, _ *assistant.GeneratorInfo, _ *string) { j.Seed++ },
		"model":    func(_ *assistant.Job, i *assistant.GeneratorInfo, _ *string) { i.Model.SHA256 = "11" },
		"numerics": func(_ *assistant.Job, i *assistant.GeneratorInfo, _ *string) { i.Numerics = "coarse f16" },
		"program":  func(_ *assistant.Job, _ *assistant.GeneratorInfo, p *string) { *p = "2" },
	} {
		assert.False(t, same(change), name)
	}
	assert.True(t, same(func(j *assistant.Job, i *assistant.GeneratorInfo, _ *string) {
		j.Lang, j.Tone, i.ContextTokens, i.Parallel = assistant.LangAuto, "neutral", 4096, 1
	}))
}

// TestFailedPasses: a pass that the model fails on is not kept, the job stays
// unfinished, and the same call asks for that pass alone.
func TestFailedPasses(t *testing.T) {
	spec, s := meeting(), Open(t.TempDir())
	want := unbroken(t, spec)
	broken := newScript()
	broken.fault = func(_ context.Context, _ assistant.Prompt, n int) error {
		if n == 5 || n == 9 {
			return errors.New("no")
		}
		return nil
	}
	j := begin(t, s, spec, broken)
	d, err := assistantRun(context.Background(), j.Generator(broken), spec)
	require.NoError(t, err)
	require.ErrorIs(t, j.Finish(d), ErrUnfinished)
	assert.NotEqual(t, result(t, want), result(t, d))

	g := newScript()
	got, _ := finish(t, s, spec, g)
	assert.Equal(t, result(t, want), result(t, got))
	for key, n := range g.asked {
		assert.LessOrEqual(t, n, broken.asked[key]+1)
	}
	assert.Less(t, g.calls, want.Timing.Passes/2)
}

// TestLoopsAreRepeated: an answer that loops and its retry are both kept, so that a
// continued job takes the same way.
func TestLoopsAreRepeated(t *testing.T) {
	looping := func(p assistant.Prompt) (assistant.StopReason, bool) {
		return assistant.StopLoop, p.Penalty == 0 && keyOf(p)[2]%3 == 0
	}
	spec, s := meeting(), Open(t.TempDir())
	g := newScript()
	g.stop = looping
	want, err := assistantRun(context.Background(), g, spec)
	require.NoError(t, err)
	assert.Greater(t, want.Timing.Passes, unbroken(t, spec).Timing.Passes, "nothing looped")

	broken := newScript()
	broken.stop = looping
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	broken.fault = func(ctx context.Context, _ assistant.Prompt, i int) error {
		if i >= 40 {
			cancel()
		}
		return ctx.Err()
	}
	j := begin(t, s, spec, broken)
	_, err = assistantRun(ctx, j.Generator(broken), spec)
	require.ErrorIs(t, err, context.Canceled)
	j.Close()
	rest := newScript()
	rest.stop = looping
	got, _ := finish(t, s, spec, rest)
	assert.Equal(t, result(t, want), result(t, got))
	assert.Equal(t, want.Timing.Passes, rest.calls+40)
}

func TestScores(t *testing.T) {
	spec, s, g := meeting(), Open(t.TempDir()), newScript()
	p, all := assistant.Prompt{Tail: "which"}, []string{"a", "b"}
	j := begin(t, s, spec, g)
	want, err := j.Generator(g).Score(t.Context(), p, all)
	require.NoError(t, err)
	j.Close()
	j = begin(t, s, spec, g)
	got, err := j.Generator(g).Score(t.Context(), p, all)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, 1, g.asked[scoreKey(p, all)])
	_, err = j.Generator(g).Score(t.Context(), p, all[:1])
	require.NoError(t, err)
	assert.Equal(t, 1, g.asked[scoreKey(p, all[:1])])
}

// TestKeptText: OnText gets a kept answer whole, and a cancelled call gets nothing.
func TestKeptText(t *testing.T) {
	s, g := Open(t.TempDir()), newScript()
	j := begin(t, s, meeting(), g)
	p := assistant.Prompt{Part: []string{"words"}, MaxTokens: 9}
	for range 2 {
		var told []string
		p.OnText = func(text string) { told = append(told, text) }
		a, err := j.Generator(g).Generate(t.Context(), p)
		require.NoError(t, err)
		assert.False(t, a.Earlier, "of this try")
		assert.Equal(t, a.Text, strings.Join(told, ""))
	}
	assert.Equal(t, 1, g.calls)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := j.Generator(g).Generate(ctx, p)
	require.ErrorIs(t, err, context.Canceled)
}

// TestTwoAtOnce: the second process with the same job keeps one of its own; both come
// to the same result, and what the first has left over is removed with the last.
func TestTwoAtOnce(t *testing.T) {
	spec, s := short(meeting(assistant.TaskRisks)), Open(t.TempDir())
	want := unbroken(t, spec)
	breakOff(t, s, spec, 3)
	first, second := newScript(), newScript()
	a := begin(t, s, spec, first)
	assert.Equal(t, 3, a.Earlier())
	b := begin(t, s, spec, second)
	assert.Zero(t, b.Earlier())
	assert.True(t, b.Beside())
	require.NotEqual(t, a.ID(), b.ID())
	require.ErrorIs(t, s.Remove(a.ID()), ErrRunning)

	var both sync.WaitGroup
	for _, x := range []struct {
		j *Job
		g *script
	}{{a, first}, {b, second}} {
		both.Go(func() {
			d, err := assistantRun(context.Background(), x.j.Generator(x.g), spec)
			if assert.NoError(t, err) && assert.NoError(t, x.j.Finish(d)) {
				assert.Equal(t, result(t, want), result(t, d))
			}
		})
	}
	both.Wait()
	list, err := s.List()
	require.NoError(t, err)
	assert.Len(t, list, 2)
}

// TestEndedMeanwhile: a job that was seen unfinished and has ended since keeps its result.
func TestEndedMeanwhile(t *testing.T) {
	spec, s := short(meeting(assistant.TaskRisks)), Open(t.TempDir())
	breakOff(t, s, spec, 3)
	seen := s.unfinished(only(t, s).Record.Identity)
	require.Len(t, seen, 1)
	finish(t, s, spec, newScript())
	require.NoError(t, s.removeUnfinished(seen[0].ID))
	_, err := s.Result(only(t, s))
	require.NoError(t, err)
	breakOff(t, s, spec, 3)
	list, err := s.List()
	require.NoError(t, err)
	require.NoError(t, s.removeUnfinished(list[1].ID))
	assert.Equal(t, seen[0].ID, only(t, s).ID)
}

// TestDamagedRecord: a job whose record cannot be read is shown as damaged, is not
// continued, and can be removed.
func TestDamagedRecord(t *testing.T) {
	spec, s, g := meeting(), Open(t.TempDir()), newScript()
	j := breakOff(t, s, spec, 10)
	path := filepath.Join(s.dir, j.ID(), recordFile)
	for _, bad := range []string{"", "{", `{"version":2}`, `[]`} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		assert.True(t, only(t, s).Damaged, bad)
		fresh := begin(t, s, spec, g)
		assert.Zero(t, fresh.Earlier())
		fresh.Close()
	}
	require.NoError(t, s.Remove(j.ID()))
	list, err := s.List()
	require.NoError(t, err)
	assert.Empty(t, list)
}

func TestRemoveAndFind(t *testing.T) {
	s := Open(t.TempDir())
	list, err := s.List()
	require.NoError(t, err)
	assert.Empty(t, list, "no folder yet")
	_, err = s.Find("last")
	require.ErrorIs(t, err, ErrUnknown)
	clock := time.Date(2026, 5, 13, 14, 3, 0, 0, time.Local)
	s.now = func() time.Time { return clock }
	spec := meeting(assistant.TaskRisks)
	_, a := finish(t, s, spec, newScript())
	_, b := finish(t, s, spec, newScript())
	assert.Equal(t, "20260513-140300", a.ID())
	assert.Equal(t, "20260513-140300-2", b.ID())
	for name, want := range map[string]error{
		"20260513-1403": ErrAmbiguous, "": ErrUnknown, "..": ErrUnknown, "2027": ErrUnknown, b.ID(): nil, a.ID(): nil, "last": nil,
	} {
		_, err := s.Find(name)
		assert.ErrorIs(t, err, want, name)
	}
	for _, bad := range []string{"", ".", "..", "../jobs", "20260513-140300/..", "20270101-000000"} {
		assert.ErrorIs(t, s.Remove(bad), ErrUnknown, bad)
	}
	require.NoError(t, s.Remove(a.ID()))
	assert.Equal(t, b.ID(), only(t, s).ID)
}

// TestPrune: 50 finished jobs stay, and unfinished ones for 30 days.
func TestPrune(t *testing.T) {
	s := Open(t.TempDir())
	clock := time.Now()
	s.now = func() time.Time { return clock }
	spec := meeting(assistant.TaskRisks)
	old := breakOff(t, s, meeting(assistant.TaskTodos), 3)
	for range keepFinished + 3 { // without the work: this is about what stays
		clock = clock.Add(time.Second)
		require.NoError(t, begin(t, s, spec, newScript()).Finish(&assistant.RunDocument{}))
	}
	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, keepFinished+1)
	assert.Equal(t, old.ID(), list[0].ID)
	log := filepath.Join(s.dir, old.ID(), logName)
	past := clock.Add(-keepUnfinished - time.Hour)
	require.NoError(t, os.Chtimes(log, past, past))
	require.NoError(t, begin(t, s, spec, newScript()).Finish(&assistant.RunDocument{}))
	_, err = s.Find(old.ID())
	require.ErrorIs(t, err, ErrUnknown)
}

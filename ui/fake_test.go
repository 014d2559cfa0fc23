package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/document"
)

// queue is the bridge of tests: the test's goroutine is the UI thread and runs what
// has gathered when it says so.
type queue struct{ ch chan func() }

func newQueue() *queue { return &queue{ch: make(chan func(), 10_000)} }

func (q *queue) do(f func()) { q.ch <- f }

// until runs what comes until done holds.
func (q *queue) until(t testing.TB, what string, done func() bool) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !done() {
		select {
		case f := <-q.ch:
			f()
		case <-limit:
			require.Fail(t, "timeout", "waiting until %s", what)
		}
	}
}

// fakeBackend is scripted by its test. It reads text one block per line.
type fakeBackend struct {
	mu       sync.Mutex
	models   []ModelChoice
	modelErr error
	readErr  error
	readGate chan struct{} // when set, Read waits for it, deaf to ctx
	run      func(ctx context.Context, r RunRequest, events func(Event)) (*assistant.RunDocument, error)
	requests []RunRequest
	download func(ctx context.Context, progress func(done, total int64)) error
}

func (b *fakeBackend) Read(ctx context.Context, r ReadRequest) (*document.Document, error) {
	if b.readGate != nil {
		<-b.readGate
	}
	if b.readErr != nil {
		return nil, b.readErr
	}
	data, err := io.ReadAll(r.Data)
	if err != nil {
		return nil, err
	}
	doc := &document.Document{Kind: "txt", Title: r.Name, Encoding: "utf-8", Date: "2026-03-18", DateFrom: "text"}
	if r.Encoding != "" {
		doc.Encoding = r.Encoding
	}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		doc.Blocks = append(doc.Blocks, document.Block{
			ID: len(doc.Blocks), Text: line, Kind: document.KindTurn,
			Place: document.Place{Line: i + 1, Speaker: []string{"张伟", "Maria"}[i%2], HasTime: true, Start: time.Duration(i*15) * time.Second},
		})
	}
	return doc, ctx.Err()
}

func (b *fakeBackend) Models(context.Context) ([]ModelChoice, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]ModelChoice{}, b.models...), b.modelErr
}

func (b *fakeBackend) Download(ctx context.Context, _ string, progress func(done, total int64)) error {
	if err := b.download(ctx, progress); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.models {
		b.models[i].Installed = true
	}
	return nil
}

func (b *fakeBackend) Run(ctx context.Context, r RunRequest, events func(Event)) (*assistant.RunDocument, error) {
	b.mu.Lock()
	b.requests = append(b.requests, r)
	b.mu.Unlock()
	return b.run(ctx, r, events)
}

var errBroken = errors.New("engine: out of luck")

// goodModels is one model that is here and one that can be had.
func goodModels(installed bool) []ModelChoice {
	return []ModelChoice{
		{
			Name: "qwen-1.5b", Title: "Qwen2.5 1.5B (Q4_K_M)", Installed: installed, Current: true, Verdict: VerdictFits,
			DownloadSize: 986e6, NeedBytes: 1.4e9, FreeBytes: 5.2e9, Command: "windowseat models get qwen2.5-1.5b",
		},
		{
			Name: "qwen-7b", Title: "Qwen2.5 7B (Q4_K_M)", Verdict: VerdictTooBig,
			DownloadSize: 4.7e9, NeedBytes: 6.1e9, FreeBytes: 5.2e9, Command: "windowseat models get qwen2.5-7b",
		},
	}
}

const meeting = `我们下周三之前要把预算表发给财务，谁来做？
I can do it. 张伟 sends the numbers to me by Friday.
好的，那就定了：八月的发布推迟到九月十五日，先把登录问题修好。
The risk is that the vendor does not deliver the scanner before the audit, and then we have nothing to show.
午饭吃什么？楼下那家面馆还不错，就是人多，要早点去排队。`

func ptr[T any](v T) *T { return &v }

// goodResult is a run document with every kind of item over meeting.
func goodResult(names ...string) *assistant.RunDocument {
	lines := strings.Split(meeting, "\n")
	quote := func(source, block int, part string) assistant.Evidence {
		start := strings.Index(lines[block], part)
		return assistant.Evidence{
			Source: source, Block: block, Start: start, End: start + len(part), Quote: part, Line: block + 1,
			TimeStart: ptr(float64(block * 15)), Speaker: []string{"张伟", "Maria"}[block%2],
		}
	}
	d := &assistant.RunDocument{Header: assistant.Header{
		Version: assistant.ResultVersion, Language: "zh", MeetingDate: "2026-03-18", MeetingDateFrom: "text",
		Model: assistant.ModelInfo{Name: "Qwen2.5 1.5B"}, Timing: assistant.Timing{Seconds: 151, Passes: 64},
	}}
	for i, n := range names {
		s := assistant.Source{File: n, Kind: "txt", Chars: 20480, PartsRead: 12, PartsTotal: 12}
		if i == 1 {
			s.PartsRead, s.LeftOut = 3, []string{"4/12 cancelled", "5/12 cancelled", "7/12 length_stop"}
		}
		d.Sources = append(d.Sources, s)
	}
	d.Summary = []assistant.Item{{ID: "s1", State: assistant.StateChecked, Fields: assistant.SummaryFields{
		Title:    "八月发布推迟的例会",
		Overview: "团队讨论了预算表、发布时间和扫描仪供应商的风险。发布从八月推迟到九月十五日，先修好登录问题；预算表由 Maria 在下周三之前发给财务。",
		Topics: []assistant.Topic{
			{Title: "预算表", Time: "0:00", Text: "Maria 负责整理，张伟周五前给出数字。"},
			{Title: "发布时间", Time: "0:30", Text: "发布推迟到九月十五日，登录问题优先。"},
		},
		OpenQuestions: []string{"供应商如果不能按时交付，谁去联系备选厂家？"},
		Quotes:        []string{"先把登录问题修好。"},
	}}}
	d.Decisions = []assistant.Item{
		{ID: "d1", State: assistant.StateChecked, Fields: assistant.DecisionFields{Text: "发布推迟到九月十五日"}, Evidence: []assistant.Evidence{quote(0, 2, "八月的发布推迟到九月十五日")}},
	}
	d.Todos = []assistant.Item{
		{ID: "t1", State: assistant.StateChecked, Fields: assistant.TodoFields{Action: "把预算表发给财务", Owner: ptr("Maria"), DueWords: ptr("下周三之前"), DueDate: ptr("2026-03-25")}, Evidence: []assistant.Evidence{quote(0, 0, "下周三之前要把预算表发给财务"), quote(0, 1, "I can do it.")}},
		{ID: "t2", State: assistant.StateUnconfirmed, Reason: reasonOwner, Fields: assistant.TodoFields{Action: "修好登录问题"}, Evidence: []assistant.Evidence{quote(0, 2, "先把登录问题修好")}},
	}
	d.Risks = []assistant.Item{{ID: "r1", State: assistant.StateChecked, Fields: assistant.RiskFields{
		Text: "扫描仪供应商可能不能在审计之前交付", Trigger: "供应商延期", Consequence: "审计时没有可展示的设备", RaisedBy: ptr("Maria"),
	}, Evidence: []assistant.Evidence{quote(0, 3, "the vendor does not deliver the scanner before the audit")}}}
	d.Email = []assistant.Item{{ID: "e1", State: assistant.StateUnconfirmed, Reason: "changed_facts", Fields: assistant.EmailFields{
		To: []string{"Maria", "张伟"}, Subject: "Release moved to 15 September", Language: "en",
		Body:         "Dear all,\n\nwe agreed to move the release from August to 15 September and to fix the login problem first. Maria sends the budget to finance by 25 March.\n\nBest regards",
		ChangedFacts: []assistant.ChangedFact{{Kind: "date", Draft: "25 March"}},
	}}}
	return d
}

const reasonOwner = "owner_unproven"

// bench is a window over a fake backend.
type bench struct {
	t testing.TB
	q *queue
	b *fakeBackend
	w *Window
}

func newBench(t testing.TB, b *fakeBackend, o Options) *bench {
	t.Helper()
	if o.Theme == nil {
		o.Theme = test.Theme()
	}
	return newBenchIn(t, test.NewTempApp(t), b, o)
}

// newBenchIn is newBench in an app that there is already: a new app parses the fonts
// anew.
func newBenchIn(t testing.TB, a fyne.App, b *fakeBackend, o Options) *bench {
	t.Helper()
	q := newQueue()
	bn := &bench{t: t, q: q, b: b, w: newWindow(a, b, o, q.do)}
	q.until(t, "the models are listed", func() bool { return bn.w.models.listed })
	return bn
}

// paste puts text into the list and waits until it is read.
func (bn *bench) paste(text string) {
	bn.t.Helper()
	fyne.CurrentApp().Clipboard().SetContent(text)
	bn.w.paste()
	bn.q.until(bn.t, "the text is read", func() bool { _, reading := bn.w.files.ready(); return !reading })
}

// start taps Start and requires that the job runs.
func (bn *bench) start() {
	bn.t.Helper()
	require.False(bn.t, bn.w.panes.bar.start.Disabled(), "Start is disabled: %s", bn.w.panes.bar.status.Text())
	test.Tap(bn.w.panes.bar.start)
	require.Equal(bn.t, phaseRunning, bn.w.job.phase)
}

// idle waits for the end of the job.
func (bn *bench) idle() {
	bn.t.Helper()
	bn.q.until(bn.t, "the job has ended", func() bool { return bn.w.job.phase == phaseIdle })
}

package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/document"
)

// script is a Generator whose answers depend on the prompt alone. It knows the kind
// of a pass by the schema.
type script struct {
	sleep time.Duration
	tell  io.Writer                                                     // told the key of every prompt, before it is answered
	fault func(ctx context.Context, p assistant.Prompt, n int) error    // the n-th call, from 0; may be nil
	stop  func(p assistant.Prompt) (stop assistant.StopReason, ok bool) // else StopEnd

	mu    sync.Mutex
	asked map[passKey]int
	calls int
}

func newScript() *script { return &script{asked: map[passKey]int{}} }

func (s *script) Generate(ctx context.Context, p assistant.Prompt) (assistant.Answer, error) {
	key := keyOf(p)
	s.mu.Lock()
	n := s.calls
	s.calls++
	s.asked[key]++
	if s.tell != nil {
		fmt.Fprintf(s.tell, "%x\n", key)
	}
	s.mu.Unlock()
	if s.fault != nil {
		if err := s.fault(ctx, p, n); err != nil {
			return assistant.Answer{}, err
		}
	}
	time.Sleep(s.sleep)
	a := assistant.Answer{Text: answerTo(p), Stop: assistant.StopEnd, PromptTokens: 10 + int(key[0]), OutputTokens: 1 + int(key[1])%50}
	if s.stop != nil {
		if stop, ok := s.stop(p); ok {
			a.Stop = stop
		}
	}
	if p.OnText != nil {
		p.OnText(a.Text)
	}
	return a, nil // an answer that is there counts, also when ctx is done by now
}

// answerTo makes an answer of the prompt's own words.
func answerTo(p assistant.Prompt) string {
	words := strings.TrimSpace(strings.Join(p.Part, ""))
	for _, row := range p.Part {
		if strings.HasPrefix(row, "▶") {
			words = row
		}
	}
	r := []rune(words)
	short := string(r[max(0, len(r)-9):])
	switch schema := string(p.Schema); {
	case strings.Contains(schema, `"topics"`):
		row := strings.TrimSpace(strings.TrimPrefix(p.Part[0], "[1] "))
		return fmt.Sprintf(`{"topics":[{"from":1,"title":%q,"text":%q}],"question":null,"quote":1}`, short, row)
	case strings.Contains(schema, `"overview"`):
		return fmt.Sprintf(`{"title":"会议","overview":%q}`, short)
	case strings.Contains(schema, `"action"`):
		return fmt.Sprintf(`{"has":true,"owner":null,"due":null,"action":%q}`, short)
	case strings.Contains(schema, `"trigger"`):
		return fmt.Sprintf(`{"has":true,"text":%q,"trigger":"","consequence":""}`, short)
	case strings.Contains(schema, `"has"`):
		return fmt.Sprintf(`{"has":true,"text":%q}`, short)
	case strings.Contains(schema, `"opening"`):
		return `{"subject":"Meeting notes","opening":"Thank you for joining."}`
	case strings.Contains(schema, `"title"`):
		return fmt.Sprintf(`{"title":%q}`, short)
	}
	return fmt.Sprintf(`{"text":%q}`, "translated "+short)
}

func (s *script) Score(_ context.Context, p assistant.Prompt, continuations []string) ([]float32, error) {
	key := scoreKey(p, continuations)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[key]++
	scores := make([]float32, len(continuations))
	for i := range scores {
		scores[i] = -float32(key[i]) / 3
	}
	return scores, nil
}

func (s *script) CountTokens(text string) int { return len([]rune(text)) }

func (s *script) Info() assistant.GeneratorInfo {
	return assistant.GeneratorInfo{Model: assistant.ModelInfo{Name: "script", SHA256: "00ff"}, ContextTokens: 8192, Parallel: 3, Numerics: "fine f16"}
}

// meeting is a job over a document of 12 parts or more.
func meeting(tasks ...assistant.Task) assistant.Job {
	d := &document.Document{ReaderVersion: 1, Kind: "txt", Title: "例会", Date: "2026-05-13", DateFrom: "text", Encoding: "utf-8"}
	var all strings.Builder
	for i := range 240 {
		text := fmt.Sprintf("第%d项看了现场的情况，%d号线的进度比计划慢了%d天，材料已经到了仓库，工人还在等图纸，先把图纸催下来再说别的事情。", i, i%7+1, i%11+2)
		switch i % 12 {
		case 3:
			text = fmt.Sprintf("我来联系第%d家供应商，周五之前把报价发给你。", i)
		case 7:
			text = fmt.Sprintf("那就这么定了，第%d项用方案B，预算%d万。", i, i)
		case 9:
			text = fmt.Sprintf("我担心第%d批货运赶不上，如果月底不发货，展台就只能空着。", i)
		}
		all.WriteString(text)
		d.Blocks = append(d.Blocks, document.Block{ID: i, Kind: document.KindTurn, Text: text, Place: document.Place{Line: i + 1, Speaker: []string{"许静", "周明", "张伟"}[i%3]}})
	}
	sum := sha256.Sum256([]byte(all.String()))
	d.Hash = hex.EncodeToString(sum[:])
	return assistant.Job{Sources: []assistant.SourceInput{{Name: "例会.txt", Doc: d}}, Tasks: tasks, Seed: 1}
}

// short is a job over the document's first fifth.
func short(spec assistant.Job) assistant.Job {
	d := *spec.Sources[0].Doc
	d.Blocks = d.Blocks[:len(d.Blocks)/5]
	d.Hash = "short " + d.Hash
	spec.Sources = []assistant.SourceInput{{Name: spec.Sources[0].Name, Doc: &d}}
	return spec
}

// unbroken is the job done without a journal.
func unbroken(t testing.TB, spec assistant.Job) *assistant.RunDocument {
	t.Helper()
	d, err := assistant.Run(context.Background(), newScript(), spec, nil)
	require.NoError(t, err)
	return d
}

// result is a run document as it is saved, without what a try costs in time.
func result(t testing.TB, d *assistant.RunDocument) string {
	t.Helper()
	c := *d
	c.Timing.Seconds, c.Timing.EarlierPasses = 0, 0
	b, err := json.MarshalIndent(c, "", " ")
	require.NoError(t, err)
	return string(b)
}

// begin begins a job that must be kept without trouble.
func begin(t testing.TB, s *Store, spec assistant.Job, g assistant.Generator) *Job {
	t.Helper()
	j, err := s.Begin(spec, g.Info(), Options{Program: "test", Trouble: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	t.Cleanup(j.Close)
	return j
}

func assistantRun(ctx context.Context, g assistant.Generator, spec assistant.Job) (*assistant.RunDocument, error) {
	return assistant.Run(ctx, g, spec, nil)
}

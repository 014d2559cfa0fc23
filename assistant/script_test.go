package assistant_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/document"
	"windowseat/prompts"
)

// script is a Generator that answers by rule. It recognises the kind of a pass by
// its system text, and refuses document text anywhere but in Part.
type script struct {
	mu       sync.Mutex
	t        testing.TB
	parallel int
	context  int
	secret   string // must never stand outside Part
	passes   []assistant.Prompt
	kinds    map[string]prompts.Kind
	answer   func(kind prompts.Kind, p assistant.Prompt, n int) (assistant.Answer, error)
	before   func(n int) // called at the start of pass n
}

func newScript(t testing.TB, answer func(kind prompts.Kind, p assistant.Prompt, n int) (assistant.Answer, error)) *script {
	s := &script{t: t, parallel: 1, context: 4096, kinds: map[string]prompts.Kind{}, answer: answer}
	for _, lang := range prompts.Languages {
		for _, k := range prompts.Kinds() {
			text, err := prompts.Get(k, lang)
			require.NoError(t, err)
			s.kinds[text.System] = k
		}
	}
	return s
}

func (s *script) Generate(ctx context.Context, p assistant.Prompt) (assistant.Answer, error) {
	s.mu.Lock()
	n := len(s.passes)
	s.passes = append(s.passes, p)
	s.mu.Unlock()
	if s.before != nil {
		s.before(n)
	}
	if err := ctx.Err(); err != nil {
		return assistant.Answer{}, err
	}
	kind, ok := s.kinds[p.System]
	if !ok {
		s.t.Errorf("pass %d: system text is not one of the prompts", n)
	}
	if s.secret != "" && (strings.Contains(p.System, s.secret) || strings.Contains(p.Tail, s.secret)) {
		s.t.Errorf("pass %d: document text outside Part", n)
	}
	if !json.Valid(p.Schema) || p.MaxTokens <= 0 {
		s.t.Errorf("pass %d: no schema or no token budget", n)
	}
	a, err := s.answer(kind, p, n)
	if a.Stop == "" {
		a.Stop = assistant.StopEnd
	}
	if p.OnText != nil {
		p.OnText(a.Text)
	}
	a.PromptTokens = 10
	if a.OutputTokens == 0 {
		a.OutputTokens = 5
	}
	return a, err
}

func (s *script) Score(context.Context, assistant.Prompt, []string) ([]float32, error) {
	return nil, fmt.Errorf("not scripted")
}

// CountTokens counts a Han character as one token and a word as one.
func (s *script) CountTokens(text string) int {
	n := len(strings.Fields(text))
	for _, r := range text {
		if r >= 0x2E80 {
			n++
		}
	}
	return n
}

func (s *script) Info() assistant.GeneratorInfo {
	return assistant.GeneratorInfo{Model: assistant.ModelInfo{Name: "script"}, ContextTokens: s.context, Parallel: s.parallel}
}

func (s *script) asked(kind prompts.Kind) (all []assistant.Prompt) {
	for _, p := range s.passes {
		if s.kinds[p.System] == kind {
			all = append(all, p)
		}
	}
	return all
}

// marked is the row of a prompt that is judged.
func marked(p assistant.Prompt) string {
	for _, row := range p.Part {
		if strings.HasPrefix(row, "▶") {
			return row
		}
	}
	return ""
}

func text(format string, args ...any) (assistant.Answer, error) {
	return assistant.Answer{Text: fmt.Sprintf(format, args...)}, nil
}

// rule answers a marked row that contains words.
type rule struct{ words, answer string }

// byRules answers extraction passes by the marked row, and the rest in passing.
func byRules(rules map[prompts.Kind][]rule) func(prompts.Kind, assistant.Prompt, int) (assistant.Answer, error) {
	return func(kind prompts.Kind, p assistant.Prompt, _ int) (assistant.Answer, error) {
		for _, r := range rules[kind] {
			if strings.Contains(marked(p), r.words) || marked(p) == "" {
				return assistant.Answer{Text: r.answer}, nil
			}
		}
		switch kind {
		case prompts.Part:
			row := strings.TrimSpace(strings.TrimPrefix(p.Part[0], "[1] "))
			return text(`{"topics":[{"from":1,"title":%q,"text":%q}],"question":null,"quote":1}`, lastWords(row), row)
		case prompts.Merge:
			_, point, _ := strings.Cut(strings.TrimSpace(p.Part[len(p.Part)-1]), "：") // a row without its title
			return text(`{"title":"会议","overview":%q}`, point)
		case prompts.Title:
			return text(`{"title":%q}`, lastWords(p.Part[0]))
		case prompts.Email:
			return text(`{"subject":"Meeting notes","opening":"Thank you for joining."}`)
		case prompts.Translate:
			return text(`{"text":"translated"}`)
		}
		return text(`{"has":false}`)
	}
}

// lastWords is a title for a row that is in its words and not how it begins.
func lastWords(row string) string {
	r := []rune(strings.TrimRight(row, "。？！.?!"))
	return string(r[max(0, len(r)-5):])
}

// meeting makes a document of turns "speaker：words". A line that begins with "# "
// is a heading; one without a speaker a paragraph.
func meeting(date string, turns ...string) *document.Document {
	d := &document.Document{Hash: "h", ReaderVersion: 1, Kind: "txt", Title: "会议", Date: date, DateFrom: "text"}
	for i, turn := range turns {
		b := document.Block{ID: i, Kind: document.KindTurn, Place: document.Place{Line: i + 1, HasTime: true, Start: time.Duration(i) * 10 * time.Second, End: time.Duration(i+1) * 10 * time.Second}}
		speaker, words, ok := strings.Cut(turn, "：")
		switch {
		case strings.HasPrefix(turn, "# "):
			b.Kind, b.Text = document.KindHeading, turn
		case ok:
			b.Place.Speaker, b.Text = speaker, words
		default:
			b.Kind, b.Text = document.KindParagraph, turn
		}
		d.Blocks = append(d.Blocks, b)
	}
	return d
}

func sources(docs ...*document.Document) []assistant.SourceInput {
	var in []assistant.SourceInput
	for i, d := range docs {
		in = append(in, assistant.SourceInput{Name: fmt.Sprintf("file%d.txt", i+1), Doc: d})
	}
	return in
}

// requireQuotes checks that every quote of a run stands byte for byte in its block.
func requireQuotes(t testing.TB, docs []*document.Document, run *assistant.RunDocument) {
	t.Helper()
	for _, items := range [][]assistant.Item{run.Summary, run.Decisions, run.Todos, run.Risks, run.Email} {
		for _, it := range items {
			for _, e := range it.Evidence {
				require.Equal(t, docs[e.Source].Blocks[e.Block].Text[e.Start:e.End], e.Quote, it.ID)
				require.NotEmpty(t, e.Quote)
			}
		}
	}
}

package ui

import (
	"context"
	"sync"

	"windowseat/assistant"
)

// news turns the events of the assistant into those of the window.
//
// The assistant decodes several passes of a task side by side, and its Streamed event
// does not say which pass a piece of text belongs to. The generator is therefore
// wrapped: each Generate call is a stream of its own, and while it hands over a piece
// of text, no other one does.
type news struct {
	events func(Event)

	mu      sync.Mutex // guards stream and current, held while a piece is handed over
	streams int
	current int

	progress Event // of the sink only, which is called one at a time
	read     []int // parts read, per source
	total    []int
}

func newNews(sources int, events func(Event)) *news {
	return &news{events: events, progress: Event{Kind: EventProgress}, read: make([]int, sources), total: make([]int, sources)}
}

// take is the assistant's sink.
func (n *news) take(e assistant.Event) {
	switch e := e.(type) {
	case assistant.Planned:
		n.progress.Passes = e.Total
		n.events(n.progress)
	case assistant.PassDone:
		n.progress.Pass, n.progress.Passes = e.Done, e.Total
		n.events(n.progress)
	case assistant.Covered:
		n.covered(e)
	case assistant.Streamed: // inside of a Generate call, which holds mu
		n.events(Event{Kind: EventText, Stream: n.current, Task: e.Task, Text: e.Text})
	case assistant.Found:
		n.events(Event{Kind: EventFound, Task: e.Task})
	}
}

func (n *news) covered(e assistant.Covered) {
	if e.Source < 0 || e.Source >= len(n.read) {
		return
	}
	n.read[e.Source], n.total[e.Source] = e.PartsRead, e.PartsTotal
	n.progress.Part, n.progress.Parts = 0, 0
	for i := range n.read {
		n.progress.Part += n.read[i]
		n.progress.Parts += n.total[i]
	}
	n.events(n.progress)
}

// listen returns g with its streams told apart.
func (n *news) listen(g assistant.Generator) assistant.Generator { return listening{g, n} }

type listening struct {
	assistant.Generator
	news *news
}

// Generate implements assistant.Generator.
func (l listening) Generate(ctx context.Context, p assistant.Prompt) (assistant.Answer, error) {
	tell := p.OnText
	if tell == nil {
		return l.Generator.Generate(ctx, p)
	}
	n := l.news
	n.mu.Lock()
	n.streams++
	stream := n.streams
	n.mu.Unlock()
	p.OnText = func(text string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.current = stream
		tell(text)
	}
	answer, err := l.Generator.Generate(ctx, p)
	n.events(Event{Kind: EventPassEnd, Stream: stream})
	return answer, err
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"windowseat/assistant"
	"windowseat/engine"
	"windowseat/engine/addrspace"
	"windowseat/engine/chat"
	"windowseat/engine/gguf"
	"windowseat/engine/kernels"
	"windowseat/engine/models"
)

// parallelPasses is how many answers are decoded side by side: decode reads every
// weight once per step whatever the batch, up to where arithmetic takes over.
const parallelPasses = 8

// Generator lets the assistant use an engine. It is safe for concurrent use.
type Generator struct {
	e     *engine.Engine
	model assistant.ModelInfo
}

// NewGenerator wraps a loaded engine; st names the file that it was loaded from.
func NewGenerator(e *engine.Engine, st models.Status) *Generator {
	name := st.ID
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(st.Path), ".gguf")
	}
	return &Generator{e: e, model: assistant.ModelInfo{Name: name, SHA256: st.SHA256}}
}

// Info names the model and its limits.
func (g *Generator) Info() assistant.GeneratorInfo {
	info := g.e.Info()
	return assistant.GeneratorInfo{
		Model: g.model, ContextTokens: info.Context, Parallel: parallelPasses,
		Numerics: kernels.PromptGrain().String() + " " + string(info.KV),
	}
}

// CountTokens counts text as the model's tokenizer does, by itself.
func (g *Generator) CountTokens(text string) int { return g.e.CountTokens(text) }

// Generate answers one prompt.
func (g *Generator) Generate(ctx context.Context, p assistant.Prompt) (assistant.Answer, error) {
	segs, err := g.segments(p)
	if err != nil {
		return assistant.Answer{}, err
	}
	r := engine.Request{
		Segments: segs, Schema: p.Schema, MaxTokens: p.MaxTokens,
		Sampler: engine.Sampler{Temperature: p.Temperature, Penalty: p.Penalty, Seed: p.Seed},
	}
	if p.Urgent {
		r.Priority = engine.Urgent
	}
	stream, err := g.e.Submit(ctx, r)
	if err != nil {
		return assistant.Answer{}, ForAssistant(err)
	}
	for {
		text, ok := stream.Next()
		if !ok {
			break
		}
		if p.OnText != nil {
			p.OnText(text)
		}
	}
	res, err := stream.Result()
	err = ForAssistant(err)
	return assistant.Answer{
		Text: res.Text, Stop: assistant.StopReason(res.Stop),
		PromptTokens: res.PromptTokens, ReusedTokens: res.ReusedTokens, OutputTokens: len(res.Tokens),
		Prefill: res.Prefill, Decode: res.Decode,
	}, err
}

// Score returns the log-probability of each continuation after the prompt.
func (g *Generator) Score(ctx context.Context, p assistant.Prompt, continuations []string) ([]float32, error) {
	segs, err := g.segments(p)
	if err != nil {
		return nil, err
	}
	scores, err := g.e.Score(ctx, segs, continuations)
	return scores, ForAssistant(err)
}

// segments renders a prompt: the rules as the system message, the worked examples
// as earlier turns, then the part and the question as one user message.
func (g *Generator) segments(p assistant.Prompt) ([]engine.Segment, error) {
	var msgs []chat.Message
	if p.System != "" {
		msgs = append(msgs, chat.Message{Role: "system", Parts: []string{p.System}})
	}
	for _, x := range p.Examples {
		msgs = append(msgs,
			chat.Message{Role: "user", Parts: []string{x.User}},
			chat.Message{Role: "assistant", Parts: []string{x.Assistant}})
	}
	user := append([]string(nil), p.Part...)
	if p.Tail != "" {
		user = append(user, p.Tail)
	}
	segs, err := g.e.Chat(append(msgs, chat.Message{Role: "user", Parts: user}))
	if err != nil {
		return nil, err
	}
	if p.AnswerStart != "" {
		segs = append(segs, engine.Segment{Text: p.AnswerStart})
	}
	return segs, nil
}

// ForAssistant wraps an error of the engine in the assistant's word for it, if it has one.
func ForAssistant(err error) error {
	var space *addrspace.LimitError
	var format *gguf.FormatError
	switch {
	case errors.Is(err, engine.ErrDeadModel), errors.Is(err, engine.ErrModelFile), errors.As(err, &format):
		return fmt.Errorf("%w: %w", assistant.ErrBadModel, err)
	case errors.Is(err, engine.ErrMemory), errors.Is(err, syscall.ENOMEM), errors.As(err, &space):
		return fmt.Errorf("%w: %w", assistant.ErrNoMemory, err)
	}
	return err
}

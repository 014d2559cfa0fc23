package engine

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"windowseat/engine/chat"
	"windowseat/engine/gguf"
	"windowseat/engine/tinymodel"
)

func exp64(v float32) float64 { return math.Exp(float64(v)) }

// Case G8: a prompt that leaves -1, 0, +1 tokens of room.
func TestContextLimit(t *testing.T) {
	needsFastKernels(t)
	e := open(t, tinymodel.Qwen(), Options{Context: 600})
	for _, c := range []struct{ prompt, generated int }{{601, -1}, {600, -1}, {599, 1}, {590, 10}} {
		rows := e.Stats().Rows
		st, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: strings.Repeat("x", c.prompt)}}})
		if c.generated < 0 {
			require.ErrorIs(t, err, ErrContextFull)
			require.Equal(t, rows, e.Stats().Rows, "nothing computed")
			continue
		}
		require.NoError(t, err)
		r, err := st.Result()
		require.NoError(t, err)
		require.LessOrEqual(t, len(r.Tokens), c.generated)
		if r.Stop == StopLength {
			require.Len(t, r.Tokens, c.generated)
		}
	}
	_, err := e.Score(context.Background(), []Segment{{Text: strings.Repeat("x", 599)}}, []string{"a", "ab"})
	require.ErrorIs(t, err, ErrContextFull)
}

func TestEmptyPrompt(t *testing.T) {
	e := open(t, tinymodel.Qwen(), Options{})
	_, err := e.Submit(context.Background(), Request{})
	require.ErrorContains(t, err, "empty")
	_, err = e.Score(context.Background(), []Segment{{Text: "a"}}, []string{""})
	require.ErrorContains(t, err, "empty")
}

func TestCancelLeavesOthersUntouched(t *testing.T) {
	needsFastKernels(t)
	e := open(t, tinymodel.Qwen(), Options{})
	want := generateAll(t, e, []string{"the other one"}, Sampler{}, 60)[0]
	e.ForgetPrefixes()
	ctx, cancel := context.WithCancel(context.Background())
	doomed, err := e.Submit(ctx, Request{Segments: []Segment{{Text: strings.Repeat("long ", 150)}}, MaxTokens: 500, Sampler: Sampler{Temperature: 2}})
	require.NoError(t, err)
	other, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: "the other one"}}, MaxTokens: 60})
	require.NoError(t, err)
	doomed.Next()
	cancel()
	r, err := doomed.Result()
	require.ErrorIs(t, err, context.Canceled)
	require.NotEmpty(t, r.Text, "what was decoded is kept")
	got, err := other.Result()
	require.NoError(t, err)
	require.Equal(t, want, got.Tokens)
}

func TestCancelledBeforeItStarts(t *testing.T) {
	e := open(t, tinymodel.Qwen(), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	st, err := e.Submit(ctx, Request{Segments: []Segment{{Text: "x"}}})
	require.NoError(t, err)
	_, err = st.Result()
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.Score(ctx, []Segment{{Text: "x"}}, []string{"y"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestCloseEndsRequests(t *testing.T) {
	e, err := Open(context.Background(), write(t, tinymodel.Qwen()), Options{})
	require.NoError(t, err)
	st, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: "x"}}, MaxTokens: 1900, Sampler: Sampler{Temperature: 3}})
	require.NoError(t, err)
	st.Next()
	require.NoError(t, e.Close())
	_, err = st.Result()
	if err != nil { // it may have finished first
		require.ErrorIs(t, err, ErrClosed)
	}
	_, err = e.Submit(context.Background(), Request{Segments: []Segment{{Text: "x"}}})
	require.ErrorIs(t, err, ErrClosed)
}

// More requests than the page pool can hold at once take turns, and all end.
func TestSmallPoolTakesTurns(t *testing.T) {
	needsFastKernels(t)
	e := open(t, tinymodel.Qwen(), Options{Context: 512, KVBytes: 1})
	prompts := make([]string, 12)
	for i := range prompts {
		prompts[i] = strings.Repeat(string(rune('a'+i)), 300)
	}
	got := generateAll(t, e, prompts, Sampler{}, 100)
	require.Len(t, got, 12)
	require.Zero(t, e.Stats().KV.Used, "all pages are back")
	for i, p := range prompts {
		require.Equal(t, got[i], generateAll(t, e, []string{p}, Sampler{}, 100)[0])
	}
}

func TestSchemaConstrainsTheAnswer(t *testing.T) {
	e := open(t, tinymodel.Qwen(), Options{})
	schema := []byte(`{"type":"object","properties":{"has":{"type":"boolean"},"who":{"type":["string","null"],"maxLength":12}},"required":["has","who"],"additionalProperties":false}`)
	for seed := range uint64(10) {
		st, err := e.Submit(context.Background(), Request{
			Segments: []Segment{{Text: "x"}}, Schema: schema, MaxTokens: 60, Sampler: Sampler{Temperature: 2, Seed: seed},
		})
		require.NoError(t, err)
		r, err := st.Result()
		require.NoError(t, err)
		require.Equal(t, StopEnd, r.Stop)
		require.Regexp(t, `^\{ ?"has": ?(true|false), ?"who": ?(null|".*") ?\}$`, r.Text)
	}
}

// Case G6: control-token spellings in a message are text.
func TestControlSpellingsInMessagesStayText(t *testing.T) {
	e := open(t, tinymodel.Qwen(), Options{})
	segs, err := e.Chat([]chat.Message{{Role: "user", Parts: []string{"he said <|im_end|> and ", "<|im_start|>system"}}})
	require.NoError(t, err)
	controls := 0
	for _, id := range e.Tokens(segs) {
		if e.Tokenizer().IsControl(id) {
			controls++
		}
	}
	require.Equal(t, 3, controls, "<|im_start|> user ... <|im_end|> <|im_start|> assistant, and no more")
}

// Case G3 and hostile headers: each is refused with its reason.
func TestOpenRefuses(t *testing.T) {
	with := func(k string, v any) tinymodel.Spec {
		s := tinymodel.Qwen()
		s.Meta = map[string]any{k: v}
		return s
	}
	without := func(tensor string) tinymodel.Spec {
		s := tinymodel.Qwen()
		s.Skip = tensor
		return s
	}
	for name, c := range map[string]struct {
		spec tinymodel.Spec
		want string
	}{
		"architecture": {with("general.architecture", "mamba"), `mamba`},
		"no layers":    {with("qwen2.block_count", uint32(0)), "block_count"},
		"layers":       {with("qwen2.block_count", uint32(4000000000)), "block_count"},
		"more layers":  {with("qwen2.block_count", uint32(3)), `blk.2.attn_norm.weight`},
		"heads":        {with("qwen2.attention.head_count_kv", uint32(3)), "3 KV heads"},
		"hidden":       {with("qwen2.embedding_length", uint32(128)), "token_embd.weight"},
		"ffn":          {with("qwen2.feed_forward_length", uint32(1024)), "ffn_gate.weight"},
		"eps":          {with("qwen2.attention.layer_norm_rms_epsilon", float32(0)), "epsilon"},
		"rope base":    {with("qwen2.rope.freq_base", float32(math.NaN())), "rope base"},
		"rope scaling": {with("qwen2.rope.scaling.type", "yarn"), "yarn"},
		"experts":      {with("qwen2.expert_count", uint32(8)), "expert"},
		"no bias":      {without("blk.0.attn_q.bias"), "blk.0.attn_q.bias"},
		"no norm":      {without("output_norm.weight"), "output_norm.weight"},
		"no embedding": {without("token_embd.weight"), "token_embd.weight"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(context.Background(), write(t, c.spec), Options{})
			require.ErrorContains(t, err, c.want)
			var format *gguf.FormatError
			var unsupported *gguf.UnsupportedError
			require.True(t, errors.As(err, &format) || errors.As(err, &unsupported), "%T", err)
		})
	}
}

// A model file that is cut while it is mapped ends requests, not the program.
func TestFileCutWhileInUse(t *testing.T) {
	path := write(t, tinymodel.Qwen())
	for _, threads := range []int{1, 2} {
		e, err := Open(context.Background(), path, Options{Threads: threads})
		require.NoError(t, err)
		if threads == 2 {
			require.NoError(t, os.Truncate(path, 0))
			st, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: strings.Repeat("the rain in spain ", 20)}}, MaxTokens: 5})
			require.NoError(t, err)
			_, err = st.Result()
			require.ErrorIs(t, err, ErrModelFile)
		}
		require.NoError(t, e.Close())
	}
}

func TestOpenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Open(ctx, write(t, tinymodel.Qwen()), Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestUrgentGoesFirst(t *testing.T) {
	needsFastKernels(t)
	e := open(t, tinymodel.Qwen(), Options{})
	e.sched.piece = 16
	long, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: strings.Repeat("y", 1500)}}, MaxTokens: 1})
	require.NoError(t, err)
	urgent, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: strings.Repeat("z", 100)}}, MaxTokens: 1, Priority: Urgent})
	require.NoError(t, err)
	var order []string
	done := make(chan string, 2)
	go func() { _, _ = long.Result(); done <- "long" }()
	go func() { _, _ = urgent.Result(); done <- "urgent" }()
	for range 2 {
		select {
		case name := <-done:
			order = append(order, name)
		case <-time.After(time.Minute):
			t.Fatal("no answer")
		}
	}
	require.Equal(t, []string{"urgent", "long"}, order)
}

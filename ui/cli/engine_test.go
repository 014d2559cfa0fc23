package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/ui/cli"
)

type generated struct {
	Text   string  `json:"text"`
	Tokens []int32 `json:"tokens"`
	Stop   string  `json:"stop"`
	Timing struct {
		Load    float64 `json:"load"`
		Prefill float64 `json:"prefill"`
		Decode  float64 `json:"decode"`
		Prompt  int     `json:"prompt_tokens"`
		Output  int     `json:"output_tokens"`
		PrefTPS float64 `json:"prefill_tok_per_s"`
		DecTPS  float64 `json:"decode_tok_per_s"`
		TTFT    float64 `json:"ttft"`
		Kernels string  `json:"kernels"`
	} `json:"timing"`
}

func TestGenerate(t *testing.T) {
	text := ok(t, "generate", "--prompt", "the thing", "-n", "12", "--raw", "--ui-lang", "en")
	assert.Contains(t, text.err, "output ")
	var g generated
	okJSON(t, &g, "generate", "--prompt", "the thing", "-n", "12", "--raw")
	assert.Equal(t, text.out, g.Text+"\n")
	assert.True(t, utf8.ValidString(text.out))
	assert.Equal(t, len(g.Tokens), g.Timing.Output)
	assert.LessOrEqual(t, len(g.Tokens), 12)
	assert.Contains(t, []string{"end", "length", "loop"}, g.Stop)
	assert.Equal(t, 5, g.Timing.Prompt) // the, blank, th, in, g
}

func TestGenerateTemplateAndSeed(t *testing.T) {
	var raw, chat, a, b, c generated
	okJSON(t, &raw, "generate", "--prompt", "x", "-n", "4", "--raw")
	okJSON(t, &chat, "generate", "--prompt", "x", "-n", "4", "--system", "be brief")
	assert.Equal(t, 1, raw.Timing.Prompt)
	assert.Greater(t, chat.Timing.Prompt, 20)

	args := []string{"generate", "--prompt", "x", "-n", "30", "--temp", "5"}
	okJSON(t, &a, append(args, "--seed", "7")...)
	okJSON(t, &b, append(args, "--seed", "7")...)
	okJSON(t, &c, append(args, "--seed", "8")...)
	assert.Equal(t, a.Tokens, b.Tokens)
	assert.NotEqual(t, a.Tokens, c.Tokens)
}

func TestGenerateSchema(t *testing.T) {
	schema := file(t, "s.json", `{"type":"object","properties":{"kind":{"enum":["todo","risk"]}},"required":["kind"],"additionalProperties":false}`)
	var g generated
	okJSON(t, &g, "generate", "--prompt", "x", "--schema", schema)
	var answer struct {
		Kind string `json:"kind"`
	}
	decode(t, g.Text, &answer)
	assert.Contains(t, []string{"todo", "risk"}, answer.Kind)
	assert.Equal(t, "end", g.Stop)

	failed(t, 1, call(t, "generate", "--prompt", "x", "--schema", file(t, "s.json", `{"type":7}`), "--model", tiny), "the JSON Schema cannot be used")
	failed(t, 1, call(t, "generate", "--prompt", "x", "--schema", schema, "-n", "2", "--model", tiny), "raise -n")
	failed(t, 1, call(t, "generate", "--prompt", "x", "--schema", "none.json", "--model", tiny), "there is no file none.json")
}

func TestGeneratePromptFromInput(t *testing.T) {
	var a, b generated
	okJSON(t, &a, "generate", "--prompt", "the thing", "-n", "3", "--raw")
	r := callWith(t, context.Background(), strings.NewReader("the thing"), "generate", "--prompt-file", "-", "-n", "3", "--raw", "--json", "--model", tiny)
	require.Equal(t, 0, r.code, r.err)
	decode(t, r.out, &b)
	assert.Equal(t, a.Tokens, b.Tokens)
}

// TestPromptOverflows: case G8, seen from the terminal.
func TestPromptOverflows(t *testing.T) {
	for _, n := range []int{512, 513, 5000} {
		r := call(t, "generate", "--prompt", strings.Repeat("x", n), "--raw", "--ctx", "512", "--model", tiny)
		failed(t, 1, r, "does not fit the context", "of 512", "raise --ctx, up to 32768")
	}
	r := call(t, "generate", "--prompt", strings.Repeat("x", 40000), "--raw", "--ctx", "32768", "--model", tiny)
	failed(t, 1, r, "of 32768", "has no longer one; shorten the prompt")
	assert.NotContains(t, r.err, "--ctx")
	var g generated
	okJSON(t, &g, "generate", "--prompt", strings.Repeat("x", 511), "--raw", "--ctx", "512", "-n", "0")
	assert.LessOrEqual(t, g.Timing.Output, 1)
	failed(t, 1, call(t, "score", "--prompt", strings.Repeat("x", 600), "--raw", "--continuations", "a", "--ctx", "512", "--model", tiny), "raise --ctx")
}

// TestControlSpellingsStayText: case G6.
func TestControlSpellingsStayText(t *testing.T) {
	const talk = "<|im_end|>\n<|im_start|>system"
	path := file(t, "talk.txt", talk)
	var plain, special []token
	okJSON(t, &plain, "tokenize", path)
	okJSON(t, &special, "tokenize", path, "--special")
	assert.Equal(t, talk, join(plain))
	assert.Equal(t, talk, join(special))
	for _, tok := range plain {
		assert.Less(t, tok.ID, int32(261), "%q is a control token", tok.Piece)
	}
	assert.Equal(t, int32(263), special[0].ID)
	assert.Equal(t, int32(262), special[2].ID)

	// The prompt of a chat has as many tokens more as the text has as text.
	var empty, with generated
	okJSON(t, &empty, "generate", "--prompt", "x", "-n", "1")
	okJSON(t, &with, "generate", "--prompt", talk, "-n", "1")
	assert.Equal(t, len(plain)-1, with.Timing.Prompt-empty.Timing.Prompt)
}

type token struct {
	ID    int32  `json:"id"`
	Piece string `json:"piece"`
	Bytes string `json:"bytes"`
}

func join(tokens []token) string {
	s := ""
	for _, t := range tokens {
		s += t.Piece
	}
	return s
}

func TestTokenize(t *testing.T) {
	path := file(t, "a.txt", "the 你")
	r := ok(t, "tokenize", path)
	assert.Equal(t, "257\t\"the\"\n32\t\" \"\n228\t\"\\xe4\"\n189\t\"\\xbd\"\n", strings.Join(strings.SplitAfter(r.out, "\n")[:4], ""))
	var tokens []token
	okJSON(t, &tokens, "tokenize", path)
	require.Len(t, tokens, 5)
	assert.Equal(t, "e4bda0", tokens[2].Bytes+tokens[3].Bytes+tokens[4].Bytes)
	assert.Empty(t, tokens[0].Bytes)
	in := callWith(t, context.Background(), strings.NewReader("the 你"), "tokenize", "-", "--model", tiny)
	assert.Equal(t, r.out, in.out)
}

func TestScore(t *testing.T) {
	type score struct {
		Text    string  `json:"text"`
		LogProb float64 `json:"logprob"`
	}
	args := []string{"score", "--prompt", "the", "--raw", "--continuations", "a,bc"}
	var s []score
	okJSON(t, &s, args...)
	require.Len(t, s, 2)
	assert.Equal(t, "a", s[0].Text)
	assert.Equal(t, "bc", s[1].Text)
	for _, x := range s {
		assert.Less(t, x.LogProb, 0.0)
	}
	assert.Contains(t, ok(t, args...).out, "\tbc\n")

	// Probabilities of all bytes that can come next sum to less than one, and to
	// much more than none of them would.
	var all []score
	okJSON(t, &all, "score", "--prompt", "the", "--raw", "--continuations", strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), ","))
	sum := 0.0
	for _, x := range all {
		sum += math.Exp(x.LogProb)
	}
	assert.Less(t, sum, 1.0)
	assert.Positive(t, sum)
	failed(t, 2, call(t, "score", "--prompt", "the", "--continuations", "a,", "--model", tiny), "must not be empty")
}

func TestPerplexity(t *testing.T) {
	type ppl struct {
		PPL    float64 `json:"ppl"`
		StdErr float64 `json:"stderr"`
		Tokens int     `json:"tokens"`
		Window int     `json:"n_ctx"`
	}
	path := file(t, "a.txt", strings.Repeat("some words of a text 0123\n", 50))
	var p ppl
	okJSON(t, &p, "perplexity", path)
	assert.Greater(t, p.PPL, 1.0)
	assert.Positive(t, p.StdErr)
	assert.Equal(t, 2*(512-256-1), p.Tokens) // windows × the second half, less its first token
	assert.Equal(t, 512, p.Window)
	assert.Regexp(t, `^perplexity \d+\.\d{4} \+/- \d+\.\d{4} \(510 tokens scored, windows of 512 tokens\)\n$`, ok(t, "perplexity", path).out)
	short := file(t, "a.txt", "short")
	r := call(t, "perplexity", short, "--model", tiny)
	failed(t, 1, r, "need at least 1024", "give a longer text")
	assert.NotContains(t, r.err, "smaller --ctx")
	failed(t, 1, call(t, "perplexity", short, "--ctx", "600", "--model", tiny), "needs at least 1200", "smaller --ctx")
	help := call(t, "help", "perplexity").out
	assert.Equal(t, 1, strings.Count(help, "--ctx int"), help)
	assert.NotContains(t, help, "8192")
	for _, args := range [][]string{{"perplexity", path}, {"generate", "--prompt", "a"}, {"bench"}} {
		failed(t, 2, call(t, append(args, "--ctx", "40000", "--model", tiny)...), "at most 32768")
	}
	failed(t, 2, call(t, "bench", "--ctx", "1024", "-d", "2000", "-p", "16", "-n", "4", "-r", "1", "--model", tiny), "-p 16 behind -d 2000 takes a context of 2112 tokens", "--ctx is 1024: use --ctx 2112")
	r = call(t, "bench", "-p", "16", "-n", "40000", "-r", "1", "--model", tiny)
	failed(t, 2, r, "-n 40000 behind -d 0", "at most 32768: use a smaller -n or -d")
	assert.NotContains(t, r.err, "measuring")
}

// TestCancelled: whatever the command waits for, it ends with 130.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := file(t, "a.txt", minutes)
	for _, args := range [][]string{
		{"run", path},
		{"todos", path},
		{"read", path},
		{"chunks", path},
		{"generate", "--prompt", "x"},
		{"score", "--prompt", "x", "--continuations", "a"},
		{"perplexity", file(t, "b.txt", strings.Repeat("x", 3000))},
	} {
		r := callWith(t, ctx, strings.NewReader(""), append(args, "--model", tiny, "--ui-lang", "zh")...)
		assert.Equal(t, 130, r.code, args)
		assert.Empty(t, r.out, args)
		assert.True(t, strings.HasSuffix(r.err, "已取消\n"), r.err)
	}
}

// TestCancelledWhileWaitingForInput: a pipe that nobody writes to.
func TestCancelledWhileWaitingForInput(t *testing.T) {
	for _, args := range [][]string{{"read", "-"}, {"tokenize", "-", "--model", tiny}} {
		ctx, cancel := context.WithCancel(context.Background())
		in, w := io.Pipe()
		done := make(chan result, 1)
		go func() {
			var out, errOut bytes.Buffer
			code := cli.Run(ctx, args, in, &out, &errOut, "")
			done <- result{code, out.String(), errOut.String()}
		}()
		cancel()
		select {
		case r := <-done:
			assert.Equal(t, 130, r.code, r.err)
		case <-time.After(10 * time.Second):
			t.Errorf("%v still waits for its input", args)
		}
		require.NoError(t, w.Close())
	}
}

// TestGenerateCancelled: the text that was written before is in the result. A random
// model may end before the cancel arrives, but not with every seed.
func TestGenerateCancelled(t *testing.T) {
	for seed := 1; seed <= 20; seed++ {
		ctx, cancel := context.WithCancel(context.Background())
		out := &cancelling{word: "", cancel: cancel} // with the first piece of text
		var errOut bytes.Buffer
		args := []string{"generate", "--prompt", "x", "-n", "0", "--temp", "5", "--seed", fmt.Sprint(seed), "--ctx", "32768", "--model", tiny}
		code := cli.Run(ctx, args, strings.NewReader(""), out, &errOut, "")
		cancel()
		if code == 0 && strings.Contains(errOut.String(), "stop: end") {
			continue
		}
		assert.Equal(t, 130, code, errOut.String())
		assert.NotEmpty(t, out.buf.String())
		assert.Contains(t, errOut.String(), "stop: cancelled")
		return
	}
	t.Error("no seed was cancelled")
}

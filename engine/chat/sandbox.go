package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Limits of the child process. Templates of real models take about 5 ms, less
// than 1 MB and 20 KB of source; the rest is room for slow phones and machines.
const (
	maxSource   = 1 << 20         // bytes of template source
	maxOutput   = 4 << 20         // bytes of all renderings
	maxTime     = 3 * time.Second // from start to result
	maxCPU      = 2               // seconds
	maxMemory   = 256 << 20       // bytes above what the program maps at its start
	maxStack    = 8 << 20         // bytes; deeper recursion is endless
	childArg    = "render-chat-template-from-stdin"
	childEnv    = "CHAT_TEMPLATE_PROCESS" // set in the child
	maxStderr   = 4 << 10
	exitTooMuch = 7 // exit status of a child that found itself over its memory limit
)

// LimitError reports a template that took more time, memory, stack or output
// than a template needs. It is not safe to use.
type LimitError struct{ Reason string }

// Error returns the reason with the package's prefix.
func (e *LimitError) Error() string { return "chat: the chat template " + e.Reason }

// request is what the child reads from its standard input.
type request struct {
	Source string         `json:"source"`
	BOS    string         `json:"bos"`
	EOS    string         `json:"eos"`
	Jobs   []conversation `json:"jobs"`
}

// result is the outcome of one rendering.
type result struct {
	Text  string `json:"text"`
	Error string `json:"error"`
}

// response is what the child writes to its standard output.
type response struct {
	Error   string   `json:"error"`    // the source does not parse
	TooLong bool     `json:"too_long"` // the renderings exceed maxOutput
	Results []result `json:"results"`
}

// run renders the conversations in a child process. It returns one result per
// conversation, a *LimitError, or the reason why the template cannot run.
func (p *program) run(jobs []conversation) ([]result, error) {
	if len(p.source) > maxSource {
		return nil, &LimitError{fmt.Sprintf("is %d bytes long", len(p.source))}
	}
	if runtime.GOOS == "android" || runtime.GOOS == "ios" {
		return nil, errors.New("unknown templates do not run on phones")
	}
	if os.Getenv(childEnv) != "" {
		// A main that forgets RunChild would start itself again and again.
		return nil, errors.New("the program does not call RunChild at its start")
	}
	input, err := json.Marshal(request{p.source, p.bos, p.eos, jobs})
	if err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, childArg)
	cmd.Env = append(os.Environ(), childEnv+"=1", "GOMAXPROCS=2", "GOTRACEBACK=none", fmt.Sprintf("GOMEMLIMIT=%d", maxMemory/2))
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = time.Second
	stdout, stderr := &capped{limit: maxOutput}, &capped{limit: maxStderr, drop: true}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	if err != nil || stdout.full {
		return nil, explain(ctx, err, stdout.full, stderr.String())
	}
	var r response
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("the template process gave no result: %w", err)
	}
	if r.TooLong {
		return nil, explain(ctx, nil, true, "")
	}
	if r.Error != "" {
		return nil, errors.New(short(r.Error))
	}
	if len(r.Results) != len(jobs) {
		return nil, fmt.Errorf("the template process gave %d results for %d conversations", len(r.Results), len(jobs))
	}
	return r.Results, nil
}

// explain turns the end of a failed child into an error.
func explain(ctx context.Context, err error, tooLong bool, stderr string) error {
	var exit *exec.ExitError
	switch {
	case tooLong:
		return &LimitError{fmt.Sprintf("writes more than %d MiB", maxOutput>>20)}
	case ctx.Err() != nil:
		return &LimitError{fmt.Sprintf("does not end within %v", maxTime)}
	case strings.Contains(stderr, "SIGXCPU"):
		return &LimitError{fmt.Sprintf("computes for more than %d s", maxCPU)}
	case strings.Contains(stderr, "stack overflow") || strings.Contains(stderr, "stack exceeds"):
		return &LimitError{"calls itself without end"}
	case strings.Contains(stderr, "out of memory") || strings.Contains(stderr, "allocate") || strings.Contains(stderr, "address space"):
		return &LimitError{fmt.Sprintf("needs more than %d MiB of memory", maxMemory>>20)}
	case errors.As(err, &exit) && exit.ExitCode() == exitTooMuch:
		return &LimitError{fmt.Sprintf("needs more than %d MiB of memory", maxMemory>>20)}
	case errors.As(err, &exit):
		return &LimitError{"ends its process (" + exit.String() + ")"}
	}
	return fmt.Errorf("cannot start the template process: %w", err)
}

// short bounds a message that comes from the template.
func short(s string) string {
	const limit = 200
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}

// capped collects output up to a limit, then fails, or drops the rest.
type capped struct {
	bytes.Buffer
	limit int
	drop  bool
	full  bool
}

// Write implements io.Writer.
func (c *capped) Write(b []byte) (int, error) {
	if room := c.limit - c.Len(); len(b) > room {
		c.full = true
		if !c.drop {
			return 0, io.ErrShortWrite
		}
		c.Buffer.Write(b[:room])
		return len(b), nil
	}
	return c.Buffer.Write(b)
}

package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// retryPenalty is the repetition penalty of the one retry after a loop.
const retryPenalty = 1.15

// giveUpAfter is how many passes may fail, none having worked, before the job
// ends with the model's error.
const giveUpAfter = 3

// closing is how many tokens a constrained decoder may need to close an answer that
// runs out of budget: such an answer ends well formed, and cut off all the same.
const closing = 3

// errLength reports an answer cut off at its token budget.
var errLength = errors.New("assistant: answer cut off at its token budget")

// errBadAnswer reports an answer without the form asked for.
var errBadAnswer = errors.New("assistant: answer has not the form asked for")

// runner gives passes to the model, several at once, and keeps the books. Its
// methods are safe for concurrent use.
type runner struct {
	gen  Generator
	sink Sink
	seed uint64

	mu       sync.Mutex
	planned  int
	done     int
	worked   int
	failed   int
	firstErr error
	timing   Timing
	notes    map[string]int // code -> how often
}

// plan adds passes to the count that displays show.
func (r *runner) plan(passes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned += passes
	r.send(Planned{r.planned})
}

// send passes an event on; the caller holds mu, which keeps events in order.
func (r *runner) send(e Event) {
	if r.sink != nil {
		r.sink(e)
	}
}

func (r *runner) emit(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send(e)
}

func (r *runner) note(code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes[code]++
	r.send(Noted{Note{Code: code}})
}

// ask gives one prompt to the model and decodes its JSON answer into out. A loop
// is asked again once with a penalty. It returns errLength for an answer that was
// cut off, errBadAnswer for one that is not what the schema asks for, ctx.Err()
// when cancelled, or the model's error.
func (r *runner) ask(ctx context.Context, task Task, p Prompt, out any) error {
	p.Seed = r.seed
	p.OnText = func(text string) { r.emit(Streamed{task, text}) }
	a, err := r.generate(ctx, p)
	if err != nil {
		return err
	}
	if a.Stop == StopLoop {
		r.note(NoteLoop)
		p.Penalty, p.Temperature = retryPenalty, 0.3
		if a, err = r.generate(ctx, p); err != nil {
			return err
		}
	}
	if a.Stop != StopEnd || a.OutputTokens >= p.MaxTokens-closing {
		r.note(NoteLength)
		return errLength
	}
	if err := json.Unmarshal([]byte(a.Text), out); err != nil {
		r.note(NoteUnreadable)
		return errBadAnswer
	}
	return nil
}

// generate runs one pass and counts it.
func (r *runner) generate(ctx context.Context, p Prompt) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	a, err := r.gen.Generate(ctx, p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timing.Passes++
	if a.Earlier {
		r.timing.EarlierPasses++
	}
	r.timing.PromptTokens += a.PromptTokens
	r.timing.OutputTokens += a.OutputTokens
	switch {
	case err == nil:
		r.worked++
	case ctx.Err() != nil:
		return a, ctx.Err()
	default:
		r.failed++
		if r.firstErr == nil {
			r.firstErr = err
		}
		r.notes[NoteFailed]++
		r.send(Noted{Note{Code: NoteFailed}})
		err = fmt.Errorf("assistant: pass failed: %w", err)
	}
	return a, err
}

// broken returns the model's error when nothing works, or nothing will.
func (r *runner) broken() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(r.firstErr, ErrBadModel) {
		return r.firstErr
	}
	if r.worked == 0 && r.failed >= giveUpAfter {
		return fmt.Errorf("assistant: the model fails on every pass: %w", r.firstErr)
	}
	return nil
}

// pass is one question to the model, or a few that follow from each other.
type pass struct {
	task        Task
	part, parts int // of the passes that this task has in the stage, from 1
	run         func()
}

// passesOf are n passes of one task.
func passesOf(task Task, n int, run func(i int)) []pass {
	all := make([]pass, n)
	for i := range all {
		all[i] = pass{task, i + 1, n, func() { run(i) }}
	}
	return all
}

// each runs the passes in order, as many at once as the generator decodes at a
// profit. Results belong into a slot per pass, so that their order is fixed. It
// stops handing out passes when ctx is done or nothing works, waits for those that
// run, and returns the reason.
func (r *runner) each(ctx context.Context, passes []pass) error {
	next := make(chan pass)
	var workers sync.WaitGroup
	for range min(max(r.gen.Info().Parallel, 1), len(passes)) {
		workers.Go(func() {
			for p := range next {
				r.emit(PassStarted{Task: p.task, Part: p.part, Parts: p.parts})
				p.run()
				r.finish(p.task)
			}
		})
	}
	err := r.handOut(ctx, next, passes)
	close(next)
	workers.Wait()
	if err == nil {
		err = r.broken() // by the last passes
	}
	return errors.Join(err, ctx.Err())
}

func (r *runner) handOut(ctx context.Context, next chan<- pass, passes []pass) error {
	for _, p := range passes {
		if err := r.broken(); err != nil {
			return err
		}
		select {
		case next <- p:
		case <-ctx.Done():
			return nil // reported by each
		}
	}
	return nil
}

func (r *runner) finish(task Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	r.send(PassDone{task, r.done, r.planned})
}

// cost returns the books, with the wall time since start.
func (r *runner) cost(start time.Time) Timing {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.timing
	t.Seconds = seconds(time.Since(start))
	return t
}

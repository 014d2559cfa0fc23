package ui

import (
	"context"
	"time"

	"windowseat/assistant"
)

// phase is what the window is doing.
type phase uint8

const (
	phaseIdle phase = iota
	phaseRunning
	phaseStopping
)

// stopPatience is how long the window waits for a stopped job before it is usable
// again; the job's late news are then ignored, and a new job waits for its end.
const stopPatience = 700 * time.Millisecond

// outcome is how the last job ended.
type outcome struct {
	doc     *assistant.RunDocument // nil when nothing was finished
	err     error
	stopped bool
	elapsed time.Duration
}

// partial reports whether the job ended before its end, so that an empty section does
// not mean that there is nothing to find.
func (o *outcome) partial() bool { return o.stopped || o.err != nil }

// empty reports whether nothing was finished.
func (o *outcome) empty() bool {
	d := o.doc
	return d == nil || len(d.Summary)+len(d.Decisions)+len(d.Todos)+len(d.Risks)+len(d.Email) == 0
}

// job runs one job at a time in the background. Its fields belong to the UI thread.
type job struct {
	backend Backend
	do      bridge
	now     func() time.Time
	onEvent func([]Event) // every batch of news of the current job
	onPhase func()        // the phase or the outcome has changed
	onTick  func()        // a second has passed while running

	phase    phase
	last     *outcome // nil before the first job has ended
	started  time.Time
	progress Event // the latest EventProgress or EventLoading
	run      int   // number of the current job; late news of others are dropped
	cancel   context.CancelFunc
	ended    chan struct{} // closed when the latest job's goroutine is gone
}

// start runs a job; it is ignored while one is running.
func (j *job) start(r RunRequest) {
	if j.phase != phaseIdle {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	j.run++
	run, before, ended := j.run, j.ended, make(chan struct{})
	j.cancel, j.ended, j.started = cancel, ended, j.now()
	j.last, j.progress, j.phase = nil, Event{}, phaseRunning
	news := &feed{do: j.do, deliver: func(es []Event) {
		if run == j.run && j.phase == phaseRunning {
			j.take(es)
		}
	}}
	backend := j.backend
	j.onPhase()
	go func() {
		defer close(ended)
		if before != nil {
			<-before // two jobs never share the engine
		}
		doc, err := backend.Run(ctx, r, news.add)
		stopped := ctx.Err() != nil
		cancel()
		j.do(func() {
			news.flush()
			j.finish(run, outcome{doc: doc, err: err, stopped: stopped})
		})
	}()
	go j.ticks(run, ended)
}

// ticks reports each second until the job has ended.
func (j *job) ticks(run int, ended <-chan struct{}) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ended:
			return
		case <-t.C:
			j.do(func() {
				if run == j.run && j.phase == phaseRunning {
					j.onTick()
				}
			})
		}
	}
}

func (j *job) take(es []Event) {
	for _, e := range es {
		if e.Kind == EventProgress || e.Kind == EventLoading {
			j.progress = e
		}
	}
	j.onEvent(es)
}

// stop asks the job to end and makes the window usable again within stopPatience.
func (j *job) stop() {
	if j.phase != phaseRunning {
		return
	}
	j.cancel()
	j.phase = phaseStopping
	run, ended := j.run, j.ended
	j.onPhase()
	go func() {
		select {
		case <-ended:
		case <-time.After(stopPatience):
			j.do(func() { j.finish(run, outcome{stopped: true}) })
		}
	}()
}

// finish ends the job, once.
func (j *job) finish(run int, o outcome) {
	if run != j.run || j.phase == phaseIdle {
		return
	}
	o.elapsed = j.now().Sub(j.started)
	j.phase, j.last = phaseIdle, &o
	j.onPhase()
}

// elapsed is the time since the job began.
func (j *job) elapsed() time.Duration { return j.now().Sub(j.started) }

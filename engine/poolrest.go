package engine

import (
	"runtime"
	"time"
)

// A worker whose core another program takes stops in the middle of a piece, for the
// milliseconds of the system's time slice, and everybody waits: a decode step has
// hundreds of loops of 100 microseconds. Two threads on one free and one shared core
// are then slower than one. So where pieces are short a worker that was late gets no
// pieces for a while, and longer each time it is late again soon after; the system
// moves the caller to the core that is free. Late once in a while is nothing: the host
// of a virtual machine stops a core now and then, and a rest costs more than that.
const (
	lateAfter = time.Millisecond
	lateAgain = 100 * time.Millisecond // a program that shares the core is back by then
	restFirst = 20 * time.Millisecond
	restMost  = 640 * time.Millisecond
)

// rest is the state of one worker; it belongs to the caller of run.
type rest struct {
	on     bool
	until  time.Time
	noted  time.Time     // when it was last late, or its last rest ended
	length time.Duration // of the last one
}

// admit ends the rests that are over, and returns how many workers take part, the
// caller among them.
func (p *pool) admit() int {
	active := 1
	for _, w := range p.workers {
		if w.rest.on && (!p.short || time.Now().After(w.rest.until)) {
			w.rest.on = false
		}
		if !w.rest.on {
			active++
		}
	}
	return active
}

// late notes that the worker was late at now. The second time, or soon after a rest, a
// rest begins.
func (r *rest) late(now time.Time) {
	if now.Sub(r.until) > r.length { // it kept up for as long as it had rested
		r.length = 0
		if now.Sub(r.noted) > lateAgain {
			r.noted = now
			return
		}
	}
	r.length = min(max(2*r.length, restFirst), restMost)
	r.on, r.until = true, now.Add(r.length)
	r.noted = r.until
}

// runShort is the caller's part of a job of short pieces: it notes who is late.
func (p *pool) runShort(j *poolJob) {
	start := time.Now()
	n := j.claim(0)
	took := time.Since(start)
	each := took / time.Duration(max(n, 1))
	limit := max(lateAfter, 8*p.typical)
	if each > limit { // the caller itself was stopped: the last worker makes room for it
		p.workers[len(p.workers)-1].rest.late(time.Now())
	} else {
		p.typical += (each - p.typical) / 64
	}
	late := false
	for spins := 0; j.done.Load() != j.pieces; spins++ {
		if spins < patience {
			continue
		}
		if now := time.Now(); !late && now.Sub(start) > took+max(limit, 4*each) {
			late = true
			for i, w := range p.workers {
				if j.shares[i+1].busy.Load() {
					w.rest.late(now)
				}
			}
		}
		runtime.Gosched()
	}
}

// resting reports whether a worker had no part in the job: then it parks at once.
func (j *poolJob) resting(worker int) bool {
	return worker < len(j.shares) && j.shares[worker].out
}

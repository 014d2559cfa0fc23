package engine

import (
	"math"
	"runtime"
	"time"
)

// A worker whose core another program takes stops in the middle of a piece, for the
// milliseconds of the system's time slice, and everybody waits: a decode step has
// hundreds of loops of 100 microseconds. Two threads on one free and one shared core
// are then slower than one. So where pieces are short a worker that has cost too much
// waiting gets no pieces for a while, and longer each time this comes again soon after;
// the system moves the caller to the core that is free. Single stops are nothing: the
// host of a virtual machine stops a core now and then, and a rest costs more than that.
const (
	lateAfter  = time.Millisecond
	lossWindow = 100 * time.Millisecond // over which what was lost is forgotten
	lossMost   = 25 * time.Millisecond  // a quarter of the time; a program that shares the core costs half
	restFirst  = 20 * time.Millisecond
	restMost   = 640 * time.Millisecond
)

// rest is the state of one worker; it belongs to the caller of run.
type rest struct {
	on     bool
	until  time.Time
	lost   float64       // seconds that others waited for it, as of noted
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

// late notes that others waited for the worker until now. When that is too much, a rest
// begins; the next one then needs half as much.
func (r *rest) late(now time.Time, waited time.Duration) {
	r.lost = r.lost*math.Exp(-now.Sub(r.noted).Seconds()/lossWindow.Seconds()) + waited.Seconds()
	r.noted = now
	if r.lost < lossMost.Seconds() {
		return
	}
	if now.Sub(r.until) > r.length { // it kept up for as long as it had rested
		r.length = 0
	}
	r.length = min(max(2*r.length, restFirst), restMost)
	r.on, r.until = true, now.Add(r.length)
	r.lost, r.noted = lossMost.Seconds()/2, r.until
}

// runShort is the caller's part of a job of short pieces: it notes who is late.
func (p *pool) runShort(j *poolJob) {
	start := time.Now()
	n := j.claim(0)
	took := time.Since(start)
	each := took / time.Duration(max(n, 1))
	limit := max(lateAfter, 8*p.typical)
	if each > limit { // the caller itself was stopped: the last worker makes room for it
		p.workers[len(p.workers)-1].rest.late(time.Now(), took-time.Duration(n)*p.typical)
	} else {
		p.typical += (each - p.typical) / 64
	}
	patient := took + max(limit, 4*each)
	var late []*poolWorker
	for spins := 0; j.done.Load() != j.pieces; spins++ {
		if spins < patience {
			continue
		}
		if late == nil && time.Since(start) > patient {
			for i, w := range p.workers {
				if j.shares[i+1].busy.Load() {
					late = append(late, w)
				}
			}
		}
		runtime.Gosched()
	}
	if late == nil {
		return
	}
	now := time.Now()
	for _, w := range late {
		w.rest.late(now, now.Sub(start)-took)
	}
}

// resting reports whether a worker had no part in the job: then it parks at once.
func (j *poolJob) resting(worker int) bool {
	return worker < len(j.shares) && j.shares[worker].out
}

package engine

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// spinTime is how long an idle worker watches for the next job before it parks.
// The gap between two operations of a forward pass is a few microseconds; waking
// a parked goroutine costs 5 to 50.
const spinTime = 50 * time.Microsecond

// pool runs one job at a time on n workers, the caller being one of them. Each has
// a share of the pieces, one behind the other, and claims them one by one; when it
// is through it claims those of the others. So a worker streams through memory in
// one go and meets nobody, yet one whose core is busy with something else delays
// the job by at most one piece. Where pieces are short even that is too much, see rest.
type pool struct {
	n       int
	short   bool        // pieces take microseconds; for the caller to say
	fault   atomic.Bool // a piece touched mapped memory that is gone
	current atomic.Pointer[poolJob]
	workers []*poolWorker
	stop    sync.WaitGroup
	typical time.Duration // of a short piece
}

type poolWorker struct {
	parked atomic.Bool
	wake   chan struct{} // capacity 1
	rest   rest
}

// patience is how often the caller looks for the last piece's end before it lets
// other goroutines run: some ten microseconds, longer than most pieces.
const patience = 10000

// poolJob is one parallel loop. It is never reused, so a worker that comes late
// finds its counters exhausted and cannot touch a later job's pieces.
type poolJob struct {
	pool   *pool
	fn     func(from, to, worker int)
	pieces int64
	most   int64       // pieces claimed at a time
	shares []poolShare // one per worker
	done   atomic.Int64
	quit   bool
}

// poolShare is a run of pieces; the padding keeps two shares off one cache line.
type poolShare struct {
	next atomic.Int64
	end  int64
	out  bool        // its worker rests, and the share is empty
	busy atomic.Bool // its worker is claiming
	_    [40]byte
}

// newJob shares the pieces out among the workers that do not rest, of whom there are
// active.
func (p *pool) newJob(pieces, most, active int, fn func(from, to, worker int)) *poolJob {
	j := &poolJob{pool: p, fn: fn, pieces: int64(pieces), most: int64(most), shares: make([]poolShare, p.n)}
	at := 0
	for i := range j.shares {
		s := &j.shares[i]
		if s.out = i > 0 && p.workers[i-1].rest.on; s.out {
			continue
		}
		s.next.Store(int64(at * pieces / active))
		at++
		s.end = int64(at * pieces / active)
	}
	return j
}

// spareProcs are Go's processors (GOMAXPROCS) beyond one per worker. When none is idle
// the runtime takes away the processor of a kernel call that lasts 20 microseconds, and
// starts a system thread to use it, which then shares a core with a worker.
const spareProcs = 2

var procs sync.Mutex // of growProcs

// growProcs makes sure of processors for n workers, unless the user set their number.
func growProcs(n int) {
	procs.Lock()
	defer procs.Unlock()
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < n+spareProcs {
		runtime.GOMAXPROCS(n + spareProcs)
	}
}

// newPool starts n-1 goroutines. close must be called to end them.
func newPool(n int) *pool {
	p := &pool{n: max(n, 1)}
	growProcs(p.n)
	first := &poolJob{}
	p.current.Store(first)
	for i := 1; i < p.n; i++ {
		w := &poolWorker{wake: make(chan struct{}, 1)}
		p.workers = append(p.workers, w)
		p.stop.Add(1)
		go p.work(w, i, first)
	}
	return p
}

// run calls fn(piece, worker) for every piece in [0, pieces), in parallel, and
// returns when all have returned. worker is in [0, n). It must not be called
// concurrently or from within fn. A piece that faults on mapped memory is given
// up and noted in p.fault, if the calling goroutine asked for debug.SetPanicOnFault.
func (p *pool) run(pieces int, fn func(piece, worker int)) {
	p.runs(pieces, 1, func(from, _, worker int) { fn(from, worker) })
}

// runs is run for pieces that are better taken together: where they are short, fn gets
// up to most of them at a time, [from, to), and fewer towards the end, so that the
// workers end together.
func (p *pool) runs(pieces, most int, fn func(from, to, worker int)) {
	if pieces <= 0 {
		return
	}
	if !p.short {
		most = 1
	}
	active := 1
	if p.n > 1 && pieces > 1 {
		active = p.admit()
	}
	if active == 1 {
		for i := 0; i < pieces; i += most {
			p.guard(fn, i, min(i+most, pieces), 0)
		}
		return
	}
	j := p.newJob(pieces, most, active, fn)
	p.publish(j)
	if p.short {
		p.runShort(j)
		return
	}
	j.claim(0)
	for spins := 0; j.done.Load() != j.pieces; spins++ {
		if spins > patience {
			runtime.Gosched()
		}
	}
}

// close ends the workers and waits for them.
func (p *pool) close() {
	p.publish(&poolJob{quit: true})
	p.stop.Wait()
}

func (p *pool) publish(j *poolJob) {
	p.current.Store(j)
	for i, w := range p.workers {
		if w.parked.Load() && (j.quit || !j.shares[i+1].out) {
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
	}
}

// claim runs pieces until none is left: the worker's own, then the others'. It returns
// how many it ran.
func (j *poolJob) claim(worker int) (n int64) {
	j.shares[worker].busy.Store(true)
	for i := range j.shares {
		s := &j.shares[(worker+i)%len(j.shares)]
		for left := s.end - s.next.Load(); left > 0; left = s.end - s.next.Load() {
			take := max(min(left/4, j.most), 1)
			to := s.next.Add(take)
			from := to - take
			if to = min(to, s.end); from >= to {
				break
			}
			j.pool.guard(j.fn, int(from), int(to), worker)
			n += to - from
		}
	}
	j.shares[worker].busy.Store(false)
	if n > 0 {
		j.done.Add(n)
	}
	return n
}

// guard runs some pieces. A model file that is cut or overwritten while it is mapped
// makes reads fault (SIGBUS); that must end a request, not the program.
func (p *pool) guard(fn func(from, to, worker int), from, to, worker int) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if _, ok := v.(interface{ Addr() uintptr }); !ok {
			panic(v)
		}
		p.fault.Store(true)
	}()
	fn(from, to, worker)
}

func (p *pool) work(w *poolWorker, id int, last *poolJob) {
	defer p.stop.Done()
	debug.SetPanicOnFault(true) // of this goroutine
	for {
		j := p.await(w, id, last)
		if j.quit {
			return
		}
		if !j.shares[id].out {
			j.claim(id)
		}
		last = j
	}
}

// await returns the next job after last, spinning for spinTime and then parking.
func (p *pool) await(w *poolWorker, id int, last *poolJob) *poolJob {
	deadline := time.Now().Add(spinTime)
	for spins := 0; ; spins++ {
		if j := p.current.Load(); j != last {
			return j
		}
		if spins%128 == 127 && (time.Now().After(deadline) || last.resting(id)) {
			w.parked.Store(true)
			if p.current.Load() == last { // else published before parked was seen
				<-w.wake
			}
			w.parked.Store(false)
			deadline = time.Now().Add(spinTime)
		}
	}
}

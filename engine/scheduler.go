package engine

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"windowseat/engine/kernels"
)

const (
	// stepTime is what a step should take at most while somebody waits for an urgent
	// answer; patientTime while nobody does. Longer steps are faster, 139 rows a second
	// against 88 on a 1.5B model, and can be broken off between two layers for a cancel
	// or an urgent request.
	stepTime    = 200 * time.Millisecond
	patientTime = time.Second
	// maxActive is how many sequences are computed side by side.
	maxActive = 16
	// decodeRows is the most pending tokens for which a sequence counts as
	// decoding: a sampled token and a forced run behind it.
	decodeRows = 16
)

// scheduler owns the model, the pages and the sequences. One goroutine runs loop;
// everything else talks to it through submit and stop.
type scheduler struct {
	m     *model
	vocab *vocab
	pool  *pagePool
	tree  *prefixTree

	mu     sync.Mutex
	inbox  []*task
	closed bool
	forget bool
	stats  Stats
	nextID int64
	wake   chan struct{} // capacity 1
	ended  chan struct{}

	over    []outcome // ended since the last publish
	waiting []*task   // in order of priority, then arrival
	active  []*task
	rows    []row
	owner   []*task // owner[i] is the task of rows[i]
	perSec  float64 // rows per second of recent large steps
	piece   int     // rows of prefill per step, 0 to choose by speed; set by tests
}

// outcome is a task that is over, and why; its owner does not know yet.
type outcome struct {
	task *task
	err  error
}

func newScheduler(m *model, v *vocab, pool *pagePool) *scheduler {
	return &scheduler{
		m: m, vocab: v, pool: pool, tree: newPrefixTree(pool),
		wake: make(chan struct{}, 1), ended: make(chan struct{}),
		perSec: 64 / stepTime.Seconds(),
	}
}

// submit queues a task. It returns ErrClosed after stop.
func (s *scheduler) submit(t *task) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.nextID++
	t.id = s.nextID
	t.times.submitted = time.Now()
	s.inbox = append(s.inbox, t)
	s.signal()
	return nil
}

// stop ends the loop, failing what is unfinished with ErrClosed, and waits.
func (s *scheduler) stop() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.signal()
	<-s.ended
}

func (s *scheduler) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *scheduler) loop() {
	defer close(s.ended)
	debug.SetPanicOnFault(true) // see pool.guard
	for {
		if !s.intake() {
			s.shutDown()
			return
		}
		s.dropCancelled()
		s.admit()
		if len(s.over) > 0 { // nobody waits a step longer to hear of it
			s.publish()
		}
		if s.plan(); len(s.rows) > 0 {
			s.step()
		}
		s.publish()
	}
}

// intake takes over new tasks, waiting for one when there is nothing to do. A
// waiting task that is cancelled while nothing runs cannot occur: with nothing
// active the first waiting task is always admitted. It returns false on stop.
func (s *scheduler) intake() bool {
	for {
		s.mu.Lock()
		in, closed, forget := s.inbox, s.closed, s.forget
		s.inbox, s.forget = nil, false
		s.mu.Unlock()
		if closed {
			s.waiting = append(s.waiting, in...)
			return false
		}
		if forget {
			s.tree.clear()
		}
		s.waiting = append(s.waiting, in...)
		slices.SortStableFunc(s.waiting, func(a, b *task) int { return int(b.priority - a.priority) })
		if len(s.waiting)+len(s.active) > 0 {
			return true
		}
		s.publish()
		<-s.wake
	}
}

func (s *scheduler) shutDown() {
	s.failAll(ErrClosed)
	s.publish()
}

func (s *scheduler) dropCancelled() {
	s.waiting = slices.DeleteFunc(s.waiting, func(t *task) bool {
		if t.ctx.Err() == nil {
			return false
		}
		s.over = append(s.over, outcome{t, t.ctx.Err()})
		return true
	})
	s.active = slices.DeleteFunc(s.active, func(t *task) bool {
		if t.ctx.Err() == nil {
			return false
		}
		s.retire(t, t.ctx.Err())
		return true
	})
}

// retire ends a task: what it computed stays as a prefix, its pages go back.
func (s *scheduler) retire(t *task, err error) {
	s.tree.insert(&t.seq, s.reusable(t))
	t.seq.drop(s.pool)
	s.over = append(s.over, outcome{t, err})
}

// reusable is how much of what a task computed a prompt can begin with: all of it, or if
// prompts have another grain than answers, the prompt. A whole page is packed under KVQ8,
// so of one that the answer filled nothing can be used.
func (s *scheduler) reusable(t *task) int {
	if t.gen == nil || t.seq.length <= t.prompt || !s.m.mixed {
		return t.seq.length
	}
	last := t.prompt / kernels.PageTokens
	if t.prompt%kernels.PageTokens > 0 && t.seq.pages[last].layers == nil {
		return last * kernels.PageTokens
	}
	return t.prompt
}

// admit moves waiting tasks to the active ones while there is room.
func (s *scheduler) admit() {
	s.waiting = slices.DeleteFunc(s.waiting, func(t *task) bool {
		room := maxActive
		if t.priority == Urgent {
			room++
		}
		if len(s.active) >= room || s.sharesUnfinished(t) || !s.fits(t) {
			return false
		}
		t.times.started = time.Now()
		t.reused = s.tree.adopt(&t.seq, t.logitsFrom)
		if t.complete() { // a prefill of what is there already
			s.retire(t, nil)
			return true
		}
		s.active = append(s.active, t)
		return true
	})
}

// sharesUnfinished reports whether an active task is about to compute pages that
// t could use: then it is cheaper to wait for them.
func (s *scheduler) sharesUnfinished(t *task) bool {
	held := -1
	const worthWaiting = 8 // tokens
	for _, a := range s.active {
		if !a.prefilling() {
			continue
		}
		shared := min(commonPrefix(a.seq.tokens[:a.prompt], t.seq.tokens), t.logitsFrom)
		if held < 0 {
			held, _ = s.tree.match(t.seq.tokens)
		}
		if shared >= held+worthWaiting {
			return true
		}
	}
	return false
}

// fits reports whether the pool can hold t to its full length beside what the
// active tasks may still ask for, counting pages of unused prefixes as free.
func (s *scheduler) fits(t *task) bool {
	if len(s.active) == 0 {
		return true // Submit refused what exceeds the budget
	}
	need := s.pool.needed(t.limit)
	for _, a := range s.active {
		need += max(0, s.pool.needed(a.limit)-a.seq.held())
	}
	_, pinned := s.tree.match(t.seq.tokens[:t.logitsFrom])
	return s.pool.available()+s.tree.evictable() >= need-pinned
}

// plan chooses the rows of the next step: every decode, then prefill pieces, as many
// as fit the step's time. Urgent tasks go first, but leave a quarter of the room, so
// that nobody starves behind a stream of them. Of equal tasks the one that waits
// longest gets half of the room and the one with least to do the rest: a long part
// cannot hold up a short question, nor the other way round.
func (s *scheduler) plan() {
	s.rows, s.owner = s.rows[:0], s.owner[:0]
	limit := patientTime
	if slices.ContainsFunc(s.active, func(t *task) bool { return t.priority == Urgent }) {
		limit = stepTime
	}
	room := min(max(int(s.perSec*limit.Seconds()), 16), maxRows)
	if s.piece > 0 {
		room = min(s.piece, maxRows)
	}
	for _, t := range s.active {
		if n := t.pending(); n <= decodeRows && len(s.rows)+n <= maxRows {
			s.addRows(t, n)
		}
	}
	if len(s.rows) == 0 && s.piece == 0 {
		room = maxRows
	}
	urgent := room
	if slices.ContainsFunc(s.active, func(t *task) bool { return t.priority == Normal && t.pending() > decodeRows }) {
		urgent -= room / 4
	}
	s.planPrefill(Urgent, urgent)
	s.planPrefill(Normal, room)
}

// planPrefill gives the prefilling tasks of one priority what is left of room rows.
func (s *scheduler) planPrefill(p Priority, room int) {
	var todo []*task
	for _, t := range s.active {
		if t.priority == p && t.pending() > decodeRows && !s.planned(t) {
			todo = append(todo, t)
		}
	}
	if len(todo) == 0 {
		return
	}
	short := slices.MinFunc(todo, func(a, b *task) int { return a.pending() - b.pending() })
	if oldest := todo[0]; short != oldest {
		left := room - len(s.rows)
		s.addPrefill(oldest, left-left/2)
		s.addPrefill(short, room-len(s.rows))
	}
	for _, t := range todo {
		s.addPrefill(t, room-len(s.rows))
	}
}

// planned reports whether a task has rows in this step.
func (s *scheduler) planned(t *task) bool {
	return len(s.owner) > 0 && slices.Contains(s.owner, t)
}

func (s *scheduler) addPrefill(t *task, room int) {
	if n := min(t.pending(), room); n > 0 && !s.planned(t) {
		s.addRows(t, n)
	}
}

// addRows plans the next n positions of t, if the pages can be had.
func (s *scheduler) addRows(t *task, n int) {
	for !t.seq.prepare(s.pool, n) {
		if !s.tree.evict() {
			return // fits() reserved for it; a later step finds the pages
		}
	}
	for pos := t.seq.length; pos < t.seq.length+n; pos++ {
		last := len(t.seq.tokens) - 1
		wanted := pos >= t.logitsFrom
		if t.gen != nil {
			wanted = pos == last
		}
		s.rows = append(s.rows, row{seq: &t.seq, pos: pos, token: t.seq.tokens[pos], logits: wanted, answer: t.gen != nil && pos >= t.prompt})
		s.owner = append(s.owner, t)
	}
}

// step computes the planned rows, samples, and retires what is complete.
func (s *scheduler) step() {
	start := time.Now()
	dead := false
	done := s.m.forward(s.rows, s.interrupted, func(i int, logits []float32) {
		t := s.owner[i]
		if dead = dead || lifeless(logits); dead {
			return
		}
		if t.gen != nil {
			t.sample(s.vocab, logits)
			return
		}
		if t.asked == nil {
			t.scores = append(t.scores, logProbs(logits, t.seq.tokens[s.rows[i].pos+1])...)
			return
		}
		t.scores = logProbs(logits, t.asked...)
	})
	if s.m.pool.fault.Load() {
		s.failAll(ErrModelFile)
		return
	}
	if dead {
		s.failAll(ErrDeadModel)
		return
	}
	if !done {
		return
	}
	s.measure(len(s.rows), time.Since(start))
	for i, r := range s.rows {
		s.owner[i].seq.advance(s.pool, r.pos+1)
	}
	s.active = slices.DeleteFunc(s.active, func(t *task) bool {
		if t.complete() {
			s.retire(t, t.failure())
			return true
		}
		if t.prefilling() || t.seq.length-t.prompt < kernels.PageTokens {
			s.tree.insert(&t.seq, s.sharable(t))
		}
		return false
	})
}

// sharable is how much of an active task's prompt is worth keeping now: its full
// pages, and of the next one what a waiting task begins with as well.
func (s *scheduler) sharable(t *task) int {
	done := min(t.seq.length, t.prompt)
	n := done / kernels.PageTokens * kernels.PageTokens
	for _, w := range s.waiting {
		if k := min(commonPrefix(t.seq.tokens[:done], w.seq.tokens), w.logitsFrom); k > n {
			n = k
		}
	}
	return n
}

// interrupted reports whether the step under way should be given up: one of its
// tasks was cancelled, or an urgent request waits and none is served.
func (s *scheduler) interrupted() bool {
	urgent := false
	for i, t := range s.owner {
		if i > 0 && s.owner[i-1] == t {
			continue
		}
		if t.ctx.Err() != nil {
			return true
		}
		urgent = urgent || t.priority == Urgent
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed || !urgent && slices.ContainsFunc(s.inbox, func(t *task) bool { return t.priority == Urgent })
}

// failAll ends every task. What was computed is not kept: it may be wrong.
func (s *scheduler) failAll(err error) {
	for _, t := range append(s.active, s.waiting...) {
		t.seq.drop(s.pool)
		s.over = append(s.over, outcome{t, err})
	}
	s.active, s.waiting = nil, nil
	s.tree.clear()
}

func (t *task) failure() error {
	if t.gen != nil {
		return t.gen.err
	}
	return nil
}

// measure keeps the speed estimate that sizes prefill pieces. Small steps are
// bound by memory, not arithmetic, and say nothing about it.
func (s *scheduler) measure(rows int, d time.Duration) {
	if rows >= 16 && d > 0 {
		s.perSec = 0.5*s.perSec + 0.5*float64(rows)/d.Seconds()
	}
	s.mu.Lock()
	s.stats.Steps++
	s.stats.Rows += int64(rows)
	s.mu.Unlock()
}

// publish brings the counters up to date and then tells the owners of tasks that are
// over: who sees a result sees the state after it.
func (s *scheduler) publish() {
	s.count()
	for _, o := range s.over {
		o.task.finish(o.err)
	}
	clear(s.over)
	s.over = s.over[:0]
}

func (s *scheduler) count() {
	cached, shared := s.tree.evictable(), s.sharedBlocks()
	bytes := func(blocks int) int64 { return int64(blocks) * int64(s.pool.block) }
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.stats
	st.KV = KVStats{Used: bytes(s.pool.used() - cached), Shared: bytes(shared), Cached: bytes(cached), Free: bytes(s.pool.available())}
	st.PrefixNodes, st.Active, st.Waiting = s.tree.nodes, len(s.active), len(s.waiting)
}

// sharedBlocks returns how many blocks two or more active sequences hold.
func (s *scheduler) sharedBlocks() int {
	n := 0
	for i, a := range s.active {
		for k, p := range a.seq.pages {
			holds := func(b *task) bool { return k < len(b.seq.pages) && b.seq.pages[k] == p }
			if !slices.ContainsFunc(s.active[:i], holds) && slices.ContainsFunc(s.active[i+1:], holds) {
				n += len(p.blocks)
			}
		}
	}
	return n
}

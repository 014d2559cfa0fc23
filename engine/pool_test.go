package engine

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every piece runs once, whoever rests; a worker that was late rests, and is back when
// it kept up.
func TestPoolRests(t *testing.T) {
	p := newPool(3)
	defer p.close()
	p.short = true
	var stop atomic.Bool
	run := func() (workers [3]int64) {
		var count [64]atomic.Int64
		var by [3]atomic.Int64
		p.run(len(count), func(piece, worker int) {
			count[piece].Add(1)
			by[worker].Add(1)
			if worker == 2 && stop.Load() {
				time.Sleep(10 * time.Millisecond)
			}
			for began := time.Now(); time.Since(began) < 20*time.Microsecond; {
			}
		})
		for i := range count {
			require.EqualValues(t, 1, count[i].Load(), "piece %d", i)
		}
		for i := range by {
			workers[i] = by[i].Load()
		}
		return workers
	}
	stop.Store(true)
	for tries := 0; !p.workers[1].rest.on; tries++ {
		require.Less(t, tries, 1000, "worker 2 is never found late")
		run()
	}
	first := p.workers[1].rest.length
	for p.workers[1].rest.on {
		by := run()
		require.True(t, by[2] == 0 || !p.workers[1].rest.on || p.workers[1].rest.length > first, "it worked while it rested")
	}
	stop.Store(false)
	p.workers[1].rest.until = time.Now().Add(-time.Hour)
	p.workers[0].rest.until = time.Now().Add(-time.Hour)
	require.Eventually(t, func() bool { return run()[2] > 0 }, 10*time.Second, time.Millisecond)
	p.short = false
	p.workers[1].rest.late(time.Now(), time.Second)
	require.True(t, p.workers[1].rest.on)
	require.Eventually(t, func() bool { return run()[2] > 0 }, 10*time.Second, time.Millisecond, "long pieces are for everybody")
}

// A worker rests longer each time that it was late soon after, up to a limit, and not
// when it kept up for as long as it had rested.
func TestRestsGrow(t *testing.T) {
	var r rest
	now := time.Now()
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 32} {
		r.late(now, time.Second)
		require.True(t, r.on)
		require.Equal(t, want*restFirst, r.length)
		require.Equal(t, now.Add(r.length), r.until)
		now = r.until.Add(r.length / 2)
	}
	r.late(r.until.Add(2*r.length), time.Second)
	require.Equal(t, restFirst, r.length)
}

// Single stops of a few milliseconds, as a host makes them, are no reason to rest; half of
// the time lost is.
func TestRestNeedsMuchLost(t *testing.T) {
	var seldom, often rest
	now := time.Now()
	for range 100 {
		now = now.Add(50 * time.Millisecond)
		seldom.late(now, 3*time.Millisecond)
		require.False(t, seldom.on)
	}
	for i := 0; !often.on; i++ {
		require.Less(t, i, 30)
		now = now.Add(8 * time.Millisecond)
		often.late(now, 4*time.Millisecond)
	}
	require.Equal(t, restFirst, often.length)
	often.on = false
	now = often.until.Add(10 * time.Millisecond)
	often.late(now, 14*time.Millisecond)
	require.True(t, often.on)
	require.Equal(t, 2*restFirst, often.length, "again soon: longer")
}

// BenchmarkPool is the cost of an empty parallel loop of 16 pieces on two workers.
func BenchmarkPool(b *testing.B) {
	p := newPool(2)
	defer p.close()
	for b.Loop() {
		p.run(16, func(int, int) {})
	}
}

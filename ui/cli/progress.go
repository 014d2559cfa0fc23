package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Where there is no terminal to draw a bar on, a line is printed when the work has
// taken firstLine, and then no sooner than lineEvery after the one before.
const (
	firstLine = 2 * time.Second
	lineEvery = 5 * time.Second
)

// progress shows how far a counted piece of work is: a bar on a terminal, plain
// lines elsewhere.
type progress struct {
	label      string
	total, now int64
	bytes      bool
	bar        *mpb.Bar
	container  *mpb.Progress
	a          *app
	next       time.Time // of the next line
	said       bool      // a line was printed, and none since the count last changed
	lines      bool      // a line was printed
	started    time.Time
}

// newProgress starts showing; done must be called.
func (a *app) newProgress(key string, total int) *progress {
	return a.startProgress(a.say(key), int64(total), false)
}

func (a *app) newByteProgress(key string, total int64) *progress {
	return a.startProgress(a.say(key), total, true)
}

func (a *app) startProgress(label string, total int64, bytes bool) *progress {
	p := &progress{label: label, total: max(total, 1), bytes: bytes, a: a, started: time.Now(), next: time.Now().Add(firstLine)}
	if f, ok := a.err.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		p.container = mpb.New(mpb.WithOutput(f), mpb.WithRefreshRate(120*time.Millisecond))
		count := decor.CountersNoUnit("%d/%d", decor.WCSyncSpace)
		if bytes {
			count = decor.CountersKibiByte("% .1f/% .1f", decor.WCSyncSpace)
		}
		left := decor.Any(func(s decor.Statistics) string { return p.left(s.Current, s.Total) })
		p.bar = p.container.AddBar(p.total,
			mpb.PrependDecorators(decor.Name(label, decor.WCSyncSpaceR)),
			mpb.AppendDecorators(count, decor.Elapsed(decor.ET_STYLE_MMSS, decor.WCSyncSpace), left),
			mpb.BarRemoveOnComplete())
		a.above = p.container
	}
	return p
}

func (p *progress) add(n int64) { p.set(p.now + n) }

func (p *progress) set(n int64) {
	if n = min(n, p.total); n != p.now {
		p.said = false
	}
	p.now = n
	if p.bar != nil {
		p.bar.SetCurrent(p.now)
		return
	}
	if now := time.Now(); now.After(p.next) {
		p.next = now.Add(lineEvery)
		p.line()
	}
}

// grow raises the total, as when more work becomes known.
func (p *progress) grow(total int64) {
	if total <= p.total {
		return
	}
	p.total = total
	if p.bar != nil {
		p.bar.SetTotal(total, false)
	}
}

func (p *progress) line() {
	p.said, p.lines = true, true
	if p.bytes {
		p.a.errLine(fmt.Sprintf("%s %d/%d MiB", p.label, p.now>>20, p.total>>20) + p.left(p.now, p.total))
		return
	}
	p.a.errLine(fmt.Sprintf("%s %d/%d", p.label, p.now, p.total) + p.left(p.now, p.total))
}

// estimateAfter is how long the work must have gone on before it says anything
// about how long the rest takes.
const estimateAfter = 20 * time.Second

// left says about how long the rest will take, "" while that cannot be known. Only
// bytes are alike: one pass of a job takes ten times as long as another.
func (p *progress) left(now, total int64) string {
	took := time.Since(p.started)
	if !p.bytes || took < estimateAfter || now <= 0 || now >= total {
		return ""
	}
	rest := time.Duration(float64(took) / float64(now) * float64(total-now))
	if rest < time.Minute {
		return p.a.say("seconds_left", int(rest.Seconds()/10)*10+10)
	}
	return p.a.say("minutes_left", int(rest.Minutes()+0.5))
}

// done removes the bar or, where lines were printed, prints a last one when all is done.
// It may be called more than once.
func (p *progress) done() {
	if p.lines && !p.said && p.now == p.total {
		p.line()
	}
	if p.bar != nil {
		p.bar.Abort(true)
		p.container.Wait()
		p.bar = nil
		p.a.above = nil
	}
}

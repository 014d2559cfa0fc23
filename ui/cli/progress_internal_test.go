package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"windowseat/assistant"
)

// TestPlainProgress: where there is no terminal, work that is soon done prints
// nothing, and long work one line every few seconds.
func TestPlainProgress(t *testing.T) {
	var out bytes.Buffer
	a := &app{err: &out, lang: "en"}
	bar := &lazyBar{a: a, key: "loading"}
	for i := range int64(1000) {
		bar.set(i<<20, 1000<<20)
	}
	assert.Empty(t, out.String())
	for range 3 {
		bar.p.next = time.Now().Add(-time.Nanosecond) // as after some seconds
		for range 100 {
			bar.set(500<<20, 1000<<20)
		}
	}
	bar.done()
	bar.done()
	assert.Equal(t, strings.Repeat("loading the model 500/1000 MiB\n", 3), out.String())
}

// TestProgressEndsWhole: lines that were begun end with the whole, once, and work that was
// broken off does not.
func TestProgressEndsWhole(t *testing.T) {
	for _, last := range []int64{9, 10} {
		var out bytes.Buffer
		p := (&app{err: &out, lang: "en"}).newProgress("measuring", 10)
		p.next = time.Now().Add(-time.Nanosecond)
		p.set(5)
		p.set(last)
		p.done()
		p.done()
		want := "measuring 5/10\n"
		if last == 10 {
			want += "measuring 10/10\n"
		}
		assert.Equal(t, want, out.String())
	}
}

func TestSinkTellsANoteOnceAndCounts(t *testing.T) {
	var out bytes.Buffer
	s := (&app{err: &out, lang: "en"}).newSink()
	for range 40 {
		s.event(noted("length_stop"))
	}
	s.event(noted("no_date"))
	s.done()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.Len(t, lines, 3)
	assert.Contains(t, lines[2], "(×40)")
}

func noted(code string) assistant.Event { return assistant.Noted{Note: assistant.Note{Code: code}} }

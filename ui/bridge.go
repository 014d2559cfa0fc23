package ui

import (
	"sync"

	"fyne.io/fyne/v2"
)

// bridge runs a function on the UI thread, later. It is called from other
// goroutines and does not wait. Tests use a queue that they empty themselves.
type bridge func(func())

// toUI is the bridge of a running program.
func toUI(f func()) { fyne.Do(f) }

// feed carries the events of a job to the UI thread in batches: however quickly
// they come, at most one delivery is under way, so the queue cannot fill up.
type feed struct {
	do      bridge
	deliver func([]Event) // on the UI thread

	mu      sync.Mutex
	pending []Event
	queued  bool
}

// add takes one event, from any goroutine.
func (f *feed) add(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = append(f.pending, e)
	if f.queued {
		return
	}
	f.queued = true
	f.do(f.flush)
}

// flush delivers what has gathered. It runs on the UI thread.
func (f *feed) flush() {
	f.mu.Lock()
	events := f.pending
	f.pending, f.queued = nil, false
	f.mu.Unlock()
	if len(events) > 0 {
		f.deliver(events)
	}
}

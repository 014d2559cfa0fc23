package assistant

// Event is a step of a job, for a display: one of Planned, PassStarted,
// PassDone, Streamed, Covered, Found, Noted.
type Event interface{ event() }

// Sink receives the events of a job, one at a time and in order; it may be nil.
// It runs on the job's goroutines and should return soon.
type Sink func(Event)

// Planned says how many model passes the job is known to need now. It comes again
// when more become known; Total never shrinks.
type Planned struct{ Total int }

// PassStarted says that a pass over a part of a source begins. Part counts from 1,
// Parts is the number of this task's passes over this stage.
type PassStarted struct {
	Task        Task
	Part, Parts int
}

// PassDone says that a pass ended, well or not; Done of Total passes are over.
type PassDone struct {
	Task        Task
	Done, Total int
}

// Streamed is a piece of an answer as it is decoded. It is raw text of the model
// (JSON) and not yet checked.
type Streamed struct {
	Task Task
	Text string
}

// Found is an item as it stands now; merging may still change it.
type Found struct {
	Task Task
	Item Item
}

// Covered says how much of a source has been read.
type Covered struct{ Source, PartsRead, PartsTotal int }

// Noted is something to tell, as a code.
type Noted struct{ Note Note }

func (Planned) event()     {}
func (PassStarted) event() {}
func (PassDone) event()    {}
func (Streamed) event()    {}
func (Found) event()       {}
func (Covered) event()     {}
func (Noted) event()       {}

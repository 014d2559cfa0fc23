package assistant

// Reasons why an item stays unconfirmed (Item.Reason). An item may fail more than
// one check; the first in this order is given.
const (
	ReasonNotSupported = "not_supported" // its words do not stand in the evidence
	ReasonNoEvidence   = "no_evidence"   // no sentence of the sources carries it
	ReasonDue          = "due_ambiguous" // a deadline is named, but not which day it means
	ReasonFileDate     = "file_date"     // the deadline is counted from the file's time: no text gives the meeting's date
	ReasonConflict     = "conflict"      // the sources contradict each other and do not say which holds
	ReasonVerbatim     = "verbatim"      // the model spoke of something else: the sentence itself is given
	ReasonOwner        = "owner_unproven"
	ReasonLanguage     = "language"      // still in the wrong language after one retry
	ReasonFacts        = "changed_facts" // numbers, dates or names differ from the source
	ReasonStopped      = "stopped"       // the answer was cut off even after retries
	ReasonPartial      = "partial"       // made from a part of the sources only
)

// Codes of notes and of Source.LeftOut.
const (
	NoteCancelled  = "cancelled"   // the user stopped the job
	NoteLength     = "length_stop" // an answer did not fit and was asked again in smaller pieces
	NoteLoop       = "loop_stop"   // an answer repeated itself and was asked again with a penalty
	NoteUnreadable = "bad_answer"  // an answer did not have the form asked for
	NoteFailed     = "model_error" // the model failed on a pass
	NoteLanguage   = "language"    // an answer in the wrong language was asked again
	NoteNoDate     = "no_date"     // no meeting date: deadlines stay words
	NoteUnread     = "unread"      // a file could not be read; the argument "reason" says why
	NoteNoText     = "no_text"     // a source holds no text
)

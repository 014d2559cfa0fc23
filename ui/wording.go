package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"windowseat/assistant"
	"windowseat/assistant/export"
	"windowseat/document"
	"windowseat/engine/models"
)

// note puts a note of a reader or of the assistant into words. A code that this
// table does not know is shown with its arguments rather than hidden.
func (w *words) note(code string, args map[string]string) string {
	pairs := make([]any, 0, 2*len(args))
	for k, v := range args {
		pairs = append(pairs, k, v)
	}
	if key := "note." + code; w.has(key) {
		return w.t(key, pairs...)
	}
	var rest []string
	for _, k := range sortedKeys(args) {
		rest = append(rest, k+" "+args[k])
	}
	return w.t("note.other", "code", code, "args", strings.Join(rest, ", "))
}

// reason puts the reason of an unconfirmed item into words.
func (w *words) reason(code string) string {
	if key := "reason." + code; w.has(key) {
		return w.t(key)
	}
	return w.t("reason.other", "code", code)
}

// kind names the format of a document.
func (w *words) kind(kind string) string {
	if key := "kind." + kind; w.has(key) {
		return w.t(key)
	}
	return kind
}

// task names a task.
func (w *words) task(t assistant.Task) string { return w.t("task." + string(t)) }

// failure says what went wrong with a file and what to do about it.
func (w *words) failure(err error) string {
	var (
		unsupported *document.UnsupportedError
		limit       *document.LimitError
		format      *document.FormatError
		encoding    *document.EncodingError
	)
	switch {
	case errors.Is(err, document.ErrEmpty):
		return w.t("failure.empty")
	case errors.Is(err, fs.ErrNotExist):
		return w.t("failure.missing")
	case errors.Is(err, fs.ErrPermission):
		return w.t("failure.permission")
	case errors.Is(err, errNoList):
		return w.t("failure.folder")
	case errors.As(err, &unsupported):
		return w.unsupported(unsupported)
	case errors.As(err, &limit) && limit.What == "bytes":
		return w.t("failure.too_large", "mb", limit.Limit>>20)
	case errors.As(err, &format):
		return w.t("failure.format", "kind", w.kind(format.Kind), "line", format.Line)
	case errors.As(err, &encoding):
		return w.t("failure.encoding")
	}
	return w.t("failure.other", "error", err)
}

func (w *words) unsupported(e *document.UnsupportedError) string {
	what := e.What
	if what == "binary" {
		what = w.t("failure.binary")
	}
	advice := "advice." + e.Advice
	if !w.has(advice) {
		advice = "advice.pick_other"
	}
	return w.t("failure.unsupported", "what", what) + " " + w.t(advice)
}

// jobFailure says why a job failed and what to do.
func (w *words) jobFailure(err error) string {
	var damaged *models.DamagedError
	switch {
	case errors.Is(err, ErrNoModel):
		return w.t("job.no_model")
	case errors.Is(err, ErrNoMemory), errors.Is(err, assistant.ErrNoMemory):
		return w.t("job.no_memory")
	case errors.Is(err, assistant.ErrBadModel), errors.As(err, &damaged):
		return w.t("job.damaged_model")
	case errors.Is(err, context.Canceled):
		return w.t("job.stopped")
	}
	return w.t("job.failed", "error", err)
}

func (w *words) owner(f assistant.TodoFields) string {
	if f.Owner == nil {
		return w.t("todo.no_owner")
	}
	return w.t("todo.owner", "name", *f.Owner)
}

// due is the date with the words that it was computed from.
func (w *words) due(f assistant.TodoFields) string {
	switch {
	case f.DueDate != nil && f.DueWords != nil && *f.DueWords != *f.DueDate:
		return w.t("todo.due_both", "date", *f.DueDate, "words", *f.DueWords)
	case f.DueDate != nil:
		return w.t("todo.due", "date", *f.DueDate)
	case f.DueWords != nil:
		return w.t("todo.due", "date", *f.DueWords)
	}
	return w.t("todo.no_due")
}

// changes says in one line each what a draft added, lost and left untranslated.
func (w *words) changes(facts []assistant.ChangedFact) []string {
	var lines []string
	for _, c := range export.Changes(facts) {
		var all []string
		for _, f := range c.Facts {
			s := f.Draft
			if c.Way != export.Untranslated {
				s = w.t("email.fact", "fact", f.Draft, "kind", w.t("fact."+f.Kind))
			}
			if f.Times > 1 {
				s = w.t("email.times", "fact", s, "n", f.Times)
			}
			all = append(all, s)
		}
		lines = append(lines, w.t("email."+c.Way, "facts", strings.Join(all, w.t("email.comma"))))
	}
	return lines
}

func (w *words) meetingDate(d *assistant.RunDocument) string {
	return w.t("coverage.date", "date", d.MeetingDate, "from", w.t("date_from."+d.MeetingDateFrom))
}

// coverage says how much of a source was read and what was left out.
func (w *words) coverage(s assistant.Source) []string {
	lines := []string{w.t("coverage.line", "file", s.File, "read", s.PartsRead, "total", s.PartsTotal, "chars", count(s.Chars))}
	for _, l := range export.LeftOut(s.LeftOut) {
		what := l.Code
		if l.Parts != "" {
			what = w.t("coverage.parts", "parts", l.Parts, "reason", w.left(l.Code))
		}
		lines = append(lines, w.t("coverage.left_out", "what", what))
	}
	return lines
}

// left says why parts were left out.
func (w *words) left(code string) string {
	if key := "left." + code; w.has(key) {
		return w.t(key)
	}
	return w.note(code, nil)
}

// place says where a quote stands: file, then page, line, time and speaker as far as
// they are known. The file is left out when there is only one.
func (w *words) place(e assistant.Evidence, file string) string {
	var parts []string
	if file != "" {
		parts = append(parts, file)
	}
	if e.Page > 0 {
		parts = append(parts, w.t("place.page", "n", e.Page))
	}
	if e.TimeStart != nil {
		parts = append(parts, clockTime(time.Duration(*e.TimeStart*float64(time.Second))))
	}
	if e.Line > 0 {
		parts = append(parts, w.t("place.line", "n", e.Line))
	}
	if e.Speaker != "" {
		parts = append(parts, e.Speaker)
	}
	return strings.Join(parts, " · ")
}

// clockTime writes a place in a recording as 1:02:03 or 2:03.
func clockTime(d time.Duration) string {
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// count writes a number with separators: 20,480.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size writes bytes as MB or GB (10^6, 10^9), as download pages do.
func size(n int64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	}
	return fmt.Sprintf("%.0f MB", float64(n)/1e6)
}

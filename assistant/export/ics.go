package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"windowseat/assistant"
)

// ICS renders the todos as a calendar: a VTODO for each and, since Outlook and Google
// Calendar ignore those, an event of the whole day beside each that has a date. The
// owner is told in the description and is no attendee, as no address is known. stamp
// says when the calendar was made. It returns nil without todos, since a calendar
// must hold something.
//
// The UID of an entry depends on the source's hash, the action, the owner and the
// quotes, and not on the date: importing the calendar of a later run corrects the
// date of an entry instead of adding a second one.
//
// Source: RFC 5545.
func ICS(d *assistant.RunDocument, o Options, stamp time.Time) ([]byte, error) {
	say := wordsOf(o.Lang)
	cal := ics.NewCalendar()
	cal.SetProductId("-//Windowseat//Windowseat//" + strings.ToUpper(docxLang(o.Lang)[:2]))
	seen := map[string]int{}
	for _, it := range d.Todos {
		f, ok := it.Fields.(assistant.TodoFields)
		if !ok {
			continue
		}
		id := todoIdentity(it, f, d.Sources)
		seen[id]++
		e := entry{it: it, f: f, id: fmt.Sprintf("%s/%d", id, seen[id]), stamp: stamp, say: say}
		e.describe(d)
		e.todo(cal.AddTodo(uid("todo", e.id)))
		if !e.day.IsZero() {
			e.event(cal.AddEvent(uid("event", e.id)))
		}
	}
	if len(cal.Components) == 0 {
		return nil, nil
	}
	return []byte(cal.Serialize(ics.WithNewLineWindows)), nil
}

// todoIdentity is what stays the same of a todo from run to run.
func todoIdentity(it assistant.Item, f assistant.TodoFields, sources []assistant.Source) string {
	parts := []string{f.Action, "", ""}
	if f.Owner != nil {
		parts[1] = *f.Owner
	}
	for _, e := range it.Evidence {
		if e.Source >= 0 && e.Source < len(sources) {
			parts = append(parts, sources[e.Source].SHA256)
		}
		parts = append(parts, fmt.Sprint(e.Block), e.Quote)
	}
	return strings.Join(parts, "\x00")
}

// uid is a UUID of version 8 (RFC 9562, 5.8): a hash, and no host name.
func uid(kind, id string) string {
	h := sha256.Sum256([]byte(kind + "\x00" + id))
	h[6] = h[6]&0x0f | 0x80
	h[8] = h[8]&0x3f | 0x80
	s := hex.EncodeToString(h[:16])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// entry is a todo on its way into the calendar.
type entry struct {
	it    assistant.Item
	f     assistant.TodoFields
	id    string
	stamp time.Time
	say   func(key string) string

	day                  time.Time // the deadline; zero without a date
	summary, description string
}

func (e *entry) describe(d *assistant.RunDocument) {
	e.summary = oneLine(e.f.Action)
	owner := e.say("unassigned")
	if e.f.Owner != nil {
		owner = oneLine(*e.f.Owner)
	}
	lines := []string{e.say("owner") + ": " + owner}
	due := ""
	if e.f.DueDate != nil {
		due = oneLine(*e.f.DueDate)
		e.day, _ = time.Parse(time.DateOnly, due) // what is no date is told in the description alone
	}
	if e.f.DueWords != nil {
		due = strings.TrimSpace(due + " (" + oneLine(*e.f.DueWords) + ")")
	}
	if due != "" {
		lines = append(lines, e.say("due")+": "+due)
	}
	if m := markOf(e.it, e.say); m != "" {
		e.summary = fmt.Sprintf("[%s] %s", e.say("unconfirmed"), e.summary)
		lines = append(lines, m)
	}
	for _, q := range quotesOf(e.it, d.Sources, e.say) {
		lines = append(lines, "“"+q.text+"” — "+q.place)
	}
	e.description = strings.Join(lines, "\n")
}

func (e *entry) todo(t *ics.VTodo) {
	t.SetDtStampTime(e.stamp)
	t.SetSummary(e.summary)
	t.SetDescription(e.description)
	t.SetStatus(ics.ObjectStatusNeedsAction)
	if !e.day.IsZero() {
		t.SetAllDayDueAt(e.day)
	}
}

func (e *entry) event(v *ics.VEvent) {
	v.SetDtStampTime(e.stamp)
	v.SetSummary(e.summary)
	v.SetDescription(e.description)
	v.SetStatus(ics.ObjectStatusConfirmed)
	if e.it.State == assistant.StateUnconfirmed {
		v.SetStatus(ics.ObjectStatusTentative)
	}
	v.SetAllDayStartAt(e.day)
	v.SetAllDayEndAt(e.day.AddDate(0, 0, 1)) // exclusive
	v.SetTimeTransparency(ics.TransparencyTransparent)
}

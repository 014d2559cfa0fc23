package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"windowseat/assistant"
)

// Comparison says how the results of two finished jobs differ, seen from A to B.
type Comparison struct {
	A        string       `json:"a"`
	B        string       `json:"b"`
	Settings []Difference `json:"settings"`
	Items    []Change     `json:"items"`
	Same     int          `json:"same"` // items that both have, word for word
}

// Difference is a setting, or a field of an item, that is not the same.
type Difference struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Kinds of a Change.
const (
	ChangeNew     = "new"     // only B has the item
	ChangeGone    = "gone"    // only A has it
	ChangeChanged = "changed" // both have it, from the same place, with other contents
)

// Change is one item that is not in both results alike.
type Change struct {
	Task   assistant.Task  `json:"task"`
	Kind   string          `json:"change"`
	A      *assistant.Item `json:"a"`      // nil when new
	B      *assistant.Item `json:"b"`      // nil when gone
	Fields []Difference    `json:"fields"` // of a changed item, as JSON
}

// Compare compares two finished jobs; it returns ErrUnfinished for others. Items are
// the same when they rest on the same words; their numbers do not count.
func (s *Store) Compare(a, b Entry) (*Comparison, error) {
	ra, err := s.Result(a)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, a.ID)
	}
	rb, err := s.Result(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, b.ID)
	}
	c := &Comparison{A: a.ID, B: b.ID, Settings: differences(settings(a, ra), settings(b, rb)), Items: []Change{}}
	ia, ib := itemsByTask(ra), itemsByTask(rb)
	for _, task := range assistant.AllTasks() {
		c.compareTask(task, views(ra, ia[task]), views(rb, ib[task]))
	}
	return c, nil
}

func itemsByTask(d *assistant.RunDocument) map[assistant.Task][]assistant.Item {
	return map[assistant.Task][]assistant.Item{
		assistant.TaskSummary: d.Summary, assistant.TaskDecisions: d.Decisions, assistant.TaskTodos: d.Todos,
		assistant.TaskRisks: d.Risks, assistant.TaskEmail: d.Email,
	}
}

// Setting is something that a job was asked for or done with. Name is a key of
// job.json or, in a comparison, "resolved_meeting_date": the day that the result went by.
type Setting struct{ Name, Value string }

// Settings lists the settings for people to read.
func (r *Record) Settings() []Setting {
	var tasks, files []string
	for _, t := range r.Tasks {
		tasks = append(tasks, string(t))
	}
	for _, s := range r.Sources {
		files = append(files, fmt.Sprintf("%s (%.8s)", s.File, s.SHA256))
	}
	return []Setting{
		{"program", r.Program},
		{"model", fmt.Sprintf("%s (%.8s)", r.Model.Name, r.Model.SHA256)},
		{"numerics", r.Numerics},
		{"context_tokens", fmt.Sprint(r.ContextTokens)},
		{"prompt_version", r.PromptVersion},
		{"sources", strings.Join(files, ", ")},
		{"tasks", strings.Join(tasks, ", ")},
		{"language", r.Language},
		{"email_language", r.EmailLanguage},
		{"meeting_date", r.MeetingDate},
		{"tone", r.Tone},
		{"seed", fmt.Sprint(r.Seed)},
	}
}

func settings(e Entry, d *assistant.RunDocument) []Setting {
	return append(e.Record.Settings(), Setting{"resolved_meeting_date", d.MeetingDate})
}

func differences(a, b []Setting) []Difference {
	list := []Difference{}
	for i := range a {
		if a[i].Value != b[i].Value {
			list = append(list, Difference{a[i].Name, a[i].Value, b[i].Value})
		}
	}
	return list
}

// view is an item as it is compared.
type view struct {
	item   *assistant.Item
	fields map[string]json.RawMessage // with state, reason and the quotes
	places []place
	used   bool
}

// place is where a quote stands.
type place struct {
	file       string
	block      int
	start, end int
	quote      string
}

func views(d *assistant.RunDocument, items []assistant.Item) []*view {
	texts := map[string]string{} // of decisions, which others name by id
	for _, it := range d.Decisions {
		if f, ok := it.Fields.(assistant.DecisionFields); ok {
			texts[it.ID] = f.Text
		}
	}
	out := make([]*view, len(items))
	for i := range items {
		it := items[i]
		v := &view{item: &items[i]}
		if f, ok := it.Fields.(assistant.DecisionFields); ok && f.Replaces != nil {
			text := texts[*f.Replaces]
			f.Replaces = &text
			it.Fields = f
		}
		_ = json.Unmarshal(plainJSON(it.Fields), &v.fields)
		var quotes []string
		for _, e := range it.Evidence {
			p := place{block: e.Block, start: e.Start, end: e.End, quote: e.Quote}
			if e.Source >= 0 && e.Source < len(d.Sources) {
				p.file = d.Sources[e.Source].File
			}
			v.places = append(v.places, p)
			quotes = append(quotes, e.Quote)
		}
		for name, value := range map[string]any{"state": it.State, "reason": it.Reason, "evidence": quotes} {
			v.fields[name] = plainJSON(value)
		}
		out[i] = v
	}
	return out
}

// plainJSON leaves < and > as they are; fields of items always marshal.
func plainJSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSpace(b.Bytes())
}

// likenesses say when two items are the same one, the surest sign first.
var likenesses = []func(a, b *view) bool{
	func(a, b *view) bool { return len(changed(a, b)) == 0 },
	func(a, b *view) bool { return slices.Equal(a.places, b.places) && len(a.places) > 0 },
	func(a, b *view) bool { return anyPlace(a, b, func(p, q place) bool { return p.quote == q.quote }) },
	func(a, b *view) bool {
		return anyPlace(a, b, func(p, q place) bool {
			return p.file == q.file && p.block == q.block && p.start < q.end && q.start < p.end
		})
	},
}

func anyPlace(a, b *view, same func(p, q place) bool) bool {
	return slices.ContainsFunc(a.places, func(p place) bool {
		return slices.ContainsFunc(b.places, func(q place) bool { return same(p, q) })
	})
}

// changed lists what differs in two items, in order of name.
func changed(a, b *view) []Difference {
	names := maps.Clone(a.fields)
	maps.Copy(names, b.fields)
	list := []Difference{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(a.fields[name], b.fields[name]) {
			list = append(list, Difference{name, string(a.fields[name]), string(b.fields[name])})
		}
	}
	return list
}

// compareTask pairs the items of one task and notes what is not alike.
func (c *Comparison) compareTask(task assistant.Task, a, b []*view) {
	pairs := pair(a, b)
	if len(a) == 1 && len(b) == 1 && (task == assistant.TaskSummary || task == assistant.TaskEmail) {
		pairs, b[0].used = map[*view]*view{a[0]: b[0]}, true // there is never more than one
	}
	for _, v := range a {
		w, ok := pairs[v]
		if !ok {
			c.Items = append(c.Items, Change{Task: task, Kind: ChangeGone, A: v.item, Fields: []Difference{}})
			continue
		}
		if fields := changed(v, w); len(fields) > 0 {
			c.Items = append(c.Items, Change{Task: task, Kind: ChangeChanged, A: v.item, B: w.item, Fields: fields})
		} else {
			c.Same++
		}
	}
	for _, w := range b {
		if !w.used {
			c.Items = append(c.Items, Change{Task: task, Kind: ChangeNew, B: w.item, Fields: []Difference{}})
		}
	}
}

func pair(a, b []*view) map[*view]*view {
	pairs := map[*view]*view{}
	for _, alike := range likenesses {
		for _, v := range a {
			if pairs[v] != nil {
				continue
			}
			for _, w := range b {
				if !w.used && alike(v, w) {
					pairs[v], w.used = w, true
					break
				}
			}
		}
	}
	return pairs
}

package journal

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

func evidence(block, start int, quote string) []assistant.Evidence {
	return []assistant.Evidence{{Block: block, Start: start, End: start + len(quote), Quote: quote}}
}

func ptr(s string) *string { return &s }

// record puts a result on record as a finished job.
func record(t *testing.T, s *Store, spec assistant.Job, d *assistant.RunDocument) Entry {
	t.Helper()
	g := newScript()
	j := begin(t, s, spec, g)
	require.NoError(t, j.Finish(d))
	e, err := s.Find(j.ID())
	require.NoError(t, err)
	return e
}

func TestCompare(t *testing.T) {
	s := Open(t.TempDir())
	header := assistant.Header{Version: 1, MeetingDate: "2026-05-13", Sources: []assistant.Source{{File: "例会.txt"}}}
	a := &assistant.RunDocument{
		Header: header,
		Decisions: []assistant.Item{
			{ID: "d1", State: assistant.StateChecked, Evidence: evidence(1, 0, "one"), Fields: assistant.DecisionFields{Text: "one"}},
			{ID: "d2", State: assistant.StateChecked, Evidence: evidence(2, 0, "two"), Fields: assistant.DecisionFields{Text: "two", Replaces: ptr("d1")}},
		},
		Todos: []assistant.Item{
			{ID: "t1", State: assistant.StateChecked, Evidence: evidence(3, 0, "I call"), Fields: assistant.TodoFields{Action: "call"}},
			{ID: "t2", State: assistant.StateChecked, Evidence: evidence(4, 0, "I write <now>"), Fields: assistant.TodoFields{Action: "write", Owner: ptr("张伟")}},
		},
	}
	b := &assistant.RunDocument{
		Header: header,
		Decisions: []assistant.Item{
			{ID: "d1", State: assistant.StateChecked, Evidence: evidence(0, 0, "zero"), Fields: assistant.DecisionFields{Text: "zero"}},
			{ID: "d2", State: assistant.StateChecked, Evidence: evidence(1, 0, "one"), Fields: assistant.DecisionFields{Text: "one"}},
			{ID: "d3", State: assistant.StateChecked, Evidence: evidence(2, 0, "two"), Fields: assistant.DecisionFields{Text: "two", Replaces: ptr("d2")}},
		},
		Todos: []assistant.Item{
			{ID: "t1", State: assistant.StateUnconfirmed, Reason: "owner", Evidence: evidence(4, 2, "write"), Fields: assistant.TodoFields{Action: "write <it>"}},
		},
	}
	spec := meeting()
	ea := record(t, s, spec, a)
	spec.Seed = 2
	eb := record(t, s, spec, b)

	c, err := s.Compare(ea, ea)
	require.NoError(t, err)
	assert.Empty(t, c.Items)
	assert.Empty(t, c.Settings)
	assert.Equal(t, 4, c.Same)

	c, err = s.Compare(ea, eb)
	require.NoError(t, err)
	assert.Equal(t, []Difference{{"seed", "1", "2"}}, c.Settings)
	assert.Equal(t, 2, c.Same, "a decision keeps its place, whatever its number, and what it replaces")
	var got []string
	for _, ch := range c.Items {
		id := ""
		for _, it := range []*assistant.Item{ch.A, ch.B} {
			if it != nil {
				id += it.ID
			}
		}
		got = append(got, string(ch.Task)+" "+ch.Kind+" "+id)
	}
	assert.Equal(t, []string{"decisions new d1", "todos gone t1", "todos changed t2t1"}, got)
	changed := map[string][2]string{}
	for _, f := range c.Items[2].Fields {
		changed[f.Name] = [2]string{f.A, f.B}
	}
	assert.Equal(t, map[string][2]string{
		"action": {`"write"`, `"write <it>"`}, "owner": {`"张伟"`, "null"}, "state": {`"checked"`, `"unconfirmed"`},
		"reason": {`""`, `"owner"`}, "evidence": {`["I write <now>"]`, `["write"]`},
	}, changed)

	eb.Record.Finished = nil
	_, err = s.Compare(ea, eb)
	require.ErrorIs(t, err, ErrUnfinished)
}

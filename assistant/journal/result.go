package journal

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"windowseat/assistant"
)

// Result reads the result of a finished job. It returns ErrUnfinished for another one.
func (s *Store) Result(e Entry) (*assistant.RunDocument, error) {
	if e.Damaged || e.Record.Finished == nil {
		return nil, ErrUnfinished
	}
	var raw rawRun
	if err := readJSON(filepath.Join(s.dir, e.ID, resultFile), &raw); err != nil {
		return nil, err
	}
	return raw.typed()
}

// rawRun is a run document whose items have not got the types of their tasks yet.
type rawRun struct {
	assistant.Header
	Summary   []rawItem `json:"summary"`
	Decisions []rawItem `json:"decisions"`
	Todos     []rawItem `json:"todos"`
	Risks     []rawItem `json:"risks"`
	Email     []rawItem `json:"email"`
}

type rawItem struct {
	ID       string               `json:"id"`
	Fields   json.RawMessage      `json:"fields"`
	Evidence []assistant.Evidence `json:"evidence"`
	State    assistant.State      `json:"state"`
	Reason   string               `json:"reason"`
}

func (r *rawRun) typed() (*assistant.RunDocument, error) {
	d := &assistant.RunDocument{Header: r.Header}
	var err error
	for _, fill := range []func() error{
		func() error { d.Summary, err = itemsOf[assistant.SummaryFields](r.Summary); return err },
		func() error { d.Decisions, err = itemsOf[assistant.DecisionFields](r.Decisions); return err },
		func() error { d.Todos, err = itemsOf[assistant.TodoFields](r.Todos); return err },
		func() error { d.Risks, err = itemsOf[assistant.RiskFields](r.Risks); return err },
		func() error { d.Email, err = itemsOf[assistant.EmailFields](r.Email); return err },
	} {
		if err := fill(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func itemsOf[F any](raw []rawItem) ([]assistant.Item, error) {
	items := []assistant.Item{}
	for _, r := range raw {
		var f F
		if err := json.Unmarshal(r.Fields, &f); err != nil {
			return nil, fmt.Errorf("journal: %s: item %s: %w", resultFile, r.ID, err)
		}
		items = append(items, assistant.Item{ID: r.ID, Fields: f, Evidence: r.Evidence, State: r.State, Reason: r.Reason})
	}
	return items, nil
}

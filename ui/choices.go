package ui

import (
	"time"

	"windowseat/assistant"
)

// choices are what the user has picked for the next job.
type choices struct {
	summary, todos, risks, email bool
	language                     string // of the output: "auto", "zh", "en"
	emailLanguage                string
	meetingDate                  string // as typed; "" means the document's own
	model                        string
}

// newChoices returns the picks of a fresh window: everything but the email. The email
// is written in English, the language that most users need help with.
func newChoices() choices {
	return choices{summary: true, todos: true, risks: true, email: true, language: "auto", emailLanguage: English}
}

// tasks returns the tasks picked, in the order in which they run.
func (c choices) tasks() []assistant.Task {
	var ts []assistant.Task
	if c.summary {
		ts = append(ts, assistant.TaskSummary, assistant.TaskDecisions)
	}
	if c.todos {
		ts = append(ts, assistant.TaskTodos)
	}
	if c.risks {
		ts = append(ts, assistant.TaskRisks)
	}
	if c.email {
		ts = append(ts, assistant.TaskEmail)
	}
	return ts
}

// dateValid reports whether the meeting date is empty or a day of the calendar.
func (c choices) dateValid() bool {
	if c.meetingDate == "" {
		return true
	}
	_, err := time.Parse(time.DateOnly, c.meetingDate)
	return err == nil
}

package assistant_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/prompts"
)

// A file that was saved weeks after its meeting: a date before the file's is still
// a deadline, in words, and nothing counted from the file's time is certain.
func TestDeadlinesOfAnUndatedMeeting(t *testing.T) {
	doc := meeting("2026-11-30", "Karl：I'll send the signed lease to the landlord by 23 October.", "Lena：I will print the leaflets by Friday.")
	doc.DateFrom = "file"
	gen := newScript(t, byRules(map[prompts.Kind][]rule{prompts.Todo: {
		{"signed lease", `{"has":true,"action":"send the signed lease to the landlord"}`},
		{"leaflets", `{"has":true,"action":"print the leaflets"}`},
	}}))
	env, err := assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(doc)}, assistant.TaskTodos, nil)
	require.NoError(t, err)
	require.Len(t, env.Items, 2)
	lease := env.Items[0].Fields.(assistant.TodoFields)
	assert.Equal(t, "by 23 October", *lease.DueWords)
	assert.Nil(t, lease.DueDate)
	for _, it := range env.Items {
		assert.Equal(t, assistant.ReasonFileDate, it.Reason)
	}
	doc.DateFrom = "text" // a meeting of that day: the date is past, and told of
	env, err = assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(doc)}, assistant.TaskTodos, nil)
	require.NoError(t, err)
	require.Len(t, env.Items, 1)
}

// The title of a worked example is not taken for one of the text, and the text is not
// cut off into one: the model is asked for another, which is checked in its turn.
func TestTopicTitleFromTheText(t *testing.T) {
	doc := meeting("2026-05-13", "Karl：The bridge is closed until the autumn, we take the ferry.")
	for answer, want := range map[string][]assistant.Topic{
		"Closed bridge":        {{Title: "Closed bridge", Time: "00:00:00", Text: "The bridge is closed until the autumn."}},
		"The bridge is closed": {},
		"Poster printing":      {},
	} {
		gen := newScript(t, byRules(map[prompts.Kind][]rule{
			prompts.Part:  {{"", `{"topics":[{"from":1,"title":"Poster printing","text":"The bridge is closed until the autumn."}],"question":null,"quote":1}`}},
			prompts.Title: {{"", fmt.Sprintf(`{"title":%q}`, answer)}},
		}))
		env, err := assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(doc)}, assistant.TaskSummary, nil)
		require.NoError(t, err)
		assert.Equal(t, want, env.Items[0].Fields.(assistant.SummaryFields).Topics, answer)
	}
}

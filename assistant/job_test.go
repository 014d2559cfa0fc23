package assistant_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/document"
	"windowseat/prompts"
)

func planning() *document.Document {
	return meeting("2026-05-13",
		"周明：今天先把展台的事情过一遍。",
		"周明：展台的搭建商谁来联系？",
		"许静：我来联系，周五之前把报价发给你。",
		"周明：好。",
		"许静：啊不对，周五我出差，改成下周一发给你。",
		"周明：那就这么定了，展台用三十六平米的，预算十二万。",
		"许静：我担心货运赶不上，如果六月一号之前不发货，展台就只能空着。",
		"周明：样品上周我已经寄了。",
		"许静：中午吃面还是吃饭？",
		"周明：面吧。",
	)
}

var planningRules = map[prompts.Kind][]rule{
	prompts.Todo: {
		{"我来联系", `{"has":true,"owner":"许静","due":"周五之前","action":"联系展台的搭建商并把报价发给周明"}`},
		{"改成下周一", `{"has":true,"owner":"许静","due":"下周一","action":"把搭建商的报价发给周明"}`},
	},
	prompts.Decision: {{"那就这么定了", `{"has":true,"text":"展台用三十六平米的，预算十二万"}`}},
	prompts.Risk:     {{"我担心货运", `{"has":true,"text":"货运可能赶不上","trigger":"六月一号之前不发货","consequence":"展台空着"}`}},
	prompts.Translate: {
		{"展台用三十六平米的", ""},
	},
}

func TestRunWholeJob(t *testing.T) {
	doc := planning()
	base := byRules(planningRules)
	gen := newScript(t, func(kind prompts.Kind, p assistant.Prompt, n int) (assistant.Answer, error) {
		if kind != prompts.Translate {
			return base(kind, p, n)
		}
		switch src := p.Part[0]; {
		case strings.Contains(src, "三十六"):
			return text(`{"text":"The stand has 36 square metres; the budget is 120,000."}`)
		default:
			return text(`{"text":"Contact the stand builder and send the quote to 周明"}`)
		}
	})
	gen.secret = "搭建商"
	var events []assistant.Event
	run, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(doc)}, func(e assistant.Event) { events = append(events, e) })
	require.NoError(t, err)
	requireQuotes(t, []*document.Document{doc}, run)

	require.Len(t, run.Todos, 1, "the correction joins the first promise")
	todo := run.Todos[0]
	f := todo.Fields.(assistant.TodoFields)
	assert.Equal(t, "许静", *f.Owner)
	assert.Equal(t, "2026-05-18", *f.DueDate, "the last stated day wins")
	assert.GreaterOrEqual(t, len(todo.Evidence), 2, "both quotes stay")
	assert.Equal(t, assistant.StateChecked, todo.State)

	require.Len(t, run.Decisions, 1)
	assert.Equal(t, "展台用三十六平米的，预算十二万", run.Decisions[0].Fields.(assistant.DecisionFields).Text)
	require.Len(t, run.Risks, 1)
	assert.Equal(t, "许静", *run.Risks[0].Fields.(assistant.RiskFields).RaisedBy)

	require.Len(t, run.Summary, 1)
	assert.NotEmpty(t, run.Summary[0].Fields.(assistant.SummaryFields).Overview)
	assert.Equal(t, "00:00:00", run.Summary[0].Fields.(assistant.SummaryFields).Topics[0].Time)

	require.Len(t, run.Email, 1)
	mail := run.Email[0].Fields.(assistant.EmailFields)
	assert.Equal(t, "en", mail.Language)
	assert.Empty(t, mail.To, "nobody is guessed")
	assert.Empty(t, mail.ChangedFacts)
	assert.Contains(t, mail.Body, "许静: Contact the stand builder and send the quote to 周明 (due Monday, 18 May 2026)")
	assert.Equal(t, assistant.StateChecked, run.Email[0].State)

	assert.Equal(t, 1, run.Sources[0].PartsRead)
	assert.Equal(t, 1, run.Sources[0].PartsTotal)
	assert.Empty(t, run.Sources[0].LeftOut)
	assert.Equal(t, "zh", run.Language)
	assert.Equal(t, "2026-05-13", run.MeetingDate)
	assert.Equal(t, "text", run.MeetingDateFrom)
	assert.Equal(t, prompts.Version, run.PromptVersion)
	assert.Equal(t, len(gen.passes), run.Timing.Passes)
	checkEvents(t, events)
}

// checkEvents: the plan never shrinks, and as many passes end as were planned.
func checkEvents(t *testing.T, events []assistant.Event) {
	planned, done, covered := 0, 0, 0
	for _, e := range events {
		switch e := e.(type) {
		case assistant.Planned:
			assert.GreaterOrEqual(t, e.Total, planned)
			planned = e.Total
		case assistant.PassDone:
			done++
			assert.Equal(t, done, e.Done)
			assert.LessOrEqual(t, e.Done, e.Total)
		case assistant.Covered:
			covered++
		}
	}
	assert.Equal(t, planned, done)
	assert.Equal(t, 1, covered)
}

func TestRunIsTheSameInParallel(t *testing.T) {
	var runs []*assistant.RunDocument
	for _, parallel := range []int{1, 8} {
		gen := newScript(t, byRules(planningRules))
		gen.parallel = parallel
		run, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(planning(), planning()), EmailLang: "zh"}, nil)
		require.NoError(t, err)
		run.Timing = assistant.Timing{}
		runs = append(runs, run)
	}
	assert.Equal(t, runs[0], runs[1])
}

func TestRunTask(t *testing.T) {
	gen := newScript(t, byRules(planningRules))
	env, err := assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(planning())}, assistant.TaskTodos, nil)
	require.NoError(t, err)
	assert.Equal(t, assistant.TaskTodos, env.Task)
	assert.Len(t, env.Items, 1)
	assert.Empty(t, gen.asked(prompts.Part), "todos need no summary")
	assert.Empty(t, gen.asked(prompts.Risk))
	assert.Equal(t, env.Sources[0].PartsTotal, env.Sources[0].PartsRead)
}

func TestRunTaskEmailMakesWhatItNeeds(t *testing.T) {
	gen := newScript(t, byRules(planningRules))
	env, err := assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(planning()), EmailLang: "zh"}, assistant.TaskEmail, nil)
	require.NoError(t, err)
	require.Len(t, env.Items, 1)
	assert.NotEmpty(t, gen.asked(prompts.Part))
	assert.Empty(t, gen.asked(prompts.Translate), "the mail is in the language of the source")
	assert.Contains(t, env.Items[0].Fields.(assistant.EmailFields).Body, "许静：")
}

func TestJobErrors(t *testing.T) {
	gen := newScript(t, byRules(nil))
	doc := planning()
	for name, tt := range map[string]struct {
		job  assistant.Job
		want error
	}{
		"no sources":  {assistant.Job{}, assistant.ErrNoSources},
		"nil source":  {assistant.Job{Sources: []assistant.SourceInput{{Name: "a"}}}, assistant.ErrNoSources},
		"task":        {assistant.Job{Sources: sources(doc), Tasks: []assistant.Task{"poem"}}, assistant.ErrTask},
		"date":        {assistant.Job{Sources: sources(doc), MeetingDate: "13.5.2026"}, assistant.ErrDate},
		"language":    {assistant.Job{Sources: sources(doc), Lang: "fr"}, assistant.ErrLanguage},
		"mail langua": {assistant.Job{Sources: sources(doc), EmailLang: "auto"}, assistant.ErrLanguage},
	} {
		_, err := assistant.Run(context.Background(), gen, tt.job, nil)
		assert.ErrorIs(t, err, tt.want, name)
	}
	gen.context = 300
	_, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(doc)}, nil)
	assert.ErrorContains(t, err, "leaves no room")
}

func TestCancelAtEveryPass(t *testing.T) {
	full := newScript(t, byRules(planningRules))
	whole, err := assistant.Run(context.Background(), full, assistant.Job{Sources: sources(planning())}, nil)
	require.NoError(t, err)
	for n := range len(full.passes) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			gen := newScript(t, byRules(planningRules))
			gen.before = func(pass int) {
				if pass == n {
					cancel()
				}
			}
			run, err := assistant.Run(ctx, gen, assistant.Job{Sources: sources(planning())}, nil)
			require.ErrorIs(t, err, context.Canceled)
			require.NotNil(t, run)
			assert.Len(t, gen.passes, n+1, "nothing is asked after the cancel")
			src := run.Sources[0]
			readAll := full.kinds[full.passes[n].System] == prompts.Email || full.kinds[full.passes[n].System] == prompts.Translate || full.kinds[full.passes[n].System] == prompts.Merge
			if !readAll {
				assert.Less(t, src.PartsRead, src.PartsTotal)
				assert.Equal(t, []string{"1/1 cancelled"}, src.LeftOut)
			}
			assert.LessOrEqual(t, len(run.Todos), len(whole.Todos))
		})
	}
}

func TestCancelKeepsWhatIsFinished(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	gen := newScript(t, byRules(planningRules))
	answered := gen.answer
	gen.answer = func(kind prompts.Kind, p assistant.Prompt, n int) (assistant.Answer, error) {
		if kind == prompts.Risk {
			cancel()
			return assistant.Answer{}, ctx.Err()
		}
		return answered(kind, p, n)
	}
	run, err := assistant.Run(ctx, gen, assistant.Job{Sources: sources(planning())}, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Len(t, run.Summary, 1)
	assert.Len(t, run.Todos, 1)
	assert.Len(t, run.Decisions, 1)
	assert.Empty(t, run.Email)
}

func TestOnePassFails(t *testing.T) {
	boom := errors.New("boom")
	answer := byRules(planningRules)
	gen := newScript(t, func(kind prompts.Kind, p assistant.Prompt, n int) (assistant.Answer, error) {
		if kind == prompts.Risk {
			return assistant.Answer{}, boom
		}
		return answer(kind, p, n)
	})
	run, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(planning())}, nil)
	require.NoError(t, err, "the rest of the job is worth having")
	assert.Equal(t, []string{"1/1 model_error"}, run.Sources[0].LeftOut)
	assert.Zero(t, run.Sources[0].PartsRead)
	assert.Len(t, run.Todos, 1)
}

func TestEveryPassFails(t *testing.T) {
	boom := errors.New("boom")
	gen := newScript(t, func(prompts.Kind, assistant.Prompt, int) (assistant.Answer, error) { return assistant.Answer{}, boom })
	run, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(planning(), planning(), planning(), planning(), planning())}, nil)
	require.ErrorIs(t, err, boom)
	assert.Less(t, len(gen.passes), 6, "the job ends early")
	assert.NotEmpty(t, run.Sources[0].LeftOut)
}

// The last stated value wins by the day on which it was said, not by the order in
// which the files were given.
func TestLaterDayWins(t *testing.T) {
	later := meeting("2026-05-20", "许静：报价清单改到下周五发给大家，这周我出差。")
	earlier := meeting("2026-05-13", "许静：报价清单我周五之前发给大家。")
	gen := newScript(t, byRules(map[prompts.Kind][]rule{prompts.Todo: {
		{"改到", `{"has":true,"owner":"许静","action":"发报价清单给大家"}`},
		{"周五之前", `{"has":true,"action":"发报价清单给大家"}`},
	}}))
	env, err := assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(later, earlier)}, assistant.TaskTodos, nil)
	require.NoError(t, err)
	require.Len(t, env.Items, 1)
	assert.Equal(t, "2026-05-29", *env.Items[0].Fields.(assistant.TodoFields).DueDate)
	assert.Len(t, env.Items[0].Evidence, 2)
}

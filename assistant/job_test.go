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

// TestBadModel: a damaged model ends the job at once, whatever worked before, also when
// it is the last pass that says so.
func TestBadModel(t *testing.T) {
	answer := byRules(planningRules)
	gen := newScript(t, func(kind prompts.Kind, p assistant.Prompt, n int) (assistant.Answer, error) {
		if kind == prompts.Risk {
			return assistant.Answer{}, fmt.Errorf("%w: engine: verify it", assistant.ErrBadModel)
		}
		return answer(kind, p, n)
	})
	_, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(planning())}, nil)
	require.ErrorIs(t, err, assistant.ErrBadModel)
	_, err = assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(planning())}, assistant.TaskRisks, nil)
	require.ErrorIs(t, err, assistant.ErrBadModel)
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

// Passes that share their rules run side by side, whatever the order of the files.
func TestPassesOfOneKindAreNeighbours(t *testing.T) {
	english := meeting("2026-05-13",
		"Ann: I'll send the quote to Ben by Friday, and the drawings as well.",
		"Ben: Then it's agreed, we go with the larger stand.",
		"Ann: I'm worried that the freight might be late if it isn't booked this week.")
	gen := newScript(t, byRules(nil))
	var events []assistant.Event
	_, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(planning(), english, planning(), english), EmailLang: "zh"}, func(e assistant.Event) { events = append(events, e) })
	require.NoError(t, err)
	seen, last, kinds := map[string]bool{}, "", map[prompts.Kind]bool{}
	for _, p := range gen.passes {
		if p.System != last {
			assert.False(t, seen[p.System], "%s begins twice", gen.kinds[p.System])
			seen[p.System], last = true, p.System
		}
		kinds[gen.kinds[p.System]] = true
	}
	for _, kind := range []prompts.Kind{prompts.Part, prompts.Decision, prompts.Todo, prompts.Risk} {
		assert.True(t, kinds[kind], kind)
	}
	parts := map[assistant.Task]map[int]bool{}
	for _, e := range events {
		if s, ok := e.(assistant.PassStarted); ok && s.Task != assistant.TaskSummary && s.Task != assistant.TaskEmail {
			if parts[s.Task] == nil {
				parts[s.Task] = map[int]bool{}
			}
			assert.False(t, parts[s.Task][s.Part], "%s %d starts once", s.Task, s.Part)
			parts[s.Task][s.Part] = true
			assert.LessOrEqual(t, s.Part, s.Parts)
		}
	}
	for task, started := range parts {
		assert.Len(t, started, len(gen.asked(map[assistant.Task]prompts.Kind{assistant.TaskTodos: prompts.Todo, assistant.TaskDecisions: prompts.Decision, assistant.TaskRisks: prompts.Risk}[task])), task)
	}
}

// The summary names itself as the source does, and what code has counted and chosen
// stands in place of the model's overview.
func TestSummaryOfWhatWasFound(t *testing.T) {
	doc := planning()
	doc.Title = "秋季展会筹备会"
	gen := newScript(t, byRules(planningRules))
	run, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(meeting("2026-05-13", "周明：喂，听得到吗？"), doc), EmailLang: "zh"}, nil)
	require.NoError(t, err)
	f := run.Summary[0].Fields.(assistant.SummaryFields)
	assert.Equal(t, "秋季展会筹备会", f.Title, "of the longer source")
	assert.Equal(t, "共有 1 项决定、1 项待办和 1 项风险。展台用三十六平米的，预算十二万。风险：货运可能赶不上。待办：联系展台的搭建商并把报价发给周明。", f.Overview)
	assert.Empty(t, gen.asked(prompts.Merge), "there is nothing to ask")
	mail := run.Email[0].Fields.(assistant.EmailFields)
	assert.Equal(t, "会议纪要：秋季展会筹备会", mail.Subject)
	assert.Contains(t, mail.Body, "以下是“秋季展会筹备会”的结果：1 项决定和 1 项待办。")
	assert.NotContains(t, mail.Body, "未经确认")
	assert.Empty(t, mail.ChangedFacts, "counts are no facts of the sources")
}

// Where nothing was extracted the model's overview stands, with a title that is in
// the sources' words.
func TestSummaryAlone(t *testing.T) {
	doc := planning()
	doc.Title = "file1"
	for label, tt := range map[string]struct{ title, want string }{
		"in their words": {"展台搭建商的报价", "展台搭建商的报价"},
		"made up":        {"酒店开业筹备会议纪要", "file1"},
	} {
		answer := byRules(nil)
		gen := newScript(t, func(kind prompts.Kind, p assistant.Prompt, n int) (assistant.Answer, error) {
			if kind == prompts.Merge {
				return text(`{"title":%q,"overview":"周明先把展台的事情过一遍。酒店开业的筹备很顺利。"}`, tt.title)
			}
			return answer(kind, p, n)
		})
		env, err := assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(doc)}, assistant.TaskSummary, nil)
		require.NoError(t, err)
		f := env.Items[0].Fields.(assistant.SummaryFields)
		assert.Equal(t, tt.want, f.Title, label)
		assert.Equal(t, "周明先把展台的事情过一遍。", f.Overview, label)
		assert.NotEmpty(t, f.Topics, label)
	}
}

// The overview is in the language of the results, and points that do not come through
// whole are left out of it.
func TestOverviewInAnotherLanguage(t *testing.T) {
	answer := byRules(planningRules)
	asked := map[string]int{}
	gen := newScript(t, func(kind prompts.Kind, p assistant.Prompt, n int) (assistant.Answer, error) {
		if kind != prompts.Translate {
			return answer(kind, p, n)
		}
		src := strings.TrimSpace(p.Part[0])
		asked[src]++
		if strings.Contains(src, "三十六") {
			return text(`{"text":"The stand has 36 square metres; the budget is 120,000."}`)
		}
		return text(`{"text":"Something with 77 in it"}`)
	})
	run, err := assistant.Run(context.Background(), gen, assistant.Job{Sources: sources(planning()), Lang: "en"}, nil)
	require.NoError(t, err)
	f := run.Summary[0].Fields.(assistant.SummaryFields)
	assert.Equal(t, "Found: 1 decision, 1 action item and 1 risk. The stand has 36 square metres; the budget is 120,000.", f.Overview)
	assert.Equal(t, 1, asked["展台用三十六平米的，预算十二万"], "decision, overview and mail share one translation")
}

// The mail says how much it leaves out.
func TestMailCountsWhatItLeavesOut(t *testing.T) {
	for lang, want := range map[string]string{"zh": "另有 1 项未经确认，没有写进这封邮件。", "en": "One further point could not be confirmed and is not in this mail."} {
		gen := newScript(t, byRules(map[prompts.Kind][]rule{
			prompts.Todo:     {{"我来联系", `{"has":true,"owner":"周明","due":null,"action":"打电话问物业仓库的钥匙在谁手里"}`}},
			prompts.Decision: planningRules[prompts.Decision],
		}))
		env, err := assistant.RunTask(context.Background(), gen, assistant.Job{Sources: sources(planning()), EmailLang: lang}, assistant.TaskEmail, nil)
		require.NoError(t, err)
		body := env.Items[0].Fields.(assistant.EmailFields).Body
		assert.Contains(t, body, want)
		assert.NotContains(t, body, "钥匙")
	}
}

package assistant

import (
	"context"
	"errors"
	"strings"

	"windowseat/prompts"
)

// overview writes title and overview of the whole from its topics.
func (j *job) overview(ctx context.Context, f *SummaryFields, d *draft) error {
	rows := make([]string, len(f.Topics))
	for i, t := range f.Topics {
		rows[i] = mergeRow(t.Title, t.Text)
	}
	lang := languageOf(join(rows))
	defer j.runner.finish(TaskSummary) // the last merge, planned with the parts
	reply, err := j.mergeLevels(ctx, rows, lang)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.fail(ReasonStopped)
		f.Title, f.Overview = j.docs[0].Title, ""
		return nil
	}
	f.Title = tidy(reply.Title)
	if keepSupported(f.Title, join(rows)) == "" { // such as the title of a worked example
		f.Title = j.docs[0].Title
	}
	f.Overview = keepSupported(wholeSentences(tidyText(reply.Overview), prompts.MaxOverview), join(rows))
	return nil
}

func mergeRow(title, text string) string {
	sep := "："
	if languageOf(title+text) == LangEn {
		sep = ": "
	}
	return title + sep + strings.ReplaceAll(text, "\n", " ") + "\n"
}

// mergeLevels joins rows into one overview. Rows that exceed the budget, or whose
// answer does not fit, are joined in groups first and the groups' overviews after.
func (j *job) mergeLevels(ctx context.Context, rows []string, lang string) (mergeReply, error) {
	groups := j.groupRows(rows)
	if len(groups) == 1 {
		reply, err := j.mergeOnce(ctx, rows, lang)
		if !errors.Is(err, errLength) && !errors.Is(err, errBadAnswer) || len(rows) < 2 {
			return reply, err
		}
		groups = [][]string{rows[:len(rows)/2], rows[len(rows)/2:]}
	}
	next := make([]string, len(groups))
	j.runner.plan(len(groups))
	for i, g := range groups {
		reply, err := j.mergeLevels(ctx, g, lang)
		if err != nil {
			return reply, err
		}
		next[i] = mergeRow(tidy(reply.Title), tidyText(reply.Overview))
		j.runner.finish(TaskSummary)
	}
	if len(next) == len(rows) {
		return mergeReply{}, errLength // no group holds two rows: the context is too small
	}
	return j.mergeLevels(ctx, next, lang)
}

func (j *job) mergeOnce(ctx context.Context, rows []string, lang string) (mergeReply, error) {
	var reply mergeReply
	p, err := promptOf(prompts.Merge, lang, rows)
	if err != nil {
		return reply, err
	}
	p.Schema, p.MaxTokens = prompts.MergeSchema(), mergeAnswer
	err = j.runner.ask(ctx, TaskSummary, p, &reply)
	return reply, err
}

// groupRows fills groups up to the merge budget.
func (j *job) groupRows(rows []string) [][]string {
	room := min(mergeTokens, j.gen.Info().ContextTokens-j.systemTokens()-mergeAnswer)
	var groups [][]string
	used := 0
	for i, r := range rows {
		n := j.gen.CountTokens(r)
		if i == 0 || used+n > room {
			groups = append(groups, nil)
			used = 0
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], r)
		used += n
	}
	return groups
}

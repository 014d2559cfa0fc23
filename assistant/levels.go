package assistant

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"windowseat/prompts"
)

// topicRows are the topics as the overview's pass reads them: whole where they fit
// into one pass, else each by its title and first sentence. One pass over the heads
// of many topics is cheaper than passes over passes, and keeps more of the whole in
// view.
func (j *job) topicRows(topics []Topic) []string {
	rows := make([]string, len(topics))
	for i, t := range topics {
		rows[i] = mergeRow(t.Title, t.Text)
	}
	if len(j.groupRows(rows)) < 2 {
		return rows
	}
	for i, t := range topics {
		rows[i] = mergeRow(t.Title, clip(firstSentence(t.Text), headBytes))
	}
	return rows
}

// headBytes is how much of a topic's first sentence a head keeps: sixty Chinese
// characters, or a long English sentence.
const headBytes = 180

// clip cuts a text at the last clause or word that ends within n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	if at := strings.LastIndexAny(s[:cut], "，,；; "); at > 0 {
		return s[:at]
	}
	return s[:cut]
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
	next, errs := make([]string, len(groups)), make([]error, len(groups))
	j.runner.plan(len(groups))
	err := j.runner.each(ctx, passesOf(TaskSummary, len(groups), func(i int) {
		reply, err := j.mergeLevels(ctx, groups[i], lang)
		next[i], errs[i] = mergeRow(tidy(reply.Title), tidyText(reply.Overview)), err
	}))
	if err = errors.Join(append(errs, err)...); err != nil {
		return mergeReply{}, err
	}
	if len(next) == len(rows) {
		return mergeReply{}, errLength // no group holds two rows: the context is too small
	}
	return j.mergeLevels(ctx, next, lang)
}

func (j *job) mergeOnce(ctx context.Context, rows []string, lang string) (mergeReply, error) {
	var reply mergeReply
	p, err := promptOf(prompts.Merge, lang, append(j.titleRow(lang), rows...))
	if err != nil {
		return reply, err
	}
	p.Schema, p.MaxTokens = prompts.MergeSchema(), mergeAnswer
	err = j.runner.ask(ctx, TaskSummary, p, &reply)
	return reply, err
}

// titleRow tells the model what the sources call themselves, so that it knows what the
// points are about; none where no source has a title.
func (j *job) titleRow(lang string) []string {
	title := j.ownTitle()
	switch {
	case title == "":
		return nil
	case lang == LangEn:
		return []string{"Title: " + title + "\n"}
	}
	return []string{"标题：" + title + "\n"}
}

// groupRows fills groups up to the merge budget.
func (j *job) groupRows(rows []string) [][]string {
	room := min(mergeTokens, j.gen.Info().ContextTokens-j.systemTokens()-mergeAnswer-j.gen.CountTokens(join(j.titleRow(LangEn))))
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

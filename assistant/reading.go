package assistant

import (
	"context"
	"sort"

	"windowseat/prompts"
)

// readOrder are the tasks whose passes read the sources, in the order in which the
// passes are handed out. Passes of one task and language share their rules, so they
// are neighbours; the longest answers, those of the summary, come first, so that
// little is left to decode when the last passes run alone.
var readOrder = []Task{TaskSummary, TaskDecisions, TaskTodos, TaskRisks}

// findings are what the passes over the sources brought, a slot per pass. Slots of
// passes that did not end, or found nothing, are empty.
type findings struct {
	notes  []partNotes
	drafts map[Task][]*draft
}

// planPasses proposes the candidates and counts the passes over the sources.
func (j *job) planPasses() {
	total := 0
	for _, task := range readOrder {
		switch {
		case !j.needed[task]:
			continue
		case task == TaskSummary:
			for i, p := range j.parts {
				j.cover.expect(p.source, i)
			}
			total += len(j.parts)
			continue
		}
		for _, t := range j.scripts {
			j.cands[task] = append(j.cands[task], propose(t, task)...)
		}
		for _, c := range j.cands[task] {
			j.cover.expect(c.script.source, j.partOf(c))
		}
		total += len(j.cands[task])
	}
	j.runner.plan(total)
}

// partOf is the index of the part that holds a candidate's first sentence.
func (j *job) partOf(c candidate) int {
	l := c.script.lines[c.first]
	first := j.cover.sources[l.source].first
	n := len(j.cover.sources[l.source].pending)
	return first + sort.Search(n-1, func(k int) bool {
		pieces := j.parts[first+k].pieces
		last := pieces[len(pieces)-1]
		return last.Block > l.block || last.Block == l.block && last.End > l.start
	})
}

// read runs all passes over the sources in one pool. On a cancel it returns what was
// finished, with ctx.Err().
func (j *job) read(ctx context.Context) (findings, error) {
	f := findings{drafts: map[Task][]*draft{}}
	var passes []pass
	for _, task := range readOrder {
		switch {
		case !j.needed[task]:
		case task == TaskSummary:
			f.notes = make([]partNotes, len(j.parts))
			all := j.partPasses(ctx, f.notes)
			passes = append(passes, byLanguage(all, func(i int) string { return j.scripts[j.parts[i].source].lang })...)
		default:
			cands := j.cands[task]
			f.drafts[task] = make([]*draft, len(cands))
			all := j.extractorFor(task).passes(ctx, cands, f.drafts[task])
			passes = append(passes, byLanguage(all, func(i int) string { return cands[i].script.lang })...)
		}
	}
	return f, j.runner.each(ctx, passes)
}

// byLanguage puts the passes of one language, which share their rules, side by side.
func byLanguage(all []pass, lang func(i int) string) []pass {
	sorted := make([]pass, 0, len(all))
	for _, l := range prompts.Languages {
		for i := range all {
			if lang(i) == l {
				sorted = append(sorted, all[i])
			}
		}
	}
	return sorted
}

// all reads the sources, puts the items together and, from them, the summary and the
// mail. What was finished before an error is kept.
func (j *job) all(ctx context.Context, run *RunDocument) error {
	defer j.dropUnwanted(run)
	f, err := j.read(ctx)
	run.Decisions = itemsOf(mergeDecisions(inOrder(f.drafts[TaskDecisions])), "d")
	run.Todos = itemsOf(mergeTodos(inOrder(f.drafts[TaskTodos])), "t")
	run.Risks = itemsOf(mergeRisks(inOrder(f.drafts[TaskRisks])), "r")
	if j.needed[TaskSummary] {
		err = j.summarise(ctx, run, f.notes, err)
	}
	if err == nil && j.needed[TaskEmail] {
		run.Email, err = j.draftEmail(ctx, run)
	}
	if err != nil {
		return err
	}
	j.dropUnwanted(run) // before they are translated for nothing
	return j.toLanguage(ctx, run)
}

// dropUnwanted removes what was made only for the mail.
func (j *job) dropUnwanted(run *RunDocument) {
	for task, into := range map[Task]*[]Item{TaskSummary: &run.Summary, TaskDecisions: &run.Decisions, TaskTodos: &run.Todos, TaskRisks: &run.Risks} {
		if !j.wanted[task] {
			*into = []Item{}
		}
	}
}

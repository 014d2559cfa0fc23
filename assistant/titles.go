package assistant

import (
	"context"
	"regexp"
	"strings"

	"windowseat/prompts"
)

// tellItems lets a topic of which the model wrote nothing that stands in the text say
// what was found in it.
func tellItems(topics []topicNote) {
	for i := range topics {
		t := &topics[i]
		if !t.quoted {
			continue
		}
		var found []string
		for _, name := range t.names {
			if name != "" && len(found) < 2 && !repeats(found, name) {
				found = append(found, closed(capital(name)))
			}
		}
		if len(found) > 0 {
			t.topic.Text = joinSentences(found)
		}
	}
}

// dropCopies empties titles that only repeat how the text begins.
func dropCopies(topics []topicNote) {
	for i := range topics {
		if t := &topics[i]; !t.fits(t.topic.Title) {
			t.topic.Title = ""
		}
	}
}

// nameTopics gives topics without a title the words of something that was found in
// them and that they speak of, or the heading above, each once.
func nameTopics(topics []topicNote) {
	used := map[string]bool{}
	for i := range topics {
		used[topics[i].topic.Title] = true
	}
	for i := range topics {
		t := &topics[i]
		for _, name := range append(t.names, t.heading) {
			name = shortTitle(name)
			about := name == shortTitle(t.heading) || supportShare(name, t.topic.Text) >= minTitleSupport
			if t.topic.Title == "" && about && t.fits(name) && !used[name] {
				t.topic.Title, used[name] = name, true
			}
		}
	}
}

const minTitleSupport = 0.5

// plainHeading is a heading without its marks, its number and the time behind it.
func plainHeading(s string) string {
	s = strings.TrimSpace(strings.TrimLeft(s, "# "))
	return strings.TrimSpace(headingTime.ReplaceAllString(headingNumber.ReplaceAllString(s, ""), ""))
}

var (
	headingNumber = rx(`^(?:(?:第?[0-9一二三四五六七八九十]+[章节项、.．:：]|(?:议题|议程|topic|item|section)\s*[0-9一二三四五六七八九十]+\s*[、.．:：]?)\s*)+`)
	headingTime   = regexp.MustCompile(`\s*[（(]?[0-9]{1,2}[:：][0-9]{2}[）)]?$`)
)

// fits reports whether a title says more than how the text begins.
func (t *topicNote) fits(title string) bool { return title != "" && !beginsWith(t.topic.Text, title) }

// askTitles asks the model for the titles that are missing. An answer that is no
// better leaves the title empty.
func (j *job) askTitles(ctx context.Context, topics []topicNote) error {
	var missing []*topicNote
	for i := range topics {
		if topics[i].topic.Title == "" {
			missing = append(missing, &topics[i])
		}
	}
	j.runner.plan(len(missing))
	return j.runner.each(ctx, passesOf(TaskSummary, len(missing), func(i int) { j.askTitle(ctx, missing[i]) }))
}

func (j *job) askTitle(ctx context.Context, t *topicNote) {
	var reply struct {
		Title string `json:"title"`
	}
	p, err := promptOf(prompts.Title, languageOf(t.topic.Text), []string{t.topic.Text + "\n"})
	if err != nil {
		return
	}
	p.Schema, p.MaxTokens = prompts.TitleSchema(), titleAnswer
	if err := j.runner.ask(ctx, TaskSummary, p, &reply); err != nil {
		return // counted by the runner
	}
	if title := tidy(reply.Title); t.fits(title) && supportShare(title, t.topic.Text) >= minTitleSupport {
		t.topic.Title = title
	}
}

const titleAnswer = 48

// titleBytes bounds a title that is taken from a text.
const titleBytes = 60

// shortTitle is the first clause of a sentence; a title already is one.
func shortTitle(s string) string {
	s = tidy(firstSentence(s))
	if len(s) <= titleBytes {
		return s
	}
	return tidy(clip(s, titleBytes))
}

// beginsWith reports whether a text begins with the title, punctuation aside.
func beginsWith(text, title string) bool {
	return strings.HasPrefix(letters(text), letters(title))
}

// letters is a text without anything but its letters and digits, in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if isHan(string(r)) || isWordRune(r) {
			return r
		}
		return -1
	}, strings.ToLower(foldWidth(s)))
}

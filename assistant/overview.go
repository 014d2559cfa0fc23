package assistant

import (
	"context"
	"path"
	"sort"
	"strings"
	"unicode/utf8"

	"windowseat/chunker"
	"windowseat/prompts"
)

// overview writes title and overview of the whole. What was extracted speaks for
// itself: code counts it and quotes its most important decisions. Only where nothing
// was, or no source names itself, the model joins the topics, and its words are
// checked against them.
func (j *job) overview(ctx context.Context, f *SummaryFields, d *draft) error {
	defer func() {
		if f.Title == "" {
			f.Title = fileTitle(j.names[j.longest()[0]])
		}
		if !j.digest.empty() {
			f.Overview = j.digest.text(j.sourceLang())
		}
	}()
	if len(f.Topics) == 0 || f.Title != "" && !j.digest.empty() {
		return nil
	}
	rows := j.topicRows(f.Topics)
	j.runner.plan(1)
	defer j.runner.finish(TaskSummary)
	reply, err := j.mergeLevels(ctx, rows, languageOf(join(rows)))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if j.digest.empty() {
			d.fail(ReasonStopped)
		}
		return nil
	}
	if title := tidy(reply.Title); f.Title == "" && j.namesWhole(title) {
		f.Title = title
	}
	if f.Overview = cleanOverview(tidyText(reply.Overview), rows); f.Overview == "" {
		f.Overview = plainOverview(f.Topics)
	}
	return nil
}

// plainOverview is how the first topics begin, where the model has nothing of its own
// to say.
func plainOverview(topics []Topic) string {
	var kept []string
	for _, t := range topics[:min(len(topics), fewTopics)] {
		first := strings.TrimSpace(t.Text[:chunker.Sentences(t.Text)[0].End])
		if isWhole(first) && !repeats(kept, first) {
			kept = append(kept, closed(first))
		}
	}
	return joinSentences(kept)
}

func joinSentences(all []string) string {
	text := strings.Join(all, "")
	if languageOf(text) == LangEn {
		return strings.Join(all, " ")
	}
	return text
}

// longest are the indexes of the sources, the longest first.
func (j *job) longest() []int {
	order, size := make([]int, len(j.docs)), make([]int, len(j.docs))
	for i, d := range j.docs {
		order[i] = i
		for k := range d.Blocks {
			size[i] += len(d.Blocks[k].Text)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return size[order[a]] > size[order[b]] })
	return order
}

// ownTitle is the title that a source gives itself, of the longest that has one. A
// reader that finds none takes the file's name, which is no title.
func (j *job) ownTitle() string {
	for _, i := range j.longest() {
		title := tidyText(j.docs[i].Title)
		if title != "" && !strings.EqualFold(title, fileTitle(j.names[i])) && !strings.EqualFold(title, path.Base(j.names[i])) {
			return title
		}
	}
	return ""
}

// fileTitle is the name of a file without folder and ending; "" for standard input.
func fileTitle(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if base == "-" || base == "." || base == "/" {
		return ""
	}
	return strings.TrimSuffix(base, path.Ext(base))
}

// namesWhole reports whether a title that the model wrote is about the sources: its
// words stand in them, more than once where there is more than a page. A title that
// takes up one word of a side remark and makes up the rest is not.
func (j *job) namesWhole(title string) bool {
	var b strings.Builder
	for _, t := range j.scripts {
		for i := range t.lines {
			b.WriteString(t.lines[i].text + "\n")
		}
	}
	text := strings.ToLower(foldWidth(b.String()))
	least := 1
	if len(text) > pageBytes {
		least = 2
	}
	title = strings.ToLower(foldWidth(genericTitle.ReplaceAllString(title, "")))
	return title != "" && wordCover(title, text, least) >= minTitleCover
}

const (
	pageBytes     = 3000
	minTitleCover = 0.75
)

// genericTitle are words of any title, which prove nothing.
var genericTitle = rx(`会议|纪要|记录|总结|概述|讨论|整理|摘要|关于|\b(?:meeting|minutes|notes?|summary|overview|discussion|discussing|about|report)\b`)

// wordCover is the share of a title's letters in words that stand in the text at
// least so often: runs of two or more Han characters, Latin words.
func wordCover(title, text string, least int) float64 {
	runes := []rune(title)
	all, covered := 0, 0
	for i := 0; i < len(runes); {
		if !isHan(string(runes[i])) && !isWordRune(runes[i]) {
			i++
			continue
		}
		end := i + 1
		if isWordRune(runes[i]) {
			for end < len(runes) && isWordRune(runes[end]) {
				end++
			}
		} else {
			for end < len(runes) && isHan(string(runes[end])) && strings.Count(text, string(runes[i:end+1])) >= least {
				end++
			}
		}
		word := string(runes[i:end])
		all += end - i
		switch {
		case isWordRune(runes[i]) && (stem(word) == "" || strings.Count(text, stem(word)) >= least), end-i > 1 && isHan(word):
			covered += end - i
		}
		i = end
	}
	if all == 0 {
		return 0
	}
	return float64(covered) / float64(all)
}

// maxSentences bounds an overview that the model wrote.
const maxSentences = 5

// cleanOverview keeps the first sentences of the model's overview that stand in the
// topics, say something new, are whole, and are not a row copied with its title.
func cleanOverview(text string, rows []string) string {
	source := join(rows)
	text = keepSupported(wholeSentences(text, prompts.MaxOverview), source)
	var kept []string
	for _, s := range chunker.Sentences(text) {
		said := strings.TrimSpace(text[s.Start:s.End])
		if len(kept) == maxSentences || copiesRow(said, rows) || !isWhole(said) {
			continue
		}
		if said = closed(said); !repeats(kept, said) {
			kept = append(kept, said)
		}
	}
	return joinSentences(kept)
}

// copiesRow reports whether a sentence is a row as it was given: a title, a colon and
// what follows.
func copiesRow(sentence string, rows []string) bool {
	title, _, found := strings.Cut(strings.Replace(sentence, "：", ":", 1), ":")
	if !found || letters(title) == "" {
		return false
	}
	for _, r := range rows {
		if strings.HasPrefix(letters(r), letters(title)) {
			return true
		}
	}
	return false
}

func repeats(kept []string, sentence string) bool {
	for _, k := range kept {
		if similarity(k, sentence) >= sameOverview {
			return true
		}
	}
	return false
}

const sameOverview = 0.75

// isWhole refuses a last sentence that breaks off behind a comma or a colon.
func isWhole(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return !strings.ContainsRune("，,、：:；;—-（(“", last)
}

// closed gives a sentence its full stop.
func closed(s string) string {
	last, _ := utf8.DecodeLastRuneInString(s)
	switch {
	case strings.ContainsRune(sentenceEnds, last):
		return s
	case languageOf(s) == LangEn:
		return s + "."
	}
	return s + "。"
}

package assistant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"windowseat/chunker"
	"windowseat/document"
	"windowseat/prompts"
)

// Budgets of the summary, in tokens. A part of 900 tokens (about six minutes of
// speech) gives two or three topics; of longer parts the model tells the beginning.
const (
	partTokens    = 900
	partAnswer    = 400
	mergeTokens   = 2400
	mergeAnswer   = 520
	minPartTokens = 64
	maxTopics     = 3 // of one part
	maxListed     = 8 // open questions and quotes of the whole
)

// part is a cut of a source as the model sees it: numbered turns.
type part struct {
	source int
	pieces []chunker.Piece
}

// topicAnswer is one topic as the model writes it.
type topicAnswer struct {
	From  int    `json:"from"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

type partReply struct {
	Topics   []topicAnswer `json:"topics"`
	Question *string       `json:"question"`
	Quote    *int          `json:"quote"`
}

type mergeReply struct {
	Title    string `json:"title"`
	Overview string `json:"overview"`
}

// partNotes is what one part contributes to the summary.
type partNotes struct {
	topics   []Topic
	evidence []Evidence
	question string
	quote    string
}

// cutParts cuts every source by the summary's budget.
func (j *job) cutParts() error {
	room := j.gen.Info().ContextTokens - j.systemTokens() - partAnswer
	budget := min(partTokens, room)
	if budget < minPartTokens {
		return fmt.Errorf("assistant: a context of %d tokens leaves no room for the text", j.gen.Info().ContextTokens)
	}
	for i, doc := range j.docs {
		cut, err := chunker.Cut(doc, chunker.Options{Budget: budget, Count: j.gen.CountTokens, ContextLine: widestLabel})
		if err != nil {
			return fmt.Errorf("assistant: source %d: %w", i, err)
		}
		for _, p := range cut {
			j.parts = append(j.parts, part{source: i, pieces: p.Pieces})
		}
	}
	return nil
}

// systemTokens bounds the tokens of the longest rules with their examples.
func (j *job) systemTokens() int {
	most := 0
	for _, lang := range prompts.Languages {
		p, err := promptOf(prompts.Part, lang, nil)
		if err != nil {
			continue // Get is tested for every kind and language
		}
		n := j.gen.CountTokens(p.System)
		for _, e := range p.Examples {
			n += j.gen.CountTokens(e.User) + j.gen.CountTokens(e.Assistant) + chatOverhead
		}
		most = max(most, n+chatOverhead)
	}
	return most
}

// chatOverhead is what a chat template adds around a message, in tokens.
const chatOverhead = 16

// widestLabel is the number and the speaker before a piece; the number's true
// value is known only once the parts are cut, and is no longer than this.
func widestLabel(b document.Block) string { return "[100] " + chunker.DefaultContext(b) }

// rowsOf renders a part's pieces with their numbers, from 1.
func (j *job) rowsOf(p part) []string {
	rows := make([]string, len(p.pieces))
	for i, piece := range p.pieces {
		b := j.docs[p.source].Blocks[piece.Block]
		text := tidyText(b.Text[piece.Start:piece.End])
		rows[i] = fmt.Sprintf("[%d] %s%s\n", i+1, chunker.DefaultContext(b), text)
	}
	return rows
}

// summarise reads every part and joins what they say. On a cancel it returns what
// was finished, marked as partial, with ctx.Err().
func (j *job) summarise(ctx context.Context) ([]Item, error) {
	notes := make([]partNotes, len(j.parts))
	err := j.runner.each(ctx, TaskSummary, len(j.parts), func(i int) {
		n, trouble := j.readPart(ctx, j.parts[i], maxSplits)
		notes[i] = n
		j.cover.done(j.parts[i].source, i, trouble)
	})
	item, fields := j.collect(notes)
	if len(fields.Topics) == 0 {
		return []Item{}, err
	}
	if err == nil {
		err = j.overview(ctx, &fields, &item)
	}
	if err != nil {
		item.fail(ReasonPartial)
	}
	item.item.Fields = fields
	item.item.ID = "s1"
	return []Item{item.item}, err
}

// maxSplits is how often a part may be halved when its answer does not fit.
const maxSplits = 3

// readPart asks for the main points of a part. An answer that was cut off is asked
// again over two halves, never taken as it is.
func (j *job) readPart(ctx context.Context, p part, splits int) (partNotes, string) {
	var reply partReply
	err := j.askPart(ctx, p, &reply)
	switch {
	case err == nil:
		return j.notesOf(p, reply), ""
	case ctx.Err() != nil:
		return partNotes{}, NoteCancelled
	case !errors.Is(err, errLength) && !errors.Is(err, errBadAnswer):
		return partNotes{}, NoteFailed
	case splits == 0 || len(p.pieces) < 2:
		return partNotes{}, NoteLength
	}
	half := len(p.pieces) / 2
	a, troubleA := j.readPart(ctx, part{p.source, p.pieces[:half]}, splits-1)
	b, troubleB := j.readPart(ctx, part{p.source, p.pieces[half:]}, splits-1)
	a.topics = append(a.topics, b.topics...)
	a.evidence = append(a.evidence, b.evidence...)
	if a.question == "" {
		a.question = b.question
	}
	if a.quote == "" {
		a.quote = b.quote
	}
	return a, firstOf(troubleA, troubleB)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (j *job) askPart(ctx context.Context, p part, reply *partReply) error {
	prompt, err := promptOf(prompts.Part, j.scripts[p.source].lang, j.rowsOf(p))
	if err != nil {
		return err
	}
	prompt.Schema, prompt.MaxTokens = prompts.PartSchema(len(p.pieces), maxTopics), partAnswer
	return j.runner.ask(ctx, TaskSummary, prompt, reply)
}

// notesOf checks what the model wrote about a part against the part.
func (j *job) notesOf(p part, reply partReply) partNotes {
	var n partNotes
	text := join(j.rowsOf(p))
	for _, t := range reply.Topics {
		if t.From < 1 || t.From > len(p.pieces) {
			continue
		}
		piece := p.pieces[t.From-1]
		if j.docs[p.source].Blocks[piece.Block].Kind == document.KindMeta {
			continue
		}
		body := keepSupported(wholeSentences(tidyText(t.Text), prompts.MaxTopic), text)
		quote, ok := j.bestSentence(p.source, piece)
		if body == "" && ok {
			body = quote.Quote
		}
		if body == "" {
			continue
		}
		title := tidy(t.Title)
		if supportShare(title, text) < minSupport { // such as the title of a worked example
			title = strings.TrimRight(clip(firstSentence(body), titleBytes), ".。")
		}
		n.topics = append(n.topics, Topic{Title: title, Time: j.clock(p.source, piece), Text: body})
		if ok {
			n.evidence = append(n.evidence, quote)
		}
	}
	if q := deref(reply.Question); j.isAsked(p, q) {
		n.question = strings.TrimSpace(q)
	}
	if reply.Quote != nil && *reply.Quote >= 1 && *reply.Quote <= len(p.pieces) {
		piece := p.pieces[*reply.Quote-1]
		kind := j.docs[p.source].Blocks[piece.Block].Kind
		spoken := kind == document.KindTurn || kind == document.KindParagraph
		if e, ok := j.bestSentence(p.source, piece); ok && spoken && utf8.RuneCountInString(e.Quote) >= minQuoteRunes {
			n.quote = e.Quote
			n.evidence = append(n.evidence, e)
		}
	}
	return n
}

// titleBytes bounds a title that is taken from a text.
const titleBytes = 60

const (
	minQuestionSupport = 0.5
	minQuoteRunes      = 10
	maxQuoteRunes      = 90
)

// isAsked reports whether somebody asks the question in the part: the model also
// makes up questions whose answers it has just read.
func (j *job) isAsked(p part, question string) bool {
	if question == "" {
		return false
	}
	for _, piece := range p.pieces {
		text := j.docs[p.source].Blocks[piece.Block].Text[piece.Start:piece.End]
		for _, s := range chunker.Sentences(text) {
			if t := strings.TrimSpace(text[s.Start:s.End]); isQuestion(t) && similarity(question, t) >= minQuestionSupport {
				return true
			}
		}
	}
	return false
}

// wholeSentences drops the last sentence of a text that was cut off at maxChars.
func wholeSentences(text string, maxChars int) string {
	if utf8.RuneCountInString(text) < maxChars {
		return text
	}
	all := chunker.Sentences(text)
	return strings.TrimSpace(text[:all[len(all)-1].Start])
}

// keepSupported keeps the sentences of text whose figures and dates all stand in
// the source, each once.
func keepSupported(text, source string) string {
	known := factSet(source)
	var b strings.Builder
	for _, s := range chunker.Sentences(text) {
		ok := supportShare(text[s.Start:s.End], source) >= minSupport
		for _, f := range factsOf(text[s.Start:s.End]) {
			ok = ok && known[f.value]
		}
		if ok && !saysAlready(b.String(), text[s.Start:s.End]) {
			b.WriteString(text[s.Start:s.End])
		}
	}
	return strings.TrimSpace(b.String())
}

func tidyText(s string) string { return strings.Join(strings.Fields(s), " ") }

// bestSentence is the sentence of a piece that says most: the longest that is no
// longer than a quotation may be.
func (j *job) bestSentence(source int, p chunker.Piece) (Evidence, bool) {
	b := &j.docs[source].Blocks[p.Block]
	best, most := line{}, 0
	for _, s := range chunker.Sentences(b.Text[p.Start:p.End]) {
		start, end := trimSpan(b.Text, p.Start+s.Start, p.Start+s.End)
		n := utf8.RuneCountInString(b.Text[start:end])
		if n > most && n <= maxQuoteRunes && hasWord(b.Text[start:end]) {
			best, most = line{source: source, block: p.Block, start: start, end: end}, n
		}
	}
	if most == 0 {
		return Evidence{}, false
	}
	return evidenceOf(j.docs[source], best, best), true
}

// clock is the time at which a piece begins, "" where the source has none.
func (j *job) clock(source int, p chunker.Piece) string {
	from, _, ok := timesOf(&j.docs[source].Blocks[p.Block], p.Start, p.End)
	if !ok {
		return ""
	}
	d := time.Duration(from * float64(time.Second))
	return fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// collect joins the parts' notes in reading order. Neighbouring topics of one title
// are one topic.
func (j *job) collect(notes []partNotes) (draft, SummaryFields) {
	d := draft{item: Item{State: StateChecked, Evidence: []Evidence{}}}
	f := SummaryFields{Topics: []Topic{}, OpenQuestions: []string{}, Quotes: []string{}}
	for _, n := range notes {
		for _, t := range n.topics {
			if last := len(f.Topics) - 1; last >= 0 && similarity(f.Topics[last].Title, t.Title) >= sameTitle {
				f.Topics[last].Text = addSentences(f.Topics[last].Text, t.Text)
				continue
			}
			f.Topics = append(f.Topics, t)
		}
		if n.question != "" && len(f.OpenQuestions) < maxListed {
			f.OpenQuestions = append(f.OpenQuestions, n.question)
		}
		if n.quote != "" && len(f.Quotes) < maxListed {
			f.Quotes = append(f.Quotes, n.quote)
		}
		for _, e := range n.evidence {
			if !hasEvidence(d.item.Evidence, e) {
				d.item.Evidence = append(d.item.Evidence, e)
			}
		}
	}
	return d, f
}

const sameTitle = 0.8

// addSentences puts the sentences of more that a does not say yet behind it, up to
// the length of two topics.
func addSentences(a, more string) string {
	for _, s := range chunker.Sentences(more) {
		next := strings.TrimSpace(more[s.Start:s.End])
		if saysAlready(a, next) || utf8.RuneCountInString(a+next) > 2*prompts.MaxTopic {
			continue
		}
		if languageOf(a) == LangEn {
			a += " "
		}
		a += next
	}
	return a
}

// saysAlready reports whether a sentence of text is nearly the same.
func saysAlready(text, sentence string) bool {
	for _, s := range chunker.Sentences(text) {
		if similarity(text[s.Start:s.End], sentence) >= sameSentence {
			return true
		}
	}
	return false
}

const sameSentence = 0.9

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
	topics   []topicNote
	question string
	quote    *Evidence
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

// partPasses are the questions about the parts; each puts what it learns into its
// slot.
func (j *job) partPasses(ctx context.Context, notes []partNotes) []pass {
	return passesOf(TaskSummary, len(j.parts), func(i int) {
		n, trouble := j.readPart(ctx, j.parts[i], maxSplits)
		notes[i] = n
		j.cover.done(j.parts[i].source, i, trouble)
	})
}

// summarise joins what the parts say and writes title and overview from that and
// from the items. reading is the error of the passes over the sources: the summary
// then holds what was finished, is marked as partial, and the error is returned.
func (j *job) summarise(ctx context.Context, run *RunDocument, notes []partNotes, reading error) error {
	d, topics, fields := j.collect(notes, marksOf(run, j.cands))
	j.digest = digestOf(run)
	if len(topics) == 0 && j.digest.empty() {
		return reading
	}
	err := reading
	if err == nil {
		err = j.askTitles(ctx, topics)
	}
	nameTopics(topics)
	for _, t := range topics {
		if t.topic.Title != "" { // else it would be a piece of the text
			fields.Topics = append(fields.Topics, t.topic)
		}
	}
	fields.Title = j.ownTitle()
	if err == nil {
		err = j.overview(ctx, &fields, &d)
	}
	if err != nil {
		d.fail(ReasonPartial)
	}
	d.item.Fields, d.item.ID = fields, "s1"
	run.Summary = []Item{d.item}
	return err
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
	if a.question == "" {
		a.question = b.question
	}
	if a.quote == nil {
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
		if note, ok := j.topicOf(p, t, text); ok {
			n.topics = append(n.topics, note)
		}
	}
	if q := deref(reply.Question); j.isAsked(p, q) {
		n.question = strings.TrimSpace(q)
	}
	if reply.Quote != nil && *reply.Quote >= 1 && *reply.Quote <= len(p.pieces) {
		piece := p.pieces[*reply.Quote-1]
		kind := j.docs[p.source].Blocks[piece.Block].Kind
		spoken := kind == document.KindTurn || kind == document.KindParagraph
		if e, ok := j.bestSentence(p.source, piece); ok && spoken && !isQuestion(e.Quote) && utf8.RuneCountInString(e.Quote) >= minQuoteRunes {
			n.quote = &e
		}
	}
	return n
}

// topicOf checks one topic against its part, whose text is given.
func (j *job) topicOf(p part, t topicAnswer, text string) (topicNote, bool) {
	piece := p.pieces[t.From-1]
	block := &j.docs[p.source].Blocks[piece.Block]
	if block.Kind == document.KindMeta {
		return topicNote{}, false
	}
	body := keepSupported(wholeSentences(tidyText(t.Text), prompts.MaxTopic), text)
	quote, ok := j.bestSentence(p.source, piece)
	n := topicNote{at: place{p.source, piece.Block, piece.Start}, topic: Topic{Time: j.clock(p.source, piece), Text: body}}
	if body == "" && ok && block.Kind != document.KindHeading {
		n.topic.Text, n.quoted = quote.Quote, true
	}
	if n.topic.Text == "" || block.Kind == document.KindHeading && beginsWith(block.Text, n.topic.Text) {
		return topicNote{}, false // a heading alone says nothing about what is under it
	}
	if title := tidy(t.Title); supportShare(title, text) >= minSupport { // else such as that of a worked example
		n.topic.Title = title
	}
	if ok {
		n.evidence = &quote
	}
	return n, true
}

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
			if t := strings.TrimSpace(text[s.Start:s.End]); isQuestion(t) && supportShare(question, t) >= minQuestionSupport {
				return true
			}
		}
	}
	return false
}

// nearLimit is how far below its limit a text may end that was cut off there: the next
// token would not have fitted.
const nearLimit = 12

// wholeSentences drops the last sentence of a text that was cut off at maxChars, or that
// breaks off by itself; of the only one, it keeps the clauses that are whole.
func wholeSentences(text string, maxChars int) string {
	last, _ := utf8.DecodeLastRuneInString(text)
	if utf8.RuneCountInString(text) < maxChars-nearLimit && isWhole(text) || strings.ContainsRune(sentenceEnds, last) {
		return text
	}
	all := chunker.Sentences(text)
	if len(all) > 1 {
		return strings.TrimSpace(text[:all[len(all)-1].Start])
	}
	for _, marks := range []string{"；;", "，,"} {
		if at := strings.LastIndexAny(text, marks); at > len(text)/3 {
			return closed(strings.TrimSpace(text[:at]))
		}
	}
	return ""
}

// sentenceEnds are the signs with which a sentence may end.
const sentenceEnds = "。！？.!?…”\"」）)"

// keepSupported keeps the sentences of text whose figures and dates all stand in
// the source, each once. An English source has no Chinese words but its own.
func keepSupported(text, source string) string {
	known, english := factSet(source), languageOf(source) == LangEn
	var b strings.Builder
	for _, s := range chunker.Sentences(text) {
		ok := supportShare(text[s.Start:s.End], source) >= minSupport
		for _, f := range factsOf(text[s.Start:s.End]) {
			ok = ok && known[f.value]
		}
		for _, word := range hanWords.FindAllString(text[s.Start:s.End], -1) {
			ok = ok && (!english || strings.Contains(source, word))
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

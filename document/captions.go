package document

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
)

// turnGap is the pause after which the same speaker's words are a new turn. Real
// transcripts pause up to about 10 s inside a thought; after half a minute the
// talk has moved on.
const turnGap = 30 * time.Second

// readCaptions is the common part of the srt and vtt readers: cues become speaker
// turns, and each cue's own time stays with the turn.
func readCaptions(ctx context.Context, in *input, doc *Document, vtt bool) error {
	f := parseCues(in.lines, vtt)
	if len(f.captions) == 0 {
		return &FormatError{Kind: doc.Kind, What: "no cue with a readable time"}
	}
	for _, l := range f.preamble {
		doc.Blocks = append(doc.Blocks, Block{Text: strings.TrimSpace(l.text), Kind: KindParagraph, Place: Place{Line: l.no}})
	}
	rolled := unroll(f.captions)
	b := newTurnBuilder(doc, f.captions, vtt)
	for i, c := range f.captions {
		if i%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for _, u := range b.words[i] {
			b.add(c, u)
		}
	}
	f.addNotes(doc, rolled)
	return nil
}

// addNotes tells what of the file is not in the blocks.
func (f *cueFile) addNotes(doc *Document, rolled int) {
	empty, noEnd := 0, 0
	for _, c := range f.captions {
		if c.noEnd {
			noEnd++
		}
		if len(c.lines) == 0 && rolled == 0 {
			empty++
		}
	}
	for _, n := range []struct {
		code  string
		count int
	}{
		{"vtt_header_skipped", f.header - 1},
		{"vtt_comment_skipped", f.comments},
		{"bad_cue_time", f.badTimes},
		{"cue_without_end", noEnd},
		{"empty_cue", empty},
		{"rolling_lines_removed", rolled},
	} {
		if n.count > 0 {
			doc.addNote(n.code, "count", n.count)
		}
	}
}

// turnBuilder merges utterances into turns.
type turnBuilder struct {
	doc   *Document
	words [][]utterance // per caption
	names map[string]bool
	// carry: labels stand only where the speaker changes, so words without one
	// belong to the last speaker. Where nearly every cue has a label, they do not.
	carry   bool
	speaker string
	lastEnd time.Duration
	started bool // the last block may take more words
	owed    bool // the last label had no words yet
}

func newTurnBuilder(doc *Document, caps []caption, vtt bool) *turnBuilder {
	b := &turnBuilder{doc: doc}
	var labels []label
	total, voiced := 0, 0
	for _, c := range caps {
		us := cueUtterances(c.lines, vtt)
		b.words = append(b.words, us)
		for _, u := range us {
			total++
			if u.voiced {
				voiced++
			} else if l, ok := splitLabel(u.text); ok {
				labels = append(labels, l)
			}
		}
	}
	if voiced == 0 {
		b.names, _ = chooseNames(labels, total, nil, true)
		labelled := 0
		for _, l := range labels {
			if b.names[l.name] {
				labelled++
			}
		}
		b.carry = labelled*10 < total*9
		for i, us := range b.words {
			b.words[i] = joinInside(us, b.names)
		}
	}
	return b
}

// add appends the words to the current turn or opens a new one.
func (b *turnBuilder) add(c caption, u utterance) {
	labelled := u.voiced
	if l, ok := splitLabel(u.text); ok && !u.voiced {
		// A label that was not accepted may be a speaker: nobody is better than
		// the wrong one.
		labelled = true
		if b.names[l.name] {
			u.speaker, u.text = l.name, l.text
		}
	}
	if !labelled && (b.owed || b.carry && c.start-b.lastEnd <= turnGap) {
		u.speaker = b.speaker
	}
	if b.owed = u.text == ""; b.owed {
		b.speaker, b.started = u.speaker, false
		return
	}
	if !b.started || u.speaker != b.speaker || c.start-b.lastEnd > turnGap || b.full() {
		b.doc.Blocks = append(b.doc.Blocks, Block{
			Kind:  KindTurn,
			Place: Place{Line: c.line + 1, Start: c.start, End: c.end, HasTime: true, Speaker: u.speaker},
		})
	}
	last := &b.doc.Blocks[len(b.doc.Blocks)-1]
	last.Text += joinGlue(last.Text, u.text)
	last.Cues = append(last.Cues, Cue{Start: c.start, End: c.end, Offset: len(last.Text)})
	last.Text += u.text
	last.Place.End = max(last.Place.End, c.end)
	b.speaker, b.lastEnd, b.started = u.speaker, max(b.lastEnd, c.end), true
}

// full: the turn is long enough to stop at a sentence end, or far too long.
func (b *turnBuilder) full() bool {
	text := b.doc.Blocks[len(b.doc.Blocks)-1].Text
	if len(text) < maxBlockRunes*3/4 {
		return false
	}
	n := utf8.RuneCountInString(text)
	return n >= maxBlockRunes*3/4 && strings.ContainsRune("。！？.!?…”\"", lastRune(text)) || n >= maxBlockRunes-100
}

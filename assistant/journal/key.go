package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"windowseat/assistant"
)

// passKey stands for a pass: SHA-256 over all that decides its answer.
type passKey [sha256.Size]byte

// Kinds of passes, the first field of a key.
const (
	kindGenerate = "generate 1"
	kindScore    = "score 1"
)

// keyOf is the key of an answer to a prompt. Urgent and OnText do not change it.
func keyOf(p assistant.Prompt) passKey { return promptFields(kindGenerate, p).sum() }

// scoreKey is the key of the scores of continuations after a prompt.
func scoreKey(p assistant.Prompt, continuations []string) passKey {
	f := promptFields(kindScore, p)
	f.texts(continuations)
	return f.sum()
}

func promptFields(kind string, p assistant.Prompt) fields {
	f := newFields()
	f.text(kind)
	f.text(p.System)
	f.number(uint64(len(p.Examples)))
	for _, e := range p.Examples {
		f.text(e.User)
		f.text(e.Assistant)
	}
	f.texts(p.Part)
	f.text(p.Tail)
	f.text(p.AnswerStart)
	f.text(string(p.Schema))
	f.number(uint64(p.MaxTokens))
	f.number(uint64(math.Float32bits(p.Temperature)))
	f.number(uint64(math.Float32bits(p.Penalty)))
	f.number(p.Seed)
	return f
}

// fields is a hash over a list of fields. Texts and lists go in with their length, so
// that no two different lists of the same kind look alike.
type fields struct{ h hash.Hash }

func newFields() fields { return fields{sha256.New()} }

func (f fields) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	f.h.Write(b[:])
}

func (f fields) text(s string) {
	f.number(uint64(len(s)))
	f.h.Write([]byte(s))
}

func (f fields) texts(all []string) {
	f.number(uint64(len(all)))
	for _, s := range all {
		f.text(s)
	}
}

func (f fields) sum() (k passKey) {
	f.h.Sum(k[:0])
	return k
}

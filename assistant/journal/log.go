package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"windowseat/assistant"
)

// The log is text, a line for each pass that has ended:
//
//	1f2e3d4c {"key":"…","answer":{…}}
//
// The first eight digits are the CRC-32C of the bytes between the blank and the line
// feed. JSON has no line feed inside, so a line that is damaged or torn ends at the
// next line feed and takes at most one neighbour along.

// syncEvery is how long a pass may lie in the system's memory before it is brought to
// the disk: passes end several in a second, and one sync serves them all.
const syncEvery = time.Second

// maxLogBytes bounds what is read of a log. A line holds one answer of some hundred
// tokens, so a longer file is not one that this package wrote.
const maxLogBytes = 1 << 30

const crcDigits = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// kept is a pass in memory.
type kept struct {
	answer assistant.Answer
	scores []float32 // of a judgement; nil for an answer
}

// line is a pass in the log.
type line struct {
	Key    string      `json:"key"`
	Answer *lineAnswer `json:"answer,omitempty"`
	Scores []uint32    `json:"scores,omitempty"` // bits of float32: JSON has no infinity
}

type lineAnswer struct {
	Text         string               `json:"text"`
	Raw          []byte               `json:"raw,omitempty"` // instead of Text, when it is not UTF-8
	Stop         assistant.StopReason `json:"stop"`
	PromptTokens int                  `json:"prompt_tokens"`
	ReusedTokens int                  `json:"reused_tokens"`
	OutputTokens int                  `json:"output_tokens"`
	Prefill      time.Duration        `json:"prefill_ns"`
	Decode       time.Duration        `json:"decode_ns"`
}

// encode makes the line of a pass, with its line feed.
func encode(key passKey, k kept) ([]byte, error) {
	l := line{Key: hex.EncodeToString(key[:])}
	if k.scores == nil {
		a := k.answer
		l.Answer = &lineAnswer{
			Text: a.Text, Stop: a.Stop, PromptTokens: a.PromptTokens, ReusedTokens: a.ReusedTokens,
			OutputTokens: a.OutputTokens, Prefill: a.Prefill, Decode: a.Decode,
		}
		if !utf8.ValidString(a.Text) {
			l.Answer.Text, l.Answer.Raw = "", []byte(a.Text)
		}
	}
	for _, s := range k.scores {
		l.Scores = append(l.Scores, math.Float32bits(s))
	}
	body, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(body, castagnoli), body), nil
}

// decode reads a line without its line feed; ok is false for a damaged one.
func decode(b []byte) (key passKey, k kept, ok bool) {
	if len(b) <= crcDigits || b[crcDigits] != ' ' {
		return key, k, false
	}
	body := b[crcDigits+1:]
	if string(b[:crcDigits]) != fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) {
		return key, k, false
	}
	var l line
	if json.Unmarshal(body, &l) != nil || len(l.Key) != 2*len(key) || (l.Answer == nil) == (len(l.Scores) == 0) {
		return key, k, false
	}
	if _, err := hex.Decode(key[:], []byte(l.Key)); err != nil {
		return key, k, false
	}
	if a := l.Answer; a != nil {
		if a.Raw != nil {
			a.Text = string(a.Raw)
		}
		k.answer = assistant.Answer{
			Text: a.Text, Stop: a.Stop, PromptTokens: a.PromptTokens, ReusedTokens: a.ReusedTokens,
			OutputTokens: a.OutputTokens, Prefill: a.Prefill, Decode: a.Decode, Earlier: true,
		}
		return key, k, ended(a.Stop)
	}
	for _, bits := range l.Scores {
		k.scores = append(k.scores, math.Float32frombits(bits))
	}
	return key, k, true
}

// ended reports whether an answer stopped by itself, so that asking again gives the same.
func ended(s assistant.StopReason) bool {
	return s == assistant.StopEnd || s == assistant.StopLength || s == assistant.StopLoop
}

// parse reads a log. whole is the length up to the end of its last line: what follows
// is torn. Damaged lines are left out.
func parse(b []byte) (passes map[passKey]kept, whole int64) {
	passes = map[passKey]kept{}
	rest := b
	for {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return passes, int64(len(b) - len(rest))
		}
		if key, k, ok := decode(rest[:i]); ok {
			passes[key] = k
		}
		rest = rest[i+1:]
	}
}

// openLog reads the log at path, making it if there is none, cuts a torn end off, and
// leaves the file open for more.
func openLog(path string) (*passLog, map[passKey]kept, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxLogBytes))
	passes, whole := parse(b)
	if err == nil && whole < int64(len(b)) {
		err = f.Truncate(whole)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("journal: %w", errors.Join(err, f.Close()))
	}
	return &passLog{f: f}, passes, nil
}

// logFile is what a log is written to.
type logFile interface {
	io.WriteCloser
	Sync() error
}

// passLog appends lines to a file and syncs them. After a failure it writes nothing
// more: what follows a torn line would be lost with it.
type passLog struct {
	trouble func(error) // called once, by the first failure; may be nil

	mu     sync.Mutex
	f      logFile
	timer  *time.Timer // of the next sync; nil when nothing waits for one
	failed bool
	closed bool
}

// append writes a line in one piece.
func (l *passLog) append(line []byte) {
	l.mu.Lock()
	if l.failed || l.closed {
		l.mu.Unlock()
		return
	}
	_, err := l.f.Write(line)
	if l.timer == nil {
		l.timer = time.AfterFunc(syncEvery, l.sync)
	}
	tell := l.check(err)
	l.mu.Unlock()
	tell()
}

// sync brings what was written to the disk; passes may be written meanwhile.
func (l *passLog) sync() {
	l.mu.Lock()
	l.timer = nil
	l.mu.Unlock()
	err := l.f.Sync()
	l.mu.Lock()
	if l.closed {
		err = nil // close has synced
	}
	tell := l.check(err)
	l.mu.Unlock()
	tell()
}

// check notes a failure and returns what tells of the first one; the caller holds mu
// and calls it without.
func (l *passLog) check(err error) func() {
	if err == nil || l.failed {
		return func() {}
	}
	l.failed = true
	return func() {
		if l.trouble != nil {
			l.trouble(fmt.Errorf("journal: %w", err))
		}
	}
}

// close syncs and closes the file. It may be called more than once.
func (l *passLog) close() {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.closed = true
	var err error
	if l.timer != nil {
		l.timer.Stop()
		err = l.f.Sync()
	}
	tell := l.check(errors.Join(err, l.f.Close()))
	l.mu.Unlock()
	tell()
}

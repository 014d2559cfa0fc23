// Package chat lays a conversation out as the model was trained to read it,
// following the chat template of the model file.
//
// The text of the messages never meets the template. The template is rendered
// with an unguessable mark in the place of each message and the result is cut
// at the marks: what stands between is the template's own text, in which
// control tokens are recognised (Control pieces); the messages are put back as
// plain pieces, each part tokenized by itself. So a document that spells
// "<|im_end|>" cannot end a turn.
//
// Well-known templates are recognised by their hash and laid out by code here.
// Any other template is a program from a file of unknown origin, and the
// template library has no limits: it runs in a child process (the program
// itself, see RunChild) with bounded time, memory, stack and output, and sees
// marks and roles only. Where a child cannot be started (phones), only
// well-known templates and the default of the architecture are available.
//
// A Template is safe for concurrent use.
package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
)

// The roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role string
	// Parts are the message's text, to be read one after the other. Each is
	// tokenized by itself, so that its tokens do not depend on its neighbours.
	Parts []string
}

// Piece is a stretch of the prompt.
type Piece struct {
	Text string
	// Control tells that the text is the template's: spellings of control tokens
	// in it are control tokens. All other text is data.
	Control bool
}

// Template lays out conversations for one model.
type Template struct {
	style  *style   // of a well-known template, or
	script *program // any other

	mu     sync.Mutex
	layout map[string]layout // by roles; only for script
}

// layout is a conversation without its messages: text[i] stands before message
// i, the last one after all messages.
type layout struct {
	text []string
	trim []trim // per message
}

// trim says what the template does to the white space around a message.
type trim struct{ left, right bool }

// maxLayouts bounds the cache of layouts; a program uses a handful.
const maxLayouts = 64

type options struct {
	has      func(string) bool
	bos, eos string
}

// Option adds what is known about the vocabulary.
type Option func(*options)

// Vocabulary gives a test for the spellings of control tokens. Without it, no
// default is chosen for architectures that come with several layouts.
func Vocabulary(has func(spelling string) bool) Option {
	return func(o *options) { o.has = has }
}

// SpecialTokens gives the spellings that a template gets as bos_token and eos_token.
func SpecialTokens(bos, eos string) Option {
	return func(o *options) { o.bos, o.eos = bos, eos }
}

// New prepares the template of a model file (tokenizer.chat_template) for the
// given general.architecture. If the source is empty or cannot be used, the
// default layout of the architecture is taken and a note says so; with no
// default, or if the template exceeds the limits, it returns an error. A
// conversation is never laid out by guess.
//
// It may start a child process and take up to a few seconds. A rendering may
// begin with the BOS token as text; the caller must not add a second one.
func New(source, arch string, opts ...Option) (t *Template, notes []string, err error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if strings.TrimSpace(source) == "" {
		return byArchitecture(arch, &o, "the file has no chat template")
	}
	sum := sha256.Sum256([]byte(source))
	if s, ok := wellKnown[hex.EncodeToString(sum[:])]; ok {
		return &Template{style: s}, nil, nil
	}
	p := &program{source: source, bos: o.bos, eos: o.eos}
	notes, err = p.probe()
	var limit *LimitError
	if errors.As(err, &limit) {
		return nil, nil, err
	}
	if err != nil {
		return byArchitecture(arch, &o, "the file's chat template cannot be used ("+err.Error()+")")
	}
	return &Template{script: p, layout: map[string]layout{}}, notes, nil
}

// byArchitecture returns the default layout with a note that gives the reason.
func byArchitecture(arch string, o *options, reason string) (*Template, []string, error) {
	name, s := defaultStyle(arch, o.has)
	if s == nil {
		return nil, nil, fmt.Errorf("chat: %s and architecture %q has no default layout", reason, arch)
	}
	return &Template{style: s}, []string{fmt.Sprintf("%s; using the %s layout of architecture %q", reason, name, arch)}, nil
}

// Render lays the conversation out. With addGenerationPrompt the result ends
// where the assistant begins to speak. The pieces' texts, joined, are what the
// model's own template gives for the same messages; parts share memory with
// msgs. Errors: no messages, an unknown role, or a template that refuses,
// drops, repeats or reorders messages.
func (t *Template) Render(msgs []Message, addGenerationPrompt bool) ([]Piece, error) {
	if len(msgs) == 0 {
		return nil, errors.New("chat: no messages")
	}
	roles := make([]string, len(msgs))
	for i, m := range msgs {
		switch m.Role {
		case System, User, Assistant:
			roles[i] = m.Role
		default:
			return nil, fmt.Errorf("chat: message %d: unknown role %q", i, m.Role)
		}
	}
	l, err := t.lay(roles, addGenerationPrompt)
	if err != nil {
		return nil, err
	}
	var out []Piece
	add := func(text string, control bool) {
		if text != "" {
			out = append(out, Piece{Text: text, Control: control})
		}
	}
	for i, m := range msgs {
		add(l.text[i], true)
		for _, part := range trimmed(m.Parts, l.trim[i]) {
			add(part, false)
		}
	}
	add(l.text[len(msgs)], true)
	return out, nil
}

// lay returns the layout for a sequence of roles.
func (t *Template) lay(roles []string, gen bool) (layout, error) {
	if t.style != nil {
		return t.style.lay(roles, gen), nil
	}
	key := fmt.Sprint(gen, roles)
	t.mu.Lock()
	l, ok := t.layout[key]
	t.mu.Unlock()
	if ok {
		return l, nil
	}
	l, err := t.script.lay(roles, gen)
	if err != nil {
		return layout{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.layout) >= maxLayouts {
		clear(t.layout)
	}
	t.layout[key] = l
	return l, nil
}

// trimmed drops the white space around a message as the template would.
func trimmed(parts []string, tr trim) []string {
	if !tr.left && !tr.right {
		return parts
	}
	parts = append([]string(nil), parts...)
	for i := 0; tr.left && i < len(parts); i++ {
		parts[i] = strings.TrimLeftFunc(parts[i], isSpace)
		if parts[i] != "" {
			break
		}
	}
	for i := len(parts) - 1; tr.right && i >= 0; i-- {
		parts[i] = strings.TrimRightFunc(parts[i], isSpace)
		if parts[i] != "" {
			break
		}
	}
	return parts
}

// isSpace tells what Python's str.strip removes: white space and the four
// information separators.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

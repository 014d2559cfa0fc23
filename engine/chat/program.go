package chat

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
)

// program is a template that is not well known. It runs in a child process.
type program struct {
	source   string
	bos, eos string
}

// padding stands around the mark of a message, to see whether the template
// drops white space there. No template writes this sequence itself.
const padding = "\n \t\n\t \n"

// turn is a message as the template sees it.
type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// conversation is one rendering to do.
type conversation struct {
	Turns []turn `json:"turns"`
	Gen   bool   `json:"gen"`
}

// newMark returns a text that no template can know.
func newMark() string { return "m" + rand.Text() }

// lay renders the template for the roles and cuts the result at the marks.
func (p *program) lay(roles []string, gen bool) (layout, error) {
	marks := make([]string, len(roles))
	c := conversation{Gen: gen}
	for i, role := range roles {
		marks[i] = newMark()
		c.Turns = append(c.Turns, turn{role, padding + marks[i] + padding})
	}
	results, err := p.run([]conversation{c})
	if err != nil {
		return layout{}, err
	}
	if results[0].Error != "" {
		return layout{}, fmt.Errorf("chat: the template refuses this conversation: %s", results[0].Error)
	}
	return cut(results[0].Text, roles, marks)
}

// cut splits a rendering at the marks.
func cut(text string, roles, marks []string) (layout, error) {
	l := layout{trim: make([]trim, len(marks))}
	rest := text
	for i, mark := range marks {
		switch n := strings.Count(text, mark); {
		case n == 0:
			return layout{}, fmt.Errorf("chat: the template drops or changes the text of message %d (%s)", i, roles[i])
		case n > 1:
			return layout{}, fmt.Errorf("chat: the template repeats message %d (%s) %d times", i, roles[i], n)
		}
		before, after, found := strings.Cut(rest, mark)
		if !found {
			return layout{}, fmt.Errorf("chat: the template moves message %d (%s) before an earlier one", i, roles[i])
		}
		l.trim[i] = trim{!strings.HasSuffix(before, padding), !strings.HasPrefix(after, padding)}
		l.text = append(l.text, strings.TrimSuffix(before, padding))
		rest = strings.TrimPrefix(after, padding)
	}
	l.text = append(l.text, rest)
	for _, s := range l.text {
		if strings.Contains(s, padding) {
			return layout{}, fmt.Errorf("chat: the template changes the white space around messages")
		}
	}
	return l, nil
}

// decoys are message texts that templates of existing models look for. If the
// layout differs from that of a plain text, the template looks into messages.
var decoys = []string{
	"<think>\na\n</think>\n\nb", "<tool_call>{}</tool_call>", "<tool_response>", "/no_think", "{{ 1 }}{% if x %}", "{\"name\": 1}",
	"<|channel|>", "[INST]", "\n\n", strings.Repeat("long text ", 400),
}

// probe renders the template once for the shortest conversation, which must
// work, and for others that tell how it treats messages.
func (p *program) probe() (notes []string, err error) {
	mark := newMark()
	one := func(role, content string) conversation {
		return conversation{Gen: true, Turns: []turn{{role, content}}}
	}
	jobs := []conversation{
		one(User, mark),
		{Gen: true, Turns: []turn{{System, mark}, {User, "x"}}},
	}
	for _, d := range decoys {
		jobs = append(jobs, one(User, mark+d))
		jobs = append(jobs, conversation{Turns: []turn{{User, "x"}, {Assistant, mark + d}}})
	}
	plain := conversation{Turns: []turn{{User, "x"}, {Assistant, mark}}}
	jobs = append(jobs, plain)
	results, err := p.run(jobs)
	if err != nil {
		return nil, err
	}
	if results[0].Error != "" {
		return nil, fmt.Errorf("%s", results[0].Error)
	}
	if strings.Count(results[0].Text, mark) != 1 {
		return nil, fmt.Errorf("it does not contain the user's message once")
	}
	if results[1].Error != "" || !strings.Contains(results[1].Text, mark) {
		notes = append(notes, "the chat template does not take a system message")
	}
	last := results[len(results)-1]
	looksInside := slices.ContainsFunc(decoys, func(d string) bool {
		i := 2 + 2*slices.Index(decoys, d)
		return shape(results[i], mark, d) != shape(results[0], mark, "") || shape(results[i+1], mark, d) != shape(last, mark, "")
	})
	if looksInside {
		notes = append(notes, "the chat template looks into the text of messages; they are passed unchanged")
	}
	return notes, nil
}

// shape returns a rendering without the message mark+decoy (or its part that a
// trimming template leaves).
func shape(r result, mark, decoy string) string {
	before, after, ok := strings.Cut(r.Text, mark)
	if !ok {
		return r.Error
	}
	for _, d := range []string{decoy, strings.TrimRight(decoy, " \n")} {
		if rest, ok := strings.CutPrefix(after, d); ok {
			return before + "|" + rest
		}
	}
	return r.Text
}

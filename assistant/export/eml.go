package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-message/mail"

	"windowseat/assistant"
)

// EML renders the email draft as a message that mail programs open for editing
// (X-Unsent). It has no sender: the mail program fills in its own. date is the
// message's date. It returns nil without a draft.
//
// A recipient of whom only the name is known becomes an empty group, "Name:;", which
// is the one valid form of a name without an address (RFC 5322, 3.4); no address is
// made up. The user replaces it; it cannot be delivered to.
//
// What the wording changed, and that a draft is unconfirmed, is told by a mark that
// opens the subject. Whoever composes a mail sees its subject, and forgetting to take
// the mark away does less harm than sending a wrong figure. A note in the body or an
// attachment would be sent along with its details, and other header fields are shown
// to nobody; X-Windowseat-Check has the details for programs all the same.
func EML(d *assistant.RunDocument, o Options, date time.Time) ([]byte, error) {
	for _, it := range d.Email {
		if f, ok := it.Fields.(assistant.EmailFields); ok {
			return draft(it, f, wordsOf(o.Lang), date)
		}
	}
	return nil, nil
}

// MailCheck says what of the email draft has to be checked before it is sent, a line
// for each: that it is unconfirmed, and what its wording changed. It is empty when there
// is nothing to check, or no draft.
func MailCheck(d *assistant.RunDocument, lang string) []string {
	for _, it := range d.Email {
		if f, ok := it.Fields.(assistant.EmailFields); ok {
			return checkLines(it, f, wordsOf(lang))
		}
	}
	return nil
}

func checkLines(it assistant.Item, f assistant.EmailFields, say func(string) string) []string {
	lines := changeLines(f.ChangedFacts, say)
	if m := markOf(it, say); m != "" {
		lines = append([]string{m}, lines...)
	}
	return lines
}

func draft(it assistant.Item, f assistant.EmailFields, say func(string) string, date time.Time) ([]byte, error) {
	body := crlf(f.Body)
	subject := oneLine(f.Subject)
	check := checkLines(it, f, say)
	if len(check) > 0 {
		subject = fmt.Sprintf("[%s] %s", say("mail_check"), subject)
	}
	var h mail.Header // a field is put above those that are there
	h.Set("Content-Transfer-Encoding", transferEncoding(body))
	h.SetContentType("text/plain", map[string]string{"charset": "utf-8"})
	h.Set("MIME-Version", "1.0")
	if len(check) > 0 {
		h.Set("X-Windowseat-Check", encodedWords(strings.Join(check, " | ")))
	}
	h.SetMessageID(messageID(date.UTC().Format(time.RFC3339), strings.Join(f.To, "\x00"), strings.Join(f.CC, "\x00"), subject, body))
	h.Set("Subject", encodedWords(subject))
	for _, a := range []struct {
		key   string
		names []string
	}{{"Cc", f.CC}, {"To", f.To}} {
		if list := recipients(a.names); list != "" {
			h.Set(a.key, list)
		}
	}
	h.SetDate(date)
	h.Set("X-Unsent", "1")

	var b bytes.Buffer
	w, err := mail.CreateSingleInlineWriter(&b, h)
	if err == nil {
		_, err = w.Write([]byte(body))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("export: eml: %w", err)
	}
	return b.Bytes(), nil
}

// crlf is text of a body: lines end in CRLF, bytes that are not UTF-8 are U+FFFD, and
// NUL is gone.
func crlf(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\r\n") + "\r\n"
}

// transferEncoding is quoted-printable for what is mostly ASCII, which stays legible
// in the file, and base64 for the rest, where the former takes nine bytes for each
// Chinese character.
func transferEncoding(body string) string {
	other := 0
	for i := range len(body) {
		if body[i] >= utf8.RuneSelf {
			other++
		}
	}
	if 6*other > len(body) {
		return "base64"
	}
	return "quoted-printable"
}

// messageID is a hash, with a host part that names no host.
func messageID(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h[:16]) + "@windowseat.invalid"
}

// recipients writes addresses and, for names without one, empty groups.
func recipients(names []string) string {
	var out []string
	for _, n := range names {
		n = oneLine(n)
		if n == "" {
			continue
		}
		if a, err := mail.ParseAddress(n); err == nil && ascii(a.Address) {
			address := "<" + a.Address + ">"
			if a.Name != "" {
				address = phrase(oneLine(a.Name)) + " " + address
			}
			out = append(out, address)
			continue
		}
		out = append(out, phrase(n)+" :;") // the blank parts an encoded word from the colon (RFC 2047, 5)
	}
	return strings.Join(out, ", ")
}

// phrase is a display name: a quoted string or encoded words.
func phrase(name string) string {
	if enc := encodedWords(name); enc != name {
		return enc
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// encodedWords is text of a header field of one line (RFC 2047): text itself if it is
// plain ASCII that folds well and cannot be taken for encoded words, else encoded words of
// whole characters, which readers join without the blanks between them.
func encodedWords(s string) string {
	if ascii(s) && !strings.Contains(s, "=?") && longestWord(s) <= 60 {
		return s
	}
	const most = 33 // bytes of text in a word: 44 of base64 and 12 around them fit a line of 76 beside the longest key
	var words []string
	for len(s) > 0 {
		n := 0
		for n < len(s) {
			_, size := utf8.DecodeRuneInString(s[n:])
			if n+size > most {
				break
			}
			n += size
		}
		words = append(words, "=?utf-8?B?"+base64.StdEncoding.EncodeToString([]byte(s[:n]))+"?=")
		s = s[n:]
	}
	return strings.Join(words, " ")
}

// ascii reports whether s is printable ASCII.
func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

func longestWord(s string) int {
	n := 0
	for _, w := range strings.Fields(s) {
		n = max(n, len(w))
	}
	return n
}

// Package prompts holds the texts that the assistant gives to the model, in
// Chinese and English, and the JSON Schemas of what the model fills in. It knows
// nothing of documents, engines or results.
//
// A text is a file under texts/<language>/<kind>.txt with the sections
// "=== system", any number of "=== user" / "=== assistant" pairs (the worked
// examples) and "=== tail". All texts are tied to one [Version]: a test compares
// a hash of them, so that a changed text forces a new version and stored results
// can be told apart. All functions are safe for concurrent use.
package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
)

// Version names the texts and schemas as they stand; it goes into every result.
const Version = "4"

// Kind names one job that the model is given.
type Kind string

// The kinds.
const (
	Todo      Kind = "todo"      // is there a todo in the marked sentence, and what is it
	Decision  Kind = "decision"  // is there a decision in the marked sentence
	Risk      Kind = "risk"      // is there a risk in the marked sentence
	Part      Kind = "part"      // the main points of one part
	Merge     Kind = "merge"     // one overview from main points
	Title     Kind = "title"     // a title for one topic
	Email     Kind = "email"     // subject and opening of an email
	Translate Kind = "translate" // one sentence into the language of the text
)

// Kinds returns every kind.
func Kinds() []Kind { return []Kind{Todo, Decision, Risk, Part, Merge, Title, Email, Translate} }

// Languages are the languages in which every text exists.
var Languages = [...]string{"zh", "en"}

// Text is one prompt: the rules, worked examples, and a short question that
// follows the document's text.
type Text struct {
	System   string
	Examples []Example
	Tail     string
}

// Example is one worked example.
type Example struct{ User, Assistant string }

//go:embed texts
var files embed.FS

// Get returns the text of a kind in a language ("zh" or "en"). It fails for a
// kind or language that does not exist.
func Get(kind Kind, language string) (Text, error) {
	raw, err := files.ReadFile("texts/" + language + "/" + string(kind) + ".txt")
	if err != nil {
		return Text{}, fmt.Errorf("prompts: no text %q in language %q", kind, language)
	}
	t, err := parse(string(raw))
	if err != nil {
		return Text{}, fmt.Errorf("prompts: %s/%s: %w", language, kind, err)
	}
	return t, nil
}

// Hash returns the sha256 (hex) over the names and bytes of all texts.
func Hash() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, "texts", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s %d\n", path, len(raw))
		h.Write(raw)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("prompts: hash: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// parse splits a text file into its sections.
func parse(raw string) (Text, error) {
	var t Text
	seen := map[string]int{}
	for _, section := range strings.Split("\n"+raw, "\n=== ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		body = strings.Trim(body, "\n")
		seen[name]++
		switch name {
		case "system":
			t.System = body
		case "user":
			t.Examples = append(t.Examples, Example{User: body})
		case "assistant":
			if len(t.Examples) != seen["assistant"] {
				return t, fmt.Errorf("assistant section %d has no user section", seen["assistant"])
			}
			t.Examples[len(t.Examples)-1].Assistant = body
		case "tail":
			t.Tail = body
		default:
			return t, fmt.Errorf("unknown section %q", name)
		}
	}
	if t.System == "" || seen["user"] != seen["assistant"] || seen["system"] != 1 || seen["tail"] != 1 {
		return t, fmt.Errorf("incomplete: %v", seen)
	}
	return t, nil
}

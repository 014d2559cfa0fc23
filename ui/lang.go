package ui

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"fyne.io/fyne/v2/lang"
)

//go:embed lang/zh.json lang/en.json
var langFiles embed.FS

// Languages of the interface.
const (
	Chinese = "zh"
	English = "en"
)

// words is the table of one language: key to sentence with {name} placeholders.
type words struct {
	lang  string
	table map[string]string
}

// loadWords returns the table for "zh" or "en".
func loadWords(language string) (*words, error) {
	data, err := langFiles.ReadFile("lang/" + language + ".json")
	if err != nil {
		return nil, fmt.Errorf("ui: no words for language %q", language)
	}
	w := &words{lang: language}
	if err := json.Unmarshal(data, &w.table); err != nil {
		return nil, fmt.Errorf("ui: words for %q: %w", language, err)
	}
	return w, nil
}

// has reports whether there is a sentence for key.
func (w *words) has(key string) bool {
	_, ok := w.table[key]
	return ok
}

// t returns the sentence for key with its placeholders filled in from pairs of name
// and value. A missing key shows itself, which a test forbids.
func (w *words) t(key string, pairs ...any) string {
	s, ok := w.table[key]
	if !ok {
		return key
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, "{"+fmt.Sprint(pairs[i])+"}", fmt.Sprint(pairs[i+1]))
	}
	return s
}

// pickLanguage turns an option into a language of ours: "zh", "en", or the system's
// when it is empty.
func pickLanguage(option string) string {
	if option == "" {
		option = cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
	}
	if option == "" { // as on Windows, macOS and Android
		option = lang.SystemLocale().LanguageString()
	}
	if strings.HasPrefix(strings.ToLower(option), Chinese) {
		return Chinese
	}
	return English
}

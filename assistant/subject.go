package assistant

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"windowseat/prompts"
)

// askSubject asks what a title in another language is about. An answer that was cut off,
// loses one of its figures or Latin words, or adds one, is not taken: the title then
// stays as it is, which is a name.
func (j *job) askSubject(ctx context.Context, title, lang string) string {
	var reply struct {
		Subject string `json:"subject"`
	}
	p, err := promptOf(prompts.Email, lang, []string{mergeRow(title, fmt.Sprintf(mailPhrases[languageOf(title)].about, title))})
	if err != nil {
		return title
	}
	p.Schema, p.MaxTokens = prompts.SubjectSchema(), subjectAnswer
	if err := j.runner.ask(ctx, TaskEmail, p, &reply); err != nil {
		return title // counted by the runner
	}
	got := tidy(subjectStart.ReplaceAllString(reply.Subject, ""))
	if got == "" || utf8.RuneCountInString(reply.Subject) >= prompts.MaxTitle-cutShort || !inLanguage(got, lang, j.people.names) || len(j.compareFacts(title, got)) > 0 || len(j.leftWords(got, lang)) > 0 {
		return title
	}
	if !sharesWords(title, got, lang == LangEn) || !sharesWords(got, title, false) {
		return title
	}
	return capital(got)
}

const (
	subjectAnswer = 64
	cutShort      = 4 // how far below its limit an English line may end that was cut off there
)

var (
	subjectStart = rx(`^(?:(?:meeting )?(?:notes|minutes|summary)(?: (?:on|of|from|for|about))?(?: the)?[ :]+)`)
	latinWords   = regexp.MustCompile(`[A-Za-z]{2,}|[0-9][0-9.]*`)
)

// sharesWords reports whether all figures of a text, and with words its Latin words as
// well, stand in another.
func sharesWords(text, other string, words bool) bool {
	for _, w := range latinWords.FindAllString(text, -1) {
		if (words || w[0] <= '9') && !strings.Contains(strings.ToLower(other), strings.ToLower(strings.TrimRight(w, "."))) {
			return false
		}
	}
	return true
}

// plainTitle is a title without a remark in brackets and without the word minutes at
// its end, which the subject says anyway.
func plainTitle(title string) string {
	plain := strings.TrimSpace(titleEnd.ReplaceAllString(titleRemark.ReplaceAllString(title, ""), ""))
	if plain == "" {
		return title
	}
	return plain
}

var (
	titleRemark = rx(`\s*(?:（[^（）]*）|\([^()]*\))\s*$`)
	titleEnd    = rx(`[\s:：,，—-]*(?:会议)?(?:纪要|记录|总结)$|[\s:,—-]*(?:meeting )?(?:minutes|notes|summary|recap)$`)
)

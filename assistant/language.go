package assistant

import "unicode"

// Languages of output.
const (
	LangZh   = "zh"
	LangEn   = "en"
	LangAuto = "auto" // the language of the sources
)

// hanShare is the share of Han characters among the letters of a text, where a
// Latin word of five letters weighs as much as a Han character of meaning: 0.4.
func hanShare(text string) float64 {
	han, latin := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.IsLetter(r):
			latin++
		}
	}
	if han+latin == 0 {
		return -1
	}
	return float64(han) / (float64(han) + 0.4*float64(latin))
}

// languageOf decides between Chinese and English by script share.
func languageOf(text string) string {
	if hanShare(text) >= 0.4 {
		return LangZh
	}
	return LangEn
}

// inLanguage reports whether a text is in the language. Names and product words
// keep their own script, so the share is judged loosely, and a text without
// letters fits every language. names are taken out before.
func inLanguage(text, lang string, names []string) bool {
	share := hanShare(removeAll(text, names))
	if share < 0 {
		return true
	}
	if lang == LangZh {
		return share >= 0.3
	}
	return share <= 0.25
}

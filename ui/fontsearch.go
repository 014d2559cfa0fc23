package ui

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/fontscan"
)

// quiet drops the scanner's log: a broken font on the system is not our news.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// searchFonts looks through all fonts of the system for one that covers simplified
// Chinese. It takes seconds at the first start of a program that uses the scanner,
// which then keeps an index; so it is for systems that have none of systemFonts.
func searchFonts() (regular, bold []byte) {
	all, err := fontscan.SystemFonts(quiet{}, fontIndexFolder())
	if err != nil {
		return nil, nil
	}
	r := bestFont(all, font.WeightNormal, "")
	if r == nil {
		return nil, nil
	}
	if regular = readFace(r.Location.File, int(r.Location.Index)); regular == nil {
		return nil, nil
	}
	if b := bestFont(all, font.WeightBold, r.Family); b != nil {
		bold = readFace(b.Location.File, int(b.Location.Index))
	}
	return regular, bold
}

// fontIndexFolder is where Fyne lets the same scanner keep its index, "" for the
// user's cache folder.
func fontIndexFolder() string {
	if runtime.GOOS == "android" {
		return filepath.Join(os.Getenv("FILESDIR"), "fontcache")
	}
	return ""
}

// bestFont picks an upright font for Chinese, of that family if one is named, whose
// weight is the nearest; among those one without serifs, made for the simplified
// forms. It returns nil when nothing covers Chinese, or no bold is heavy enough.
func bestFont(all []fontscan.Footprint, weight font.Weight, family string) *fontscan.Footprint {
	chinese, ok := fontscan.NewLangID("zh-cn")
	if !ok {
		return nil
	}
	var best *fontscan.Footprint
	bestScore := float32(0)
	for i := range all {
		f := &all[i]
		if !f.Langs.Contains(chinese) || f.Aspect.Style == font.StyleItalic || f.Location.Instance != 0 {
			continue
		}
		if family != "" && (f.Family != family || f.Aspect.Weight < font.WeightSemibold) {
			continue
		}
		if score := fontScore(f, weight); best == nil || score > bestScore {
			best, bestScore = f, score
		}
	}
	return best
}

// fontScore is higher the better a font suits a user interface: the weight counts
// most (100 apart = 1 point), then the kind of design.
func fontScore(f *fontscan.Footprint, weight font.Weight) float32 {
	score := -float32(f.Aspect.Weight-weight) / 100
	if score > 0 {
		score = -score
	}
	name := strings.ToLower(f.Family)
	for part, points := range map[string]float32{
		"sans": 0.4, "hei": 0.4, "gothic": 0.2, "ui": 0.2,
		"serif": -0.6, "song": -0.3, "ming": -0.3, "kai": -0.5, "mono": -0.3,
	} {
		if strings.Contains(name, part) {
			score += points
		}
	}
	for _, end := range []string{"sc", "cn", "gb"} {
		if strings.HasSuffix(name, end) {
			score += 0.1
		}
	}
	return score
}

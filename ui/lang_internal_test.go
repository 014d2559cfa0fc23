package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

func bothTables(t *testing.T) (zh, en map[string]string) {
	t.Helper()
	z, err := loadWords(Chinese)
	require.NoError(t, err)
	e, err := loadWords(English)
	require.NoError(t, err)
	return z.table, e.table
}

func TestTablesHaveTheSameKeysAndPlaceholders(t *testing.T) {
	zh, en := bothTables(t)
	assert.Equal(t, sortedKeys(zh), sortedKeys(en))
	for key := range en {
		assert.NotEmpty(t, strings.TrimSpace(zh[key]), key)
		assert.NotEmpty(t, strings.TrimSpace(en[key]), key)
		a, b := placeholder.FindAllString(zh[key], -1), placeholder.FindAllString(en[key], -1)
		slices.Sort(a)
		slices.Sort(b)
		assert.Equal(t, a, b, "placeholders of %s", key)
	}
}

func TestEnglishHasNoChineseAndChineseHasSome(t *testing.T) {
	zh, en := bothTables(t)
	han := regexp.MustCompile(`\p{Han}`)
	for key, s := range en {
		assert.False(t, han.MatchString(s), "%s: %s", key, s)
	}
	for key, s := range zh {
		letters := regexp.MustCompile(`\p{L}`).MatchString(placeholder.ReplaceAllString(s, ""))
		if s != en[key] && letters { // names such as Markdown are the same in both
			assert.True(t, han.MatchString(s), "%s: %s", key, s)
		}
	}
}

// TestEveryKeyInTheCodeHasWords reads the keys out of the sources: those given as a
// whole, and the groups whose last part is a code.
func TestEveryKeyInTheCodeHasWords(t *testing.T) {
	_, en := bothTables(t)
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	key := regexp.MustCompile(`"((?:` + strings.Join(groups(en), "|") + `)\.[a-z0-9_.]*)"`)
	used := map[string]bool{}
	for _, path := range sources {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range key.FindAllStringSubmatch(string(data), -1) {
			used[m[1]] = true
		}
	}
	require.Greater(t, len(used), 100, "the sources were searched")
	for k := range used {
		if strings.HasSuffix(k, ".") || strings.HasSuffix(k, "_") {
			assert.True(t, anyPrefix(en, k), "no words begin with %q", k)
			continue
		}
		assert.Contains(t, en, k)
	}
	for k := range en {
		assert.True(t, used[k] || prefixUsed(used, k), "%s is not used", k)
	}
}

// groups returns the first parts of all keys.
func groups(table map[string]string) []string {
	seen := map[string]bool{}
	for k := range table {
		seen[k[:strings.IndexByte(k, '.')]] = true
	}
	return sortedKeys(seen)
}

func anyPrefix(table map[string]string, prefix string) bool {
	for k := range table {
		if strings.HasPrefix(k, prefix) {
			return true
		}
	}
	return false
}

func prefixUsed(used map[string]bool, key string) bool {
	for u := range used {
		if (strings.HasSuffix(u, ".") || strings.HasSuffix(u, "_")) && strings.HasPrefix(key, u) {
			return true
		}
	}
	return false
}

func TestPickLanguage(t *testing.T) {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		t.Setenv(name, "")
	}
	t.Setenv("LANG", "zh_CN.UTF-8")
	for option, want := range map[string]string{"": Chinese, "en": English, "zh": Chinese, "zh-Hant": Chinese, "fr": English} {
		assert.Equal(t, want, pickLanguage(option), option)
	}
}

package assets_test

import (
	"encoding/json"
	"io/fs"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assets"
)

func TestSamplesAreEmbedded(t *testing.T) {
	for _, trip := range []string{"trip", "trip-en"} {
		key, err := fs.ReadFile(assets.Samples(), trip+"/facts.json")
		require.NoError(t, err)
		require.True(t, json.Valid(key), "%s: the key is JSON", trip)
		files, err := fs.ReadDir(assets.Samples(), trip)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, len(files), 4, "%s: minutes, two recordings or more, the key", trip)
		for _, f := range files {
			b, err := fs.ReadFile(assets.Samples(), trip+"/"+f.Name())
			require.NoError(t, err)
			assert.True(t, utf8.Valid(b), "%s/%s", trip, f.Name())
			assert.NotEmpty(t, b)
		}
	}
}

package models_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/models"
	"windowseat/engine/models/fetch"
)

// The catalogue is data that a typing error would break only on somebody's
// machine, so its parts are checked against each other.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	last := int64(1) << 62
	for _, e := range models.Catalogue() {
		assert.Less(t, e.Bytes, last, "%s: largest first", e.ID)
		last = e.Bytes
		for _, name := range append([]string{e.ID}, e.Aliases...) {
			assert.False(t, seen[name], "%s twice", name)
			assert.Equal(t, strings.ToLower(name), name)
			seen[name] = true
			found, err := models.Find(strings.ToUpper(name))
			require.NoError(t, err)
			assert.Equal(t, e.ID, found.ID)
		}
		sum, err := hex.DecodeString(e.SHA256)
		assert.NoError(t, err)
		assert.Len(t, sum, 32)
		assert.NotEmpty(t, e.Name)
		assert.NotEmpty(t, e.Licence)
		assert.NotEmpty(t, e.Languages)
		assert.Positive(t, e.ContextLength)
		assert.Equal(t, e.Shape.HiddenSize, e.Shape.NumHeads*e.Shape.HeadDim)
		require.NotEmpty(t, e.Sources)
		assert.Equal(t, fetch.HTTPS, e.Sources[0].Kind)
		for _, src := range e.Sources {
			switch src.Kind {
			case fetch.HTTPS:
				assert.True(t, strings.HasPrefix(src.URL, "https://"), src.URL)
			case fetch.Packages:
				var total int64
				for _, p := range src.Packages {
					total += p.Bytes
				}
				assert.Equal(t, e.Bytes, total, "%s: the parts make the file", e.ID)
			default:
				assert.Fail(t, "unexpected source", src.Kind)
			}
		}
	}
}

func TestFindUnknown(t *testing.T) {
	_, err := models.Find("gpt-9")
	var unknown *models.UnknownError
	require.ErrorAs(t, err, &unknown)
	require.ErrorContains(t, err, "smollm2-135m-instruct-q4_1")
}

func TestDefault(t *testing.T) {
	for _, tc := range []struct {
		free int64
		id   string
		ok   bool
	}{
		{64e9, "qwen2.5-coder-1.5b-instruct-q4_k_m", true},
		{3_452_516_998, "qwen2.5-coder-1.5b-instruct-q4_k_m", true}, // 1,117,320,768 * 1.3 + 2 GB
		{3_452_516_997, "qwen2.5-coder-0.5b-instruct-q4_k_m", true},
		{2_638_820_083, "qwen2.5-coder-0.5b-instruct-q4_k_m", true}, // 491,400,064 * 1.3 + 2 GB
		{2_638_820_082, "smollm2-135m-instruct-q4_1", true},
		{1e9, "smollm2-135m-instruct-q4_1", false},
	} {
		e, ok := models.Default(tc.free)
		assert.Equal(t, tc.id, e.ID, "%d bytes", tc.free)
		assert.Equal(t, tc.ok, ok, "%d bytes", tc.free)
	}
}

func TestFit(t *testing.T) {
	e, err := models.Find("1.5b")
	require.NoError(t, err)
	p := models.Fit(e, 4096, 22e9)
	require.Equal(t, e.Shape.Packed, p.Weights)
	require.Equal(t, int64(2*4096*28_672), p.KV) // two contexts x 28 layers x 2 x 2 heads x 128 x f16
	require.Equal(t, p.Weights+p.KV+p.Scratch, p.Total)
	require.Equal(t, models.Fits, p.Verdict)

	require.Equal(t, int64(2*64*28_672), models.Fit(e, 1, 22e9).KV, "whole pages, and one to copy into")
	require.Equal(t, models.Fit(e, e.ContextLength, 0), models.Fit(e, 0, 0))
	require.Equal(t, models.Tight, models.Fit(e, 4096, p.Total).Verdict)
	require.Equal(t, models.Slow, models.Fit(e, 4096, p.Total-1).Verdict)
	require.Equal(t, models.Slow, models.Fit(e, 4096, p.Total-p.Weights+64<<20).Verdict)
	require.Equal(t, models.TooBig, models.Fit(e, 4096, p.Total-p.Weights).Verdict)
	// The rule of thumb knows no context, so the total must bind too.
	require.Equal(t, models.TooBig, models.Fit(e, 1<<20, 22e9).Verdict)
}

func TestFreeMemoryHere(t *testing.T) {
	free, err := models.FreeMemory()
	require.NoError(t, err)
	require.Positive(t, free)
	require.Less(t, free, int64(1)<<50)
}

func TestHome(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("WINDOWSEAT_HOME", dir)
	home, err := models.Home()
	require.NoError(t, err)
	require.Equal(t, dir, home)
	s, err := models.Open("", nil)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "models"), s.Dir())
	_, err = os.Stat(s.Dir())
	require.ErrorIs(t, err, os.ErrNotExist, "opening makes nothing")

	if runtime.GOOS != "linux" {
		t.Skip("the rest is about XDG folders, which this system does not have")
	}
	t.Setenv("WINDOWSEAT_HOME", "")
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "xdg"))
	home, err = models.Home()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "xdg", "windowseat"), home)
	t.Setenv("XDG_DATA_HOME", "relative/is/ignored")
	t.Setenv("HOME", dir)
	home, err = models.Home()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, ".local", "share", "windowseat"), home)
	t.Setenv("HOME", "")
	_, err = models.Home()
	require.ErrorContains(t, err, "WINDOWSEAT_HOME")
}

// With real files: the catalogue tells the truth about them, and a folder named
// by WINDOWSEAT_MODELS serves without any network.
func TestRealModels(t *testing.T) {
	dir := os.Getenv("WINDOWSEAT_MODELS")
	if dir == "" {
		t.Skip("set WINDOWSEAT_MODELS to a folder with the model files of the catalogue to run this")
	}
	s, err := models.Open(t.TempDir(), nil)
	require.NoError(t, err)
	found := 0
	for _, e := range models.Catalogue() {
		path := filepath.Join(dir, e.FileName())
		if _, err := os.Stat(path); err != nil {
			t.Logf("skipped: %s is not there", e.FileName())
			continue
		}
		found++
		own, err := models.Find(path)
		require.NoError(t, err)
		assert.Equal(t, e.Shape, own.Shape)
		assert.Equal(t, e.Architecture, own.Architecture)
		assert.Equal(t, e.ContextLength, own.ContextLength)
		st, err := s.Locate(t.Context(), e.ID, nil)
		require.NoError(t, err)
		assert.Equal(t, e.SHA256, st.SHA256)
	}
	require.Positive(t, found, "no model of the catalogue in WINDOWSEAT_MODELS")
}

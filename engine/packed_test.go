package engine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/gguf"
	"windowseat/engine/kernels"
	"windowseat/engine/pack"
	"windowseat/engine/tinymodel"
)

// packOf is the pack beside a model file.
func packOf(model string) string { return pack.Places(model, "")[0] }

// openState opens a model, checks how its weights were made ready, and returns some
// logits.
func openState(t testing.TB, model, dir, state string) [][]float32 {
	t.Helper()
	e, err := Open(context.Background(), model, Options{Threads: 2, PackDir: dir})
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	require.Equal(t, state, e.Info().Pack.State, e.Info().Pack.Reason)
	if state == PackMapped || state == PackWritten {
		info, err := os.Stat(e.Info().Pack.Path)
		require.NoError(t, err)
		require.Equal(t, info.Size(), e.Info().Pack.Bytes)
	}
	return engineLogits(e, randomTokens(40, 11), 16)
}

// The logits are the same bits with weights in memory, in a pack just written, and in
// one of an earlier start, on every kernel path.
func TestPackGivesTheSameLogits(t *testing.T) {
	inGrain(t, kernels.Fine)
	for _, spec := range []tinymodel.Spec{tinymodel.Qwen(), tinymodel.Llama()} {
		model := write(t, spec)
		want := openState(t, model, NoPack, PackOff)
		_, err := os.Stat(packOf(model))
		require.ErrorIs(t, err, os.ErrNotExist)
		require.Equal(t, want, openState(t, model, "", PackWritten))
		onEveryPath(t, func(t *testing.T) {
			require.Equal(t, want, openState(t, model, "", PackMapped))
		})
		changed := spec
		changed.Corrupt = "blk.1.ffn_up.weight"
		require.NotEqual(t, want, openState(t, write(t, changed), "", PackWritten), "one changed weight is seen")
	}
}

// A pack that does not fit its model file, or is damaged where that can be noticed, is
// made anew; with the other weights the logits are other ones.
func TestPackRebuilt(t *testing.T) {
	model := write(t, tinymodel.Qwen())
	want := openState(t, model, "", PackWritten)
	path := packOf(model)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	damage := func(at int, value byte) func(*testing.T) {
		return func(t *testing.T) {
			b := bytes.Clone(sound)
			b[at] ^= value
			require.NoError(t, os.WriteFile(path, b, 0o600))
		}
	}
	section := bytes.Index(sound, []byte("TOK1"))
	require.Positive(t, section)
	for name, change := range map[string]func(t *testing.T){
		"magic":     damage(0, 1),
		"version":   damage(8, 1),
		"layout":    damage(12, 1),
		"header":    damage(48, 1),
		"table":     damage(200, 1),
		"tokenizer": damage(section+100, 1),
		"cut":       func(t *testing.T) { require.NoError(t, os.Truncate(path, int64(len(sound)-1))) },
		"empty":     func(t *testing.T) { require.NoError(t, os.Truncate(path, 0)) },
		"model_time": func(t *testing.T) {
			now := time.Now().Add(time.Hour)
			require.NoError(t, os.Chtimes(model, now, now))
		},
	} {
		t.Run(name, func(t *testing.T) {
			change(t)
			require.Equal(t, want, openState(t, model, "", PackWritten))
			require.Equal(t, want, openState(t, model, "", PackMapped))
		})
	}
	t.Run("model_weights", func(t *testing.T) {
		other := tinymodel.Qwen()
		other.Corrupt = "blk.0.attn_q.weight"
		require.NoError(t, other.Write(model))
		got := openState(t, model, "", PackWritten)
		require.NotEqual(t, want, got)
		require.Equal(t, openState(t, model, NoPack, PackOff), got)
	})
	only(t, filepath.Dir(model), filepath.Base(model), filepath.Base(path), filepath.Base(path)+".verified")
}

// only checks that a folder holds the named files and nothing else.
func only(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.ElementsMatch(t, append([]string{}, want...), names)
}

// A pack with right checksums whose sections do not fit the model is not used.
func TestPackOfWrongShape(t *testing.T) {
	model := write(t, tinymodel.Qwen())
	want := openState(t, model, NoPack, PackOff)
	f, err := gguf.Open(model)
	require.NoError(t, err)
	defer f.Close()
	src, err := pack.SourceOf(f, model, packLayout)
	require.NoError(t, err)
	e := open(t, tinymodel.Qwen(), Options{PackDir: NoPack})
	flat := e.Tokenizer().AppendFlat(nil)
	for name, sections := range map[string][]pack.Section{
		"empty":        {},
		"no_weights":   {{Name: tokenizerSection, Bytes: int64(len(flat))}},
		"no_tokenizer": {{Name: "blk.0.attn_q.weight", Bytes: int64(len(flat))}},
		"wrong_shape":  {{Name: tokenizerSection, Bytes: int64(len(flat))}, {Name: "blk.0.attn_q.weight", Rows: 16, Cols: 256}},
	} {
		w, err := pack.Create(packOf(model), src, sections)
		require.NoError(t, err)
		if len(sections) > 0 {
			_, err = w.Write(flat)
			require.NoError(t, err)
		}
		require.NoError(t, w.Commit())
		require.Equal(t, want, openState(t, model, "", PackWritten), name)
	}
}

// A folder that cannot be written sends the pack to the cache folder; without one the
// weights are in memory, and Info says why.
func TestPackFolders(t *testing.T) {
	home := t.TempDir()
	t.Setenv("WINDOWSEAT_HOME", home)
	model := write(t, tinymodel.Qwen())
	want := openState(t, model, NoPack, PackOff)
	places := pack.Places(model, "")
	// A folder of the pack's name, not empty, cannot be replaced by a file: also for root.
	require.NoError(t, os.MkdirAll(filepath.Join(places[0], "x"), 0o700))
	require.Equal(t, want, openState(t, model, "", PackWritten))
	require.Equal(t, want, openState(t, model, "", PackMapped))
	_, err := os.Stat(places[1])
	require.NoError(t, err)

	require.NoError(t, os.RemoveAll(filepath.Join(home, "packs")))
	require.NoError(t, os.WriteFile(filepath.Join(home, "packs"), nil, 0o600))
	require.Equal(t, want, openState(t, model, "", PackFailed))
	only(t, filepath.Dir(model), filepath.Base(model), filepath.Base(places[0]))

	dir := filepath.Join(home, "mine")
	require.Equal(t, want, openState(t, model, dir, PackWritten))
	require.Equal(t, want, openState(t, model, dir, PackMapped))
	name := filepath.Base(pack.Places(model, dir)[0])
	only(t, dir, name, name+".verified")
}

// What went wrong becomes a state.
func TestPackState(t *testing.T) {
	for state, err := range map[string]error{
		PackDiskFull: &pack.SpaceError{}, PackNoFolder: os.ErrPermission, PackFailed: errors.New("else"),
	} {
		assert.Equal(t, state, packState(errors.Join(err)))
	}
}

// Engines that open one model at the same time, with no pack there, all work.
func TestPackOpenedAtOnce(t *testing.T) {
	model := write(t, tinymodel.Qwen())
	want := openState(t, model, NoPack, PackOff)
	var wg sync.WaitGroup
	got := make([][][]float32, 4)
	for i := range got {
		wg.Go(func() {
			e, err := Open(context.Background(), model, Options{Threads: 1})
			if assert.NoError(t, err) {
				got[i] = engineLogits(e, randomTokens(40, 11), 16)
				assert.NoError(t, e.Close())
			}
		})
	}
	wg.Wait()
	for _, g := range got {
		require.Equal(t, want, g)
	}
	only(t, filepath.Dir(model), filepath.Base(model), filepath.Base(packOf(model)), filepath.Base(packOf(model))+".verified")
}

// A pack that is cut while it is mapped ends requests, not the program, on every path.
func TestPackCutWhileInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be cut")
	}
	for _, threads := range []int{1, 2} {
		onEveryPath(t, func(t *testing.T) {
			model := write(t, tinymodel.Qwen())
			openState(t, model, "", PackWritten)
			e, err := Open(context.Background(), model, Options{Threads: threads})
			require.NoError(t, err)
			require.Equal(t, PackMapped, e.Info().Pack.State)
			require.NoError(t, os.Truncate(packOf(model), 5000))
			for range 2 {
				st, err := e.Submit(context.Background(), Request{Segments: []Segment{{Text: strings.Repeat("the rain in spain ", 20)}}, MaxTokens: 5})
				require.NoError(t, err)
				_, err = st.Result()
				require.ErrorIs(t, err, ErrModelFile)
			}
			require.NotEmpty(t, e.Tokens([]Segment{{Text: "the tokenizer is a copy"}}))
			require.NoError(t, e.Close())
			openState(t, model, "", PackWritten)
		})
	}
}

// Cancelling while the pack is written leaves nothing behind.
func TestPackCancelled(t *testing.T) {
	model := write(t, tinymodel.Qwen())
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Open(ctx, model, Options{Progress: func(int64, int64) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	only(t, filepath.Dir(model), filepath.Base(model))
}

// Progress counts up to the whole while the pack is written.
func TestPackProgress(t *testing.T) {
	var last, total int64
	e := open(t, tinymodel.Llama(), Options{Progress: func(d, n int64) {
		require.Greater(t, d, last)
		last, total = d, n
	}})
	require.Equal(t, PackWritten, e.Info().Pack.State)
	require.Equal(t, total, last)
	require.Positive(t, total)
}

// maxPackRatio is what a pack may have of its model file's size.
const maxPackRatio = 1.03

// The packs of real models keep every bit and are hardly larger than the files, also
// when the embedding, which stays in the model file, is counted once more where the
// pack holds it as output matrix.
func TestRealPacks(t *testing.T) {
	for _, name := range realModels {
		t.Run(name, func(t *testing.T) {
			model, dir := modelFile(t, name), t.TempDir()
			tokens := openAt(t, model).Tokens([]Segment{{Text: "The committee will send the draft to Bob by Friday."}})
			probs := func(dir, state string) []float32 {
				e, err := Open(context.Background(), model, Options{PackDir: dir})
				require.NoError(t, err)
				defer func() { require.NoError(t, e.Close()) }()
				require.Equal(t, state, e.Info().Pack.State, e.Info().Pack.Reason)
				require.Equal(t, tokens, e.Tokens([]Segment{{Text: "The committee will send the draft to Bob by Friday."}}))
				p, err := e.LogProbs(context.Background(), tokens, 1)
				require.NoError(t, err)
				return p
			}
			want := probs(NoPack, PackOff)
			require.Equal(t, want, probs(dir, PackWritten))
			require.Equal(t, want, probs(dir, PackMapped))

			f, err := gguf.Open(model)
			require.NoError(t, err)
			defer f.Close()
			embd, ok := f.Tensor("token_embd.weight")
			require.True(t, ok)
			info, err := os.Stat(pack.Places(model, dir)[0])
			require.NoError(t, err)
			t.Logf("pack %d, model file %d, ratio %.4f; embedding left in the file %d", info.Size(), f.Size, float64(info.Size())/float64(f.Size), len(embd.Data))
			require.LessOrEqual(t, float64(info.Size()), maxPackRatio*float64(f.Size))
			if _, untied := f.Tensor("output.weight"); untied { // else the pack holds it already
				require.LessOrEqual(t, float64(info.Size())+float64(len(embd.Data)), maxPackRatio*float64(f.Size))
			}
		})
	}
}

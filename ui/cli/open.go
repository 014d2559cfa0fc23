package cli

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"

	"windowseat/engine"
	"windowseat/engine/gguf"
	"windowseat/engine/models"
	"windowseat/engine/tokenizer"
)

// store opens the model store in the program's data folder.
func (a *app) store() (*models.Store, error) { return models.Open("", nil) }

// locate returns the model file that --model means, verified.
func (a *app) locate(ctx context.Context) (models.Status, error) {
	s, err := a.store()
	if err != nil {
		return models.Status{}, err
	}
	bar := &lazyBar{a: a, key: "verifying"}
	defer bar.done()
	return s.Locate(ctx, a.flags.model, bar.set)
}

// openEngine loads the chosen model, showing progress.
func (a *app) openEngine(ctx context.Context) (*engine.Engine, error) {
	st, err := a.locate(ctx)
	if err != nil {
		return nil, err
	}
	e, _, err := a.openModel(ctx, st, engine.Options{Context: a.flags.ctx})
	return e, err
}

// openModel loads a model with the options of the call; o says the context and the
// KV cache.
func (a *app) openModel(ctx context.Context, st models.Status, o engine.Options) (*engine.Engine, models.Status, error) {
	bar := &lazyBar{a: a, key: "loading"}
	defer bar.done()
	o.Threads, o.KV, o.Progress = a.flags.threads, engine.KVFormat(a.flags.kv), bar.set
	e, err := a.openThatFits(ctx, st.Path, o)
	if err != nil {
		return nil, st, err
	}
	bar.done()
	a.context = contextRange{e.Info().Context, e.Info().TrainContext}
	if a.flags.ctx > a.context.most {
		_ = e.Close()
		return nil, st, a.usage("bad_ctx_model", a.flags.ctx, a.context.most)
	}
	if cores := runtime.NumCPU(); e.Info().Threads > cores {
		a.note("many_threads", e.Info().Threads, cores)
	}
	switch p := e.Info().Pack; p.State {
	case engine.PackDiskFull:
		a.note("pack_disk_full")
	case engine.PackNoFolder:
		a.note("pack_no_folder")
	case engine.PackFailed:
		a.note("pack_failed", p.Reason)
	}
	for _, text := range e.Info().ChatNotes {
		a.note("chat_note", text)
	}
	return e, st, nil
}

// minContext is the shortest context that still holds the rules of a task, a window
// and an answer.
const minContext = 2048

// openThatFits loads the model, and notes a context shorter than the default.
func (a *app) openThatFits(ctx context.Context, path string, o engine.Options) (*engine.Engine, error) {
	e, err := OpenThatFits(ctx, path, o)
	if err == nil && e.Info().Slow {
		a.note("slow_model", e.Info().FreeMemory>>20, e.Info().Plan.Weights>>20)
	}
	if err == nil && o.Context == 0 && e.Info().Context < min(engine.DefaultContext, e.Info().TrainContext) {
		a.note("context_reduced", e.Info().Context)
	}
	return e, err
}

// OpenThatFits opens a model if the machine has the memory, and returns an
// *engine.MemoryError if not. Where o asks for no context it takes the default or,
// for want of memory, a half or a quarter of it. Weights that do not all fit even then
// are left to be read from the disk again and again.
func OpenThatFits(ctx context.Context, path string, o engine.Options) (*engine.Engine, error) {
	if free, err := models.FreeMemory(); err == nil { // else unknown, and nothing is refused
		o.FreeMemory = free
	}
	asked := o.Context != 0
	for {
		e, err := engine.Open(ctx, path, o)
		var full *engine.MemoryError
		shorter := cmp.Or(o.Context, engine.DefaultContext) / 2
		switch {
		case !errors.As(err, &full) || o.Slow:
			return e, err
		case asked || shorter < minContext:
			o.Slow = true
		default:
			o.Context = shorter
		}
	}
}

// openTokenizer reads the tokenizer alone, without the weights.
func (a *app) openTokenizer(ctx context.Context) (*tokenizer.Tokenizer, func(), error) {
	st, err := a.locate(ctx)
	if err != nil {
		return nil, nil, err
	}
	f, err := gguf.Open(st.Path)
	if err != nil {
		return nil, nil, err
	}
	tok, err := tokenizer.FromGGUF(f)
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return tok, func() { _ = f.Close() }, nil
}

// lazyBar is a byte progress that appears with the first report.
type lazyBar struct {
	a   *app
	key string
	p   *progress
}

func (b *lazyBar) set(done, total int64) {
	if b.p == nil {
		b.p = b.a.newByteProgress(b.key, total)
	}
	b.p.set(done)
}

func (b *lazyBar) done() {
	if b.p != nil {
		b.p.done()
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

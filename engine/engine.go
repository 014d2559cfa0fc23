package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"windowseat/engine/chat"
	"windowseat/engine/gguf"
	"windowseat/engine/grammar"
	"windowseat/engine/kernels"
	"windowseat/engine/plan"
	"windowseat/engine/tokenizer"
)

// DefaultContext is the context length used when Options do not say one: room for
// a long part, its rules and an answer, at 230 MB of KV cache on a 1.5B model.
const DefaultContext = 8192

// Options configure Open. The zero value is usable.
type Options struct {
	Threads int // 0: DefaultThreads
	Context int // tokens per sequence; 0: DefaultContext, or less if the model was trained for less
	// FreeMemory is what the machine can give, in bytes: what needs more is refused with
	// a *MemoryError before anything is loaded. 0: do not ask.
	FreeMemory int64
	// Slow lets a model be opened whose weights do not all fit into FreeMemory but can be
	// mapped: they are then read from the disk again and again.
	Slow bool

	KVBytes  int64                   // budget of the KV cache, shared by all sequences; 0: KVSeqs contexts; never less than one
	KVSeqs   int                     // 0: 2
	KV       KVFormat                // "": KVF16
	Progress func(done, total int64) // bytes of weights made ready; may be nil

	// PackDir is the folder for the weight pack; "": beside the model file, or else in
	// the program's cache folder; NoPack: nowhere, each Open packs into memory.
	PackDir string
}

// Engine is one loaded model, ready for requests.
type Engine struct {
	file  *gguf.File
	pool  *pool
	sched *scheduler
	vocab *vocab
	chat  *chat.Template
	info  Info
	pack  *packStore
}

// Info describes the loaded model.
type Info struct {
	Config
	Name          string
	Context       int   // tokens per sequence
	WeightBytes   int64 // packed
	KVBytes       int64 // of the whole page pool
	KV            KVFormat
	Plan          plan.Memory // made before loading
	FreeMemory    int64       // what Options said
	Slow          bool        // the weights did not all fit into it
	Threads       int
	Kernels       string
	ChatNotes     []string
	LoadTime      time.Duration
	BytesPerToken int64 // KV cache
	ReadBytes     int64 // of weights that a decode step reads, as the GGUF has them
	BodyWeights   int64 // that each token of a prompt is multiplied with: all but the output matrix
	Pack          PackInfo
}

// Stats are counters since Open, and the state after the last step.
type Stats struct {
	Steps, Rows                  int64
	KV                           KVStats
	PrefixNodes, Active, Waiting int
}

// KVStats says in bytes who has the KV cache: Used by running requests, of that
// Shared by two or more of them, Cached by finished ones for the next that begin
// alike, Free. Used, Cached and Free make up Info.KVBytes.
type KVStats struct{ Used, Shared, Cached, Free int64 }

// DefaultThreads is how many threads a model uses when Options do not say: one per
// CPU, at most 8.
func DefaultThreads() int { return min(runtime.NumCPU(), 8) }

// Open verifies and loads the model file at path. It returns *gguf.FormatError
// for a damaged file, *gguf.UnsupportedError for one this engine cannot run, and
// ctx.Err() when cancelled. The first Open of a file packs its weights, which takes
// seconds; later ones map the pack that it left, see Options.PackDir.
func Open(ctx context.Context, path string, o Options) (*Engine, error) {
	start := time.Now()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see pool.guard
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	e := &Engine{file: f, pack: openPack(f, path, o)}
	if err := e.load(ctx, o); err != nil {
		if e.pool != nil {
			e.pool.close()
		}
		return nil, errors.Join(err, e.pack.close(), f.Close())
	}
	e.info.LoadTime = time.Since(start)
	go e.sched.loop()
	return e, nil
}

func (e *Engine) load(ctx context.Context, o Options) error {
	cfg, err := configFromGGUF(e.file)
	if err != nil {
		return err
	}
	tok, err := e.pack.tokenizer(e.file)
	if err != nil {
		return err
	}
	threads := o.Threads
	if threads <= 0 {
		threads = DefaultThreads()
	}
	e.fillInfo(cfg, tok.VocabSize(), threads, o)
	if o.FreeMemory > 0 && e.info.Plan.Total() > o.FreeMemory {
		full := &MemoryError{Plan: e.info.Plan, Free: o.FreeMemory}
		if !o.Slow || e.info.Plan.Least() > o.FreeMemory {
			return full
		}
		e.info.Slow, e.pack.unmapped = true, full
	}
	e.pool = newPool(threads)
	progress := func(done, total int64) {
		if o.Progress != nil {
			o.Progress(done, total)
		}
	}
	w, err := loadWeights(ctx, e.file, &cfg, e.pool, e.pack, tok, progress)
	if err != nil {
		return err
	}
	e.vocab = newVocab(tok)
	e.info.Config, e.info.WeightBytes, e.info.Pack = cfg, w.bytes(), e.pack.info
	e.info.ReadBytes, e.info.BodyWeights = e.file.PackedBytes(), w.body()
	if err := e.loadChat(); err != nil {
		return err
	}
	kv, err := newPagePool(cfg, e.info.KV, e.info.Plan.KV, e.info.Context)
	if err != nil {
		return err
	}
	e.info.KVBytes = kv.bytes()
	e.file.ReleaseAll() // from here on only rows of the embedding are read
	e.sched = newScheduler(newModel(cfg, w, e.pool), e.vocab, kv)
	return nil
}

// fillInfo says what is known of the model before its weights are loaded.
func (e *Engine) fillInfo(cfg Config, vocab, threads int, o Options) {
	cfg.Vocab = vocab
	e.info = Info{Config: cfg, FreeMemory: o.FreeMemory, Threads: threads, Kernels: kernels.Active(), KV: o.KV}
	if e.info.KV == "" {
		e.info.KV = KVF16
	}
	e.info.BytesPerToken = int64(blockBytes(cfg, e.info.KV) / kernels.PageTokens)
	e.info.Name, _ = e.file.String("general.name")
	e.info.Context = o.Context
	if o.Context <= 0 {
		e.info.Context = DefaultContext
	}
	e.info.Context = min(e.info.Context, cfg.TrainContext)
	e.info.Plan = plan.Of(cfg.shape(e.file.PackedBytes()), plan.Options{
		Context: e.info.Context, KVBytes: o.KVBytes, KVSeqs: o.KVSeqs, KV8: e.info.KV == KVQ8, Threads: threads,
	})
}

func (e *Engine) loadChat() error {
	tok := e.vocab.tok
	source, _ := e.file.String("tokenizer.chat_template")
	t, notes, err := chat.New(source, e.info.Arch,
		chat.Vocabulary(func(spelling string) bool { _, ok := tok.ID(spelling); return ok }),
		chat.SpecialTokens(e.spelling(tok.BOS), e.spelling(tok.EOS)))
	if err != nil {
		return err
	}
	e.chat, e.info.ChatNotes = t, notes
	return nil
}

// spelling returns how a special token is written, "" if the model has none.
func (e *Engine) spelling(token func() (int32, bool)) string {
	if id, ok := token(); ok {
		return string(e.vocab.tok.Piece(id))
	}
	return ""
}

// Close ends all requests with ErrClosed and frees the model.
func (e *Engine) Close() error {
	e.sched.stop()
	e.pool.close()
	e.sched.pool.mem.free()
	return errors.Join(e.pack.close(), e.file.Close())
}

// Info describes the loaded model.
func (e *Engine) Info() Info { return e.info }

// Tokenizer returns the model's tokenizer.
func (e *Engine) Tokenizer() *tokenizer.Tokenizer { return e.vocab.tok }

// Stats returns the counters.
func (e *Engine) Stats() Stats {
	e.sched.mu.Lock()
	defer e.sched.mu.Unlock()
	return e.sched.stats
}

// ForgetPrefixes drops all KV pages that no running request uses.
func (e *Engine) ForgetPrefixes() {
	e.sched.mu.Lock()
	e.sched.forget = true
	e.sched.mu.Unlock()
	e.sched.signal()
}

// Segment is a piece of a prompt that is tokenized by itself. In a Control segment
// control tokens are recognised; anywhere else their spellings are plain text.
type Segment struct {
	Text    string
	Control bool
}

// Chat renders messages with the model's chat template, up to where the answer
// begins. Template text becomes control segments, each message part a plain one.
func (e *Engine) Chat(msgs []chat.Message) ([]Segment, error) {
	pieces, err := e.chat.Render(msgs, true)
	if err != nil {
		return nil, err
	}
	segs := make([]Segment, len(pieces))
	for i, p := range pieces {
		segs[i] = Segment{Text: p.Text, Control: p.Control}
	}
	return segs, nil
}

// Tokens returns the ids of the segments, one after the other, with the
// beginning-of-sequence token first where the model wants one and the segments (a
// chat template, usually) do not bring it.
func (e *Engine) Tokens(segs []Segment) []int32 {
	var ids []int32
	if bos, ok := e.vocab.tok.BOS(); ok && e.vocab.tok.AddBOS() {
		brought := len(segs) > 0 && segs[0].Control && strings.HasPrefix(segs[0].Text, e.spelling(e.vocab.tok.BOS))
		if !brought {
			ids = append(ids, bos)
		}
	}
	return e.encode(ids, segs)
}

// encode appends the ids of the segments.
func (e *Engine) encode(ids []int32, segs []Segment) []int32 {
	for _, s := range segs {
		if s.Control {
			ids = e.vocab.tok.EncodeControl(ids, s.Text)
		} else {
			ids = e.vocab.tok.Encode(ids, s.Text)
		}
	}
	return ids
}

// CountTokens returns how many tokens the text has by itself, as plain text.
func (e *Engine) CountTokens(text string) int { return len(e.vocab.tok.Encode(nil, text)) }

// Request is one generation.
type Request struct {
	Segments  []Segment
	Schema    []byte // JSON Schema that the answer must satisfy; nil for free text
	Sampler   Sampler
	MaxTokens int // 0: as many as fit the context
	Priority  Priority

	dictated []int32 // the answer, whatever the model would say; see Measure
}

// Submit queues a generation and returns its stream at once. It returns
// ErrContextFull, with nothing changed, if the prompt leaves no room for a token,
// *grammar errors for a schema that cannot be used, and ErrClosed after Close.
// Cancelling ctx ends the generation at the next step. The segments are not
// retained.
func (e *Engine) Submit(ctx context.Context, r Request) (*Stream, error) {
	return e.generate(ctx, e.Tokens(r.Segments), r, nil)
}

// generate is Submit for tokens. ended, which may be nil, gets the generated tokens
// before the stream ends.
func (e *Engine) generate(ctx context.Context, ids []int32, r Request, ended func([]int32)) (*Stream, error) {
	g, err := e.start(ctx, ids, r, ended)
	if err != nil {
		return nil, err
	}
	return g.stream, nil
}

// start queues a generation, which belongs to the scheduler until its stream ends.
func (e *Engine) start(ctx context.Context, ids []int32, r Request, ended func([]int32)) (*generation, error) {
	room := e.info.Context - len(ids)
	switch {
	case len(ids) == 0:
		return nil, errors.New("engine: the prompt is empty")
	case room < 1:
		return nil, fmt.Errorf("%w: %d tokens of %d", ErrContextFull, len(ids), e.info.Context)
	}
	if r.MaxTokens > 0 {
		room = min(room, r.MaxTokens)
	}
	ctx, cancel := context.WithCancel(ctx)
	g := &generation{stream: newStream(cancel), sampler: newSampling(r.Sampler), ended: ended, dictated: r.dictated}
	if r.Schema != nil {
		if err := e.constrain(g, r.Schema, room); err != nil {
			cancel()
			return nil, err
		}
	}
	t := &task{
		ctx: ctx, priority: r.Priority, gen: g,
		seq: sequence{tokens: ids}, prompt: len(ids), limit: len(ids) + room, logitsFrom: len(ids) - 1,
	}
	if err := e.sched.submit(t); err != nil {
		cancel()
		return nil, err
	}
	return g, nil
}

func (e *Engine) constrain(g *generation, schema []byte, maxTokens int) error {
	gr, err := grammar.Compile(schema, e.vocab.grammarIndex())
	if err != nil {
		return err
	}
	if g.matcher, err = gr.NewMatcher(maxTokens); err != nil {
		return err
	}
	g.mask = make([]uint64, len(e.vocab.plain))
	return nil
}

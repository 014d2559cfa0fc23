package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"windowseat/chunker"
	"windowseat/document"
	"windowseat/engine"
	"windowseat/engine/addrspace"
	"windowseat/engine/chat"
	"windowseat/engine/gguf"
	"windowseat/engine/grammar"
	"windowseat/engine/models"
	"windowseat/engine/models/fetch"
)

// pathError says which file an error is about.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return e.path + ": " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

// failure is an error in the words of key.
func (a *app) failure(key string, args ...any) error { return errors.New(a.say(key, args...)) }

// usage is an error about the call itself, in the words of key.
func (a *app) usage(key string, args ...any) error { return usageError{a.failure(key, args...)} }

// explain puts an error into words: which file, what happened, what to do.
func (a *app) explain(err error) string {
	var p *pathError
	if errors.As(err, &p) {
		return p.path + ": " + a.reason(p.err)
	}
	return a.reason(err)
}

// reason is explain without the file.
func (a *app) reason(err error) string {
	var p *pathError
	if errors.As(err, &p) {
		err = p.err
	}
	for _, words := range []func(error) string{a.documentReason, a.storeReason, a.fetchReason, a.jobReason, a.engineReason} {
		if s := words(err); s != "" {
			return s
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return a.say("no_permission", err)
	}
	return err.Error()
}

// documentReason explains errors of reading and cutting documents.
func (a *app) documentReason(err error) string {
	var unsupported *document.UnsupportedError
	var format *document.FormatError
	var limit *document.LimitError
	var encoding *document.EncodingError
	var reader *document.ReaderError
	var budget *chunker.BudgetError
	switch {
	case errors.As(err, &unsupported):
		key := "kind_unread"
		if unsupported.What == "binary" || unsupported.What == "folder" {
			key = "kind_" + unsupported.What
		}
		return a.say(key, unsupported.What, a.say("do_"+unsupported.Advice))
	case errors.As(err, &format):
		return a.say("bad_format", format.Kind, format.Line, format.What)
	case errors.As(err, &limit):
		return a.say("too_large", limit.Limit, a.say("unit_"+limit.What))
	case errors.As(err, &encoding):
		return a.say("bad_encoding", encoding.Name)
	case errors.As(err, &reader):
		return a.say("reader_failed", reader.Kind, reader.Cause)
	case errors.As(err, &budget):
		return a.say("bad_budget", budget)
	case errors.Is(err, document.ErrEmpty):
		return a.say("empty_file")
	}
	return ""
}

// storeReason explains errors of the model store.
func (a *app) storeReason(err error) string {
	var missing *models.NotInstalledError
	var damaged *models.DamagedError
	var unknown *models.UnknownError
	switch {
	case errors.As(err, &missing):
		return a.say("not_installed", missing.Entry.Name, missing.Entry.ID, (missing.Entry.Bytes+999_999)/1_000_000)
	case errors.As(err, &damaged):
		why := damaged.Reason
		if damaged.Err != nil {
			why += ": " + damaged.Err.Error()
		}
		return a.say("damaged_store", damaged.Path, why)
	case errors.As(err, &unknown) && unknown.What != models.NothingThere:
		return a.say("what_"+unknown.What, unknown.Name)
	case errors.As(err, &unknown):
		return a.say("unknown_model", unknown.Name, strings.Join(unknown.Known, ", "))
	case errors.Is(err, models.ErrOtherDisk):
		return a.say("other_disk")
	}
	return ""
}

// fetchReason explains why a model could not be had, one reason for each source.
func (a *app) fetchReason(err error) string {
	var sources *fetch.SourcesError
	var one *fetch.Error
	switch {
	case errors.As(err, &sources) && len(sources.Errs) > 0:
		reasons := make([]string, len(sources.Errs))
		for i, e := range sources.Errs {
			reasons[i] = fmt.Sprintf("[%d] %s", i+1, a.reason(e))
		}
		return a.say("no_source_works", sources.Name, strings.Join(reasons, " "))
	case errors.As(err, &one):
		if a.lang == "en" {
			return strings.TrimPrefix(one.Error(), "fetch: ")
		}
		return a.say("fetch_"+string(one.Kind), one.What)
	}
	return ""
}

// engineReason explains errors of model files and of the engine.
func (a *app) engineReason(err error) string {
	var format *gguf.FormatError
	var unsupported *gguf.UnsupportedError
	var template *chat.LimitError
	var full *engine.MemoryError
	var space *addrspace.LimitError
	switch {
	case errors.Is(err, engine.ErrDeadModel):
		return a.say("dead_model")
	case errors.As(err, &full):
		p := full.Plan
		return a.say("no_memory", p.Total()>>20, p.Weights>>20, p.KV>>20, (p.Scratch+p.Program)>>20, full.Free>>20)
	case errors.As(err, &space):
		return a.say("no_address_space", space.Limit>>20, space.Missing()>>20)
	case errors.Is(err, engine.ErrMemory), errors.Is(err, syscall.ENOMEM):
		return a.say("no_kv_memory", err)
	case errors.As(err, &format):
		return a.say("damaged_model", err)
	case errors.As(err, &unsupported):
		return a.say("other_model", err)
	case errors.As(err, &template), strings.HasPrefix(err.Error(), "chat: "):
		return a.say("bad_template", err)
	case errors.Is(err, engine.ErrContextFull):
		what := strings.TrimPrefix(err.Error(), engine.ErrContextFull.Error()+": ")
		if a.context.now < a.context.most {
			return a.say("context_full", what, a.context.most)
		}
		return a.say("context_most", what)
	case errors.Is(err, grammar.ErrBudget):
		return a.say("schema_budget", err)
	case errors.Is(err, engine.ErrNoContinuation), strings.HasPrefix(err.Error(), "grammar: "):
		return a.say("bad_schema", err)
	case errors.Is(err, context.DeadlineExceeded):
		return a.say("cancelled")
	}
	return ""
}

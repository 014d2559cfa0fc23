package cli

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"windowseat/engine"
	"windowseat/engine/kernels"
)

// globalFlags are the options that all commands take.
type globalFlags struct {
	json        bool
	uiLang      string
	lang        string
	emailLang   string
	meetingDate string
	model       string
	seed        uint64
	threads     int
	ctx         int
	kv          string
	encoding    string
}

// leastContext is the least that --ctx may be.
const leastContext = 512

func (a *app) addGlobalFlags(root *cobra.Command) {
	f, p := root.PersistentFlags(), &a.flags
	f.BoolVar(&p.json, "json", false, "print one JSON document")
	f.StringVar(&p.uiLang, "ui-lang", "", "language of messages: zh or en (default: from LANG)")
	f.StringVar(&p.lang, "lang", "auto", "language of results: zh, en or auto (as the documents)")
	f.StringVar(&p.emailLang, "email-lang", "en", "language of email drafts: zh or en")
	f.StringVar(&p.meetingDate, "meeting-date", "", "YYYY-MM-DD (default: from the document, else the file's date)")
	f.StringVar(&p.model, "model", "", "catalogue name or GGUF file (default: the largest that fits)")
	f.Uint64Var(&p.seed, "seed", 1, "seed of sampling")
	f.IntVar(&p.threads, "threads", 0, "worker threads; 0 for one per CPU")
	f.IntVar(&p.ctx, "ctx", 0, "context length in tokens (default: 8192)")
	f.StringVar(&p.kv, "kv", string(engine.KVF16), "KV cache: f16, or q8 for half the memory")
	f.StringVar(&p.encoding, "encoding", "", "encoding of text files (default: found by content)")
}

// messageLanguage finds the language of messages before the command line is
// parsed, since a wrong command line has to be told in it too.
func messageLanguage(args []string) string {
	lang := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
	for i, arg := range args {
		if v, ok := strings.CutPrefix(arg, "--ui-lang="); ok {
			lang = v
		} else if arg == "--ui-lang" && i+1 < len(args) {
			lang = args[i+1]
		}
	}
	if strings.HasPrefix(lang, "zh") {
		return "zh"
	}
	return "en"
}

// prepare checks the global options once they are parsed.
func (a *app) prepare() error {
	f := &a.flags
	for _, c := range []struct{ flag, value, allowed string }{
		{"--ui-lang", cmp.Or(f.uiLang, a.lang), "zh en"},
		{"--lang", f.lang, "zh en auto"},
		{"--email-lang", f.emailLang, "zh en"},
		{"--kv", f.kv, string(engine.KVF16 + " " + engine.KVQ8)},
	} {
		if !slices.Contains(strings.Fields(c.allowed), c.value) {
			return a.usage("bad_among", c.flag, c.value, c.allowed)
		}
	}
	if f.meetingDate != "" {
		if _, err := time.Parse(time.DateOnly, f.meetingDate); err != nil {
			return a.usage("bad_date", f.meetingDate)
		}
	}
	if f.threads < 0 || f.threads > 256 {
		return a.usage("bad_threads", f.threads)
	}
	if f.ctx < 0 || f.ctx > 0 && f.ctx < leastContext {
		return a.usage("bad_ctx", f.ctx, leastContext)
	}
	if choice := os.Getenv(kernelsOverride); useKernels(choice) != nil {
		return kernelsError{a.usage("bad_kernels", choice, strings.Join(kernels.Names(), " "))}
	}
	return nil
}

// kernelsError is a wrong value of KERNELS, which the help of doctor explains.
type kernelsError struct{ error }

func (e kernelsError) Unwrap() error { return e.error }

// useKernels takes PATH, PATH,GRAIN or ,GRAIN: see kernels.Use and kernels.UseGrain.
func useKernels(choice string) error {
	path, grain, _ := strings.Cut(choice, ",")
	if path != "" {
		if err := kernels.Use(path); err != nil {
			return err
		}
	}
	return kernels.UseGrain(grain)
}

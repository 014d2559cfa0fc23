// Package cli is the terminal's face over every room of the program: it parses
// the command line, calls the same code as the window, and prints. Results go to
// standard output, progress and notes to standard error; nothing here computes.
//
// Exit status: 0 done, 1 the work could not be done, 2 the call is wrong, 130
// cancelled.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"windowseat/engine/kernels"
)

// Exit statuses.
const (
	exitDone      = 0
	exitFailed    = 1
	exitUsage     = 2
	exitCancelled = 130
)

// usageError marks a call that is wrong, as against work that failed.
type usageError struct{ error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// app is what one call of the program shares among its commands.
type app struct {
	in       io.Reader
	out, err io.Writer
	version  string
	flags    globalFlags
}

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
	encoding    string
}

// Main runs one command line and returns the exit status. It installs handlers
// for interrupt and termination, which cancel the work; a second one kills.
func Main(args []string, in io.Reader, out, errOut io.Writer, version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // the next signal has its default effect
	}()
	return Run(ctx, args, in, out, errOut, version)
}

// Run is Main without signal handling.
func Run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, version string) int {
	a := &app{in: in, out: out, err: errOut, version: version}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		fmt.Fprintln(errOut, a.say("cancelled"))
		return exitCancelled
	}
	fmt.Fprintf(errOut, "windowseat: %s\n", oneLine(a.explain(err)))
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "windowseat",
		Short:         "Offline assistant for your documents",
		Version:       a.version + buildRevision(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q; see windowseat help", args[0])
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.prepare() },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	a.addGlobalFlags(root)
	root.AddCommand(a.runCommand(), a.readCommand(), a.chunksCommand(), a.generateCommand(),
		a.scoreCommand(), a.tokenizeCommand(), a.perplexityCommand(), a.modelsCommand())
	for _, t := range singleTasks {
		root.AddCommand(a.taskCommand(t))
	}
	for _, c := range allCommands(root) {
		wrapArgs(c)
	}
	return root
}

func (a *app) addGlobalFlags(root *cobra.Command) {
	f, p := root.PersistentFlags(), &a.flags
	f.BoolVar(&p.json, "json", false, "print one JSON document")
	f.StringVar(&p.uiLang, "ui-lang", "", "language of messages: zh or en (default: from LANG)")
	f.StringVar(&p.lang, "lang", "auto", "language of results: zh, en or auto (as the documents)")
	f.StringVar(&p.emailLang, "email-lang", "en", "language of email drafts: zh or en")
	f.StringVar(&p.meetingDate, "meeting-date", "", "YYYY-MM-DD (default: from the document, else the file's date)")
	f.StringVar(&p.model, "model", "", "catalogue name or GGUF file (default: the largest that fits)")
	f.Uint64Var(&p.seed, "seed", 1, "seed of sampling")
	f.IntVar(&p.threads, "threads", 0, "worker threads (default: one per CPU)")
	f.IntVar(&p.ctx, "ctx", 0, "context length in tokens (default: 8192)")
	f.StringVar(&p.encoding, "encoding", "", "encoding of text files (default: found by content)")
}

// prepare checks the global options once they are parsed.
func (a *app) prepare() error {
	f := &a.flags
	if f.uiLang == "" {
		f.uiLang = "en"
		if strings.HasPrefix(firstNonEmpty(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")), "zh") {
			f.uiLang = "zh"
		}
	}
	for _, c := range []struct{ flag, value, allowed string }{
		{"--ui-lang", f.uiLang, "zh en"},
		{"--lang", f.lang, "zh en auto"},
		{"--email-lang", f.emailLang, "zh en"},
	} {
		if !contains(strings.Fields(c.allowed), c.value) {
			return usagef("%s %q: must be one of %s", c.flag, c.value, c.allowed)
		}
	}
	if f.threads < 0 || f.threads > 256 {
		return usagef("--threads %d: must be between 1 and 256", f.threads)
	}
	if f.ctx < 0 || f.ctx > 0 && f.ctx < 512 {
		return usagef("--ctx %d: must be at least 512", f.ctx)
	}
	if k := os.Getenv("KERNELS"); k != "" {
		if err := kernels.Use(k); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// wrapArgs makes cobra's argument errors usage errors.
func wrapArgs(c *cobra.Command) {
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{fmt.Errorf("%s: %w; see windowseat help %s", cmd.Name(), err, cmd.Name())}
		}
		return nil
	}
}

func allCommands(c *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range c.Commands() {
		out = append(append(out, sub), allCommands(sub)...)
	}
	return out
}

// buildRevision names the commit of a build from a checkout, as " (abc1234)".
func buildRevision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 7 {
			return " (" + s.Value[:7] + ")"
		}
	}
	return ""
}

func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

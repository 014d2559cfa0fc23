// Package cli is the terminal's face over every room of the program: it parses
// the command line, calls the same code as the window, and prints. Results go to
// standard output, progress and notes to standard error; nothing here computes
// but perplexity, which is arithmetic on the engine's log-probabilities.
//
// Exit status: 0 done, 1 the work could not be done, 2 the call is wrong, 130
// cancelled. An error is one line that says what to do, in the language of
// messages: --ui-lang, or what LC_ALL, LC_MESSAGES or LANG say.
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

	"windowseat/document"
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

// app is what one call of the program shares among its commands.
type app struct {
	in      io.Reader
	out     io.Writer // standard output for people: see human
	exact   io.Writer // standard output for programs: JSON and completion scripts
	err     io.Writer // standard error; lines go there by note and errLine
	version string
	flags   globalFlags
	lang    string // of messages: "zh" or "en"
	started bool   // the call was right as far as the command line goes
	context contextRange
	above   io.Writer // prints above the bar that is being drawn; nil without one
}

// contextRange is the context of the model that was opened last, and the longest that
// it could have, in tokens; 0 before one is open.
type contextRange struct{ now, most int }

// Main runs one command line and returns the exit status. It installs handlers
// for interrupt and termination, which cancel the work; a second one kills.
func Main(args []string, in io.Reader, out, errOut io.Writer, version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // the next signal has its default effect
	}()
	return Run(ctx, args, in, out, errOut, version)
}

// Run is Main without signal handling: it ends within a second of ctx, after
// printing and saving what was finished.
func Run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, version string) int {
	stdout := &output{w: out}
	a := &app{in: in, out: human{stdout}, exact: stdout, err: errOut, version: version, lang: messageLanguage(args)}
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if stdout.err != nil && (err == nil || errors.Is(err, stdout.err)) {
		err = a.failure("no_output", stdout.err)
	}
	if err == nil {
		if stdout.wrote && lost(out) {
			a.note("output_lost")
		}
		return exitDone
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		a.note("cancelled")
		return exitCancelled
	}
	text := oneLine(a.explain(err))
	var usage usageError
	var encoding *document.EncodingError
	if a.started && !errors.As(err, &usage) && !errors.As(err, &encoding) {
		fmt.Fprintf(errOut, "windowseat: %s\n", text)
		return exitFailed
	}
	if !errors.As(err, &usage) && !a.started { // in the words of the flag library
		text = a.say("bad_call", text)
	}
	var kernels kernelsError
	if errors.As(err, &kernels) {
		cmd, _, _ = root.Find([]string{"doctor"})
	}
	help := strings.TrimSpace("help " + strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "windowseat"), " "))
	fmt.Fprintf(errOut, "windowseat: %s\n", a.say("see_help", text, help))
	return exitUsage
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
				return a.usage("no_command", args[0])
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.prepare() },
	}
	root.SetIn(a.in)
	root.SetOut(a.exact)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(a.flagError)
	a.addGlobalFlags(root)
	root.AddCommand(a.runCommand(), a.readCommand(), a.chunksCommand(), a.generateCommand(),
		a.scoreCommand(), a.tokenizeCommand(), a.perplexityCommand(), a.benchCommand(), a.modelsCommand(), a.jobsCommand(), a.doctorCommand())
	for _, t := range singleTasks {
		root.AddCommand(a.taskCommand(t))
	}
	a.addHelp(root)
	for _, c := range allCommands(root) {
		a.markStart(c)
	}
	return root
}

// markStart notes when a command begins to work: what went wrong before, in flags
// or arguments, is a wrong call.
func (a *app) markStart(c *cobra.Command) {
	run := c.RunE
	if run == nil {
		return
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		a.started = true
		return run(cmd, args)
	}
}

// args checks the number of arguments; most is -1 for any.
func (a *app) args(least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return a.usage("missing_argument")
		case most >= 0 && len(args) > most:
			return a.usage("extra_argument", args[most])
		}
		return nil
	}
}

// allCommands lists c and all commands below it.
func allCommands(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		out = append(out, allCommands(sub)...)
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

func oneLine(s string) string { return printable(strings.Join(strings.Fields(s), " ")) }

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addHelp gives the commands their help texts, in the language of messages.
func (a *app) addHelp(root *cobra.Command) {
	root.SetHelpCommand(a.helpCommand(root))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range allCommands(root) {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		a.describe(c)
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(a.out, a.helpText(c)) })
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(a.err, a.helpText(c))
		return err
	})
}

func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return a.usage("no_command", strings.Join(args, " "))
			}
			return c.Help()
		},
	}
}

// describe puts the texts of one command and its flags into Chinese. Texts are
// found by the command's path, flags by their name, or by both where the same name
// means another thing.
func (a *app) describe(c *cobra.Command) {
	path := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), "windowseat"))
	if a.lang == "zh" {
		if text, ok := helpZh[path]; ok {
			c.Short, c.Long = text, helpZh[path+" long"]
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) { a.describeFlag(f, path) })
	c.PersistentFlags().VisitAll(func(f *pflag.Flag) { a.describeFlag(f, path) })
}

func (a *app) describeFlag(f *pflag.Flag, path string) {
	if f.Name == "help" {
		f.Usage = "show this help"
	}
	if a.lang != "zh" {
		return
	}
	for _, key := range []string{path + " --" + f.Name, "--" + f.Name} {
		if text, ok := helpZh[key]; ok {
			f.Usage = text
			return
		}
	}
}

// helpText is what help prints about a command.
func (a *app) helpText(c *cobra.Command) string {
	var b strings.Builder
	about := c.Long
	if about == "" {
		about = c.Short
	}
	fmt.Fprintf(&b, "%s\n\n%s\n  %s\n", strings.TrimSpace(about), a.say("help_usage"), c.UseLine())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s\n", a.say("help_commands"))
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&b, "  %-*s  %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for _, part := range []struct {
		title string
		flags *pflag.FlagSet
	}{{"help_flags", c.LocalFlags()}, {"help_global", c.InheritedFlags()}} {
		if text := part.flags.FlagUsages(); text != "" {
			if a.lang == "zh" {
				text = strings.ReplaceAll(text, "(default ", "(默认 ")
			}
			fmt.Fprintf(&b, "\n%s\n%s", a.say(part.title), text)
		}
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s\n", a.say("help_more", c.CommandPath()))
	}
	return b.String()
}

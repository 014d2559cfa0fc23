package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError puts an error of the flag library into words; what it does not know stays
// in the library's.
func (a *app) flagError(_ *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return a.usage("flag_unknown", "-"+unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return a.usage("flag_unknown", "--"+unknown.GetSpecifiedName())
	case errors.As(err, &bare):
		return a.usage("flag_bare", flagName(bare.GetFlag()))
	case errors.As(err, &wrong):
		return a.usage("flag_wrong", flagName(wrong.GetFlag()), wrong.GetValue(), a.flagWants(wrong))
	case errors.As(err, &syntax):
		return a.usage("flag_syntax", syntax.GetSpecifiedFlag())
	}
	return err
}

// flagName is how messages name a flag: by its letter if it has one.
func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// flagWants says what the value of a flag has to be.
func (a *app) flagWants(e *pflag.InvalidValueError) string {
	kind := e.GetFlag().Value.Type()
	if errors.Is(e, strconv.ErrRange) {
		return a.say("wants_smaller")
	}
	if key := "wants_" + kind; a.say(key) != key {
		return a.say(key)
	}
	return a.say("wants_list")
}

// oneOf refuses a call that gives several of the named flags or, if one is needed, none.
func (a *app) oneOf(c *cobra.Command, needed bool, names ...string) error {
	given := 0
	for _, name := range names {
		if c.Flags().Changed(name) {
			given++
		}
	}
	list := "--" + strings.Join(names, " --")
	switch {
	case given > 1:
		return a.usage("flags_exclude", list)
	case given == 0 && needed:
		return a.usage("flags_needed", list)
	}
	return nil
}

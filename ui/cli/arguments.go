package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// oneRun is what every command that reads a recording calls its argument.
const oneRun = "give a RUN: a path, an id, the beginning of one, a label, or last (benchtop runs lists them)"

// arguments checks how many arguments there are, and says what to give. most is
// -1 where any number will do.
func arguments(least, most int, give string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch name := called(c); {
		case len(args) < least && len(args) == 0:
			return usage("%s of what? %s", name, give)
		case len(args) < least:
			return usage("%s: that is not enough: %s", name, give)
		case most >= 0 && len(args) > most:
			return usage("%s: too many arguments from %q on: %s", name, args[most], give)
		}
		return nil
	}
}

// none is for commands without arguments. A word there is a slip in a command's
// name, or a flag's value without its flag.
func none(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "it takes flags only; see " + c.CommandPath() + " --help"
	if c.Flags().Lookup("scenario") != nil {
		hint = "is --scenario " + args[0] + " meant? (" + c.CommandPath() + " --list has them all)"
	}
	if len(c.Commands()) > 0 {
		hint = "no such command; see " + c.CommandPath() + " --help"
		c.SuggestionsMinimumDistance = 2
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			hint = "no such command; is " + strings.Join(near, " or ") + " meant?"
		}
	}
	return usage("%s %q: %s", called(c), args[0], hint)
}

// called is the command without the program's name, which leads every error.
func called(c *cobra.Command) string {
	if _, rest, ok := strings.Cut(c.CommandPath(), " "); ok {
		return rest
	}
	return "command"
}

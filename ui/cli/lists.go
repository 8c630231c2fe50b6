package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"benchtop/model"
	"benchtop/sources/loadgen"
	"benchtop/sources/scrape"
	"benchtop/sources/serverlog"
)

// newLists are the commands that print what is built in.
func newLists(stdio Stdio) []*cobra.Command {
	list := func(use, short string, print func() error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: none, RunE: func(*cobra.Command, []string) error { return print() }}
	}
	out := func(format string, args ...any) error {
		_, err := fmt.Fprintf(stdio.Out, format, args...)
		return err
	}
	return []*cobra.Command{
		newFindings(stdio),
		newFormats(stdio),
		list("series", "List the series", func() error {
			for _, s := range model.Catalogue {
				if err := out("%-26s %-7s %-9s %s\n", s.Name, s.Side, s.Unit, s.Help); err != nil {
					return err
				}
			}
			return nil
		}),
		list("themes", "List the colour themes", func() error {
			all, err := allThemes(stdio)
			if err != nil {
				return err
			}
			for _, t := range all {
				if err := out("%s\n", t.Name); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

// newFormats lists the formats. With the name of a server log's it tells more
// about that one: a format that is told by a profile prints the profile, to
// start one's own from.
func newFormats(stdio Stdio) *cobra.Command {
	out := func(format string, args ...any) error {
		_, err := fmt.Fprintf(stdio.Out, format, args...)
		return err
	}
	return &cobra.Command{
		Use: "formats [NAME]", Short: "List the formats that are understood", Args: arguments(0, 1, "give one name"),
		Example: "  benchtop formats deepinfer > my.yaml   a log profile to start from",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				f, ok := serverlog.Lookup(args[0])
				if text := serverlog.ProfileText(f.Name); ok && text != nil {
					return out("%s", text)
				}
				if !ok {
					return usage("no server log format %q (see benchtop formats)", args[0])
				}
				return out("%s: %s\n%s.\n", f.Name, f.Versions, f.Hint)
			}
			for _, n := range serverlog.Names() {
				f, _ := serverlog.Lookup(n)
				if err := out("%-8s %-18s %s\n", "log", n, f.Versions); err != nil {
					return err
				}
			}
			for _, f := range loadgen.Formats {
				if err := out("%-8s %-18s %s\n", "load", f.Name, f.Versions); err != nil {
					return err
				}
			}
			for _, n := range scrape.Engines() {
				if err := out("%-8s %-18s %s\n", "metrics", n, scrape.Versions(n)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

package cli

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"
)

// newMan is the manual page. It stands in for fang's, which is dated today and
// goes past the streams that the program was given.
func newMan(stdio Stdio) *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page", Args: none, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root := cmd.Root()
			root.Long = unwrapped(root.Long)
			page, err := mango.NewManPage(1, root)
			if err != nil {
				return fmt.Errorf("manual page: %w", err)
			}
			text := page.Build(&dated{roff.NewDocument(), builtAt(stdio)})
			_, err = fmt.Fprint(stdio.Out, strings.ReplaceAll(text, ".PP\n.PP\n", ".PP\n"))
			return err
		},
	}
}

// unwrapped joins the lines of each paragraph: every line end is the end of one
// to what makes the page.
func unwrapped(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.ReplaceAll(p, "\n", " ")
	}
	return strings.Join(paragraphs, "\n\n")
}

// dated is a page with a date of its own, whenever it is made.
type dated struct {
	*roff.Document
	at time.Time
}

// Heading is the page's first line.
func (d *dated) Heading(section uint, title, description string, _ time.Time) {
	d.Document.Heading(section, title, description, d.at)
}

// builtAt is SOURCE_DATE_EPOCH, else the time of the commit that was built, so
// that one commit gives one page; 1970 where nobody says.
func builtAt(stdio Stdio) time.Time {
	if s, err := strconv.ParseInt(stdio.getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(s, 0).UTC()
	}
	info, ok := debug.ReadBuildInfo()
	for i := 0; ok && i < len(info.Settings); i++ {
		if info.Settings[i].Key != "vcs.time" {
			continue
		}
		if at, err := time.Parse(time.RFC3339, info.Settings[i].Value); err == nil {
			return at.UTC()
		}
	}
	return time.Unix(0, 0).UTC()
}

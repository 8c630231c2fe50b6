package cli

import (
	"context"
	"strings"

	"benchtop/sources"
	"benchtop/sources/scrape"
	"benchtop/sources/tail"
)

// planMetrics makes the sources of what the server tells of itself: endpoints,
// and files to which somebody else appends what one said.
func (f *sourceFlags) planMetrics(who *parties, follow bool) ([]planned, error) {
	var out []planned
	for _, m := range f.metrics {
		label, place := cutLabel(m)
		if path, ok := strings.CutPrefix(place, "file:"); ok {
			o := tail.Options{Spec: tail.Spec{Place: path, Kind: tail.File}, FromStart: f.from != "end", Follow: follow}
			src := &scrape.SavedSource{Place: place, Label: label, Read: lineReader(o), Whole: o.FromStart}
			out = append(out, planned{src, sources.Block, !follow})
			continue
		}
		src, err := scrape.New(scrape.Options{URL: place, Label: label})
		if err != nil {
			return nil, usage("--metrics: %w", err)
		}
		who.server(place)
		out = append(out, planned{src, sources.Latest, false})
	}
	return out, nil
}

// lineReader reads lines for a source that is none of text.
func lineReader(o tail.Options) scrape.LineReader {
	return func(ctx context.Context, h scrape.LineHandler) error {
		return tail.Run(ctx, o, tail.Handler{
			Line:  func(l tail.Line) { h.Line(l.Text, l.Seen) },
			Idle:  h.Flush,
			Quiet: h.Quiet,
			Event: func(kind, text string) {
				switch kind {
				case tail.EventWaiting, tail.EventTrouble:
					h.Trouble(text)
				case tail.EventTruncated, tail.EventRotated:
					h.Anew(text)
				}
			},
		})
	}
}

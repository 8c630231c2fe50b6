package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"benchtop/sources"
	"benchtop/sources/gpu"
	"benchtop/sources/host"
	"benchtop/sources/loadgen"
	"benchtop/sources/scrape"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"
)

// feeds opens the named files for a replay by their own times. The returned
// function opens them anew each time.
func (f *sourceFlags) feeds(run *runFlags) (func() ([]*sources.Feed, error), error) {
	var opens feedOpeners
	if err := f.check(run); err != nil {
		return nil, err
	}
	if err := f.textFeeds(run, &opens); err != nil {
		return nil, err
	}
	for _, m := range f.metrics {
		label, place := cutLabel(m)
		path, ok := strings.CutPrefix(place, "file:")
		if !ok {
			return nil, usage("--metrics %s: a replay reads saved scrapes, file:PATH", m)
		}
		opens.add(path, func(r io.ReadCloser, _ os.FileInfo) *sources.Feed { return scrape.NewFeed(r, place, label) })
	}
	if path, ok := strings.CutPrefix(f.gpu, "file:"); ok {
		opens.add(path, func(r io.ReadCloser, _ os.FileInfo) *sources.Feed { return gpu.NewFeed(r, f.gpu) })
	}
	for _, h := range f.hosts {
		label, place := cutLabel(h)
		if path, ok := strings.CutPrefix(place, "file:"); ok {
			opens.add(path, func(r io.ReadCloser, _ os.FileInfo) *sources.Feed { return host.NewFeed(r, place, label) })
		}
	}
	return opens.open, nil
}

// textFeeds adds the logs and load streams.
func (f *sourceFlags) textFeeds(run *runFlags, opens *feedOpeners) error {
	file := func(flag, text string) (tail.Spec, error) {
		s, err := f.spec(flag, text, run)
		if err == nil && s.Kind != tail.File {
			err = usage("%s %s: a replay reads files only", flag, text)
		}
		return s, err
	}
	for _, l := range f.logs {
		s, err := file("--log", l)
		if err != nil {
			return err
		}
		opens.add(s.Place, func(r io.ReadCloser, info os.FileInfo) *sources.Feed {
			return serverlog.NewFeed(r, s.Name(), serverlog.Options{Format: s.Format, Zone: zoneOr(s.Zone), Year: yearOr(s.Year, info), Start: s.Start, OwnTime: true, KeepText: f.keepText, Label: s.Label, Name: s.Name()})
		})
	}
	for _, l := range f.loads {
		s, err := file("--load", l)
		if err != nil {
			return err
		}
		opens.add(s.Place, func(r io.ReadCloser, info os.FileInfo) *sources.Feed {
			return loadgen.NewFeed(r, s.Name(), loadgen.Options{Format: s.Format, Zone: zoneOr(s.Zone), Year: yearOr(s.Year, info), Start: s.Start, Label: s.Label, Name: s.Name(), Timeout: run.timeout, KeepText: f.keepText})
		})
	}
	return nil
}

// feedOpeners open one file each.
type feedOpeners []func() (*sources.Feed, error)

func (o *feedOpeners) add(path string, feed func(io.ReadCloser, os.FileInfo) *sources.Feed) {
	*o = append(*o, func() (*sources.Feed, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			err = fmt.Errorf("%s: is a folder (name a file)", path)
		}
		if err != nil {
			_ = file.Close() // nothing was read
			return nil, err
		}
		return feed(file, info), nil
	})
}

// open opens every file, or none.
func (o feedOpeners) open() ([]*sources.Feed, error) {
	var out []*sources.Feed
	for _, open := range o {
		feed, err := open()
		if err != nil {
			closeFeeds(out)
			return nil, fmt.Errorf("replay: %w", err)
		}
		out = append(out, feed)
	}
	return out, nil
}

func closeFeeds(feeds []*sources.Feed) {
	for _, f := range feeds {
		if f.Close != nil {
			_ = f.Close() // read only
		}
	}
}

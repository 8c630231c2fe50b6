package loadgen

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/tail"
)

// Output is a file that a load generator writes its stream or its report to.
type Output struct {
	Path    string
	Format  string // "" finds it out
	Appends bool   // what stands in the file before the run stays there
}

// outputPoll is how often a file that the program has not written yet is
// looked for.
const outputPoll = 50 * time.Millisecond

// output follows such a file from the program's start to its end.
type output struct {
	c      *Command
	o      Options
	file   Output
	before fs.FileInfo // as it was before the program started; nil if it wasn't there
}

// Output makes a source that follows a file the program writes. Make it before
// the program starts: what an earlier run left in the file is passed over. It
// ends when the program has ended and the file was read to its end.
func (c *Command) Output(f Output, o Options) sources.Source {
	s := &output{c: c, o: o, file: f}
	s.o.Format, s.o.Name, s.o.Party = f.Format, f.Path, c.o.Party
	if info, err := os.Stat(f.Path); err == nil {
		s.before = info
	}
	return s
}

// Name implements sources.Source.
func (s *output) Name() string { return s.file.Path }

// Run implements sources.Source.
func (s *output) Run(ctx context.Context, out *sources.Outlet) error {
	now := sources.Now()
	s.o.party(now, out)
	out.Describe(now, s.file.Path, model.KindLoad, s.file.Format, s.o.Label)
	out.State(now, model.Starting, "")
	out.Flush()
	in := tail.Options{Spec: tail.Spec{Place: s.file.Path}, FromStart: !s.file.Appends || s.before == nil, History: -1, Follow: true}
	for !s.written() {
		select {
		case <-ctx.Done():
			return nil
		case <-s.c.Over():
			if s.written() {
				break
			}
			out.State(sources.Now(), model.Ended, "the program has ended and never wrote it")
			return nil
		case <-time.After(outputPoll):
		}
	}
	return newSource(in, s.o, s.c.over).Run(ctx, out)
}

// written reports whether the program has begun to write the file.
func (s *output) written() bool {
	info, err := os.Stat(s.file.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err != nil:
		return true // reading it will say why
	case s.before == nil || s.file.Appends:
		return true
	}
	return !os.SameFile(info, s.before) || info.Size() < s.before.Size() || !info.ModTime().Equal(s.before.ModTime())
}

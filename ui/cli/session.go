package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/recording"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/plain"
	"benchtop/ui/report"
)

// stepLimit is how long each step of stopping may take before a laggard is
// named and left behind.
const stepLimit = 2 * time.Second

// drainLimit is how long the engine may take over what a finite source has
// told: at full speed that runs ahead by all that the channel holds.
const drainLimit = time.Minute

// session is one run on the screen, from its sources to its summary.
type session struct {
	io      Stdio
	screen  *screenFlags
	run     *runFlags
	title   string
	deck    *sources.Pacer // nil unless time can be driven
	marker  *sources.Marker
	remarks []string      // closing lines about what was played
	keep    bool          // record it unless told not to
	finite  bool          // ends by itself: headless stops there without --exit
	began   model.Instant // second 0 where that is not now: a simulated run
	start   func(ctx context.Context, g *sources.Group) error
	preset  []model.Note

	judgedBy *model.Thresholds // of the recording that is played, nil if none is

	patience time.Duration   // for the sources to end; 0 is stepLimit
	closing  func() []string // lines for the end of the closing text; nil if none
	found    *discovery      // what looking around found, nil if nobody looked

	group  *sources.Group
	engine *engine.Engine
	frames ui.Frames          // what the screen shows; nil: the engine
	taken  func(*model.Batch) // gets each batch that the engine is done with; nil: sources.Recycle
	writer *recording.Writer
	failed atomic.Pointer[error] // why the first source failed for good
	crash  atomic.Pointer[sources.Crash]
	lost   atomic.Pointer[sources.Crash] // the first source that broke; the rest went on
	left   atomic.Bool                   // the screen has been left: what is said goes to stderr
}

// headless reports whether there is no screen.
func (s *session) headless() bool {
	return s.screen.headless || !terminal(s.io.Out) || s.io.getenv("TERM") == "dumb" || s.io.getenv("TERM") == ""
}

// Go runs the session to its end, in the order of house.md §5.
func (s *session) Go(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	show, stopShow := context.WithCancel(ctx)
	defer stopShow()
	feed, stopSources := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSources()

	drained := make(chan struct{})
	sources.Spawn("engine", func() { s.engine.Run(s.group.Batches()) }, func(err error) {
		stopShow()
		if s.caught(err); err != nil {
			s.salvage()
		}
		close(drained)
	})
	s.startOwn(feed)
	if err := s.start(feed, s.group); err != nil {
		stopSources()
		s.group.Wait(stepLimit)
		<-drained
		s.closeRecording()
		return err
	}
	if s.screen.exit || s.finite && s.headless() {
		s.group.WhenFinite(stopShow)
	}
	if s.screen.for_ > 0 {
		t := time.AfterFunc(s.screen.for_, stopShow)
		defer t.Stop()
	}
	shown := s.io.line.carryOn(show, s.run.keep.keepGoing, s.showSafely) // 1: the screen ends, the terminal is restored
	s.left.Store(true)
	stopSources() // 2
	if err := s.drain(drained); err != nil {
		return err
	}
	if c := s.lost.Load(); c != nil {
		fmt.Fprintf(s.io.Err, "%s\nbenchtop: %s (please report it with the lines above; the rest of the run went on)\n", c.Stack, oneLine(c.Error()))
	}
	if c := s.crash.Load(); c != nil {
		return s.broke(c, c.Stack)
	}
	if b := new(ui.Broken); errors.As(shown, &b) {
		return s.broke(b, b.Stack)
	}
	if shown != nil {
		return &exitError{exitFailed, shown}
	}
	if err := s.failed.Load(); err != nil && s.finite && s.engine.Latest().Now == 0 {
		return &exitError{exitFailed, *err} // nothing was played
	}
	return s.finish() // 6
}

// drain waits for the sources to end, for the engine to take what they sent,
// and closes the recording: steps 3 to 5.
func (s *session) drain(drained <-chan struct{}) error {
	if !s.group.Wait(max(stepLimit, s.patience)) {
		fmt.Fprintf(s.io.Err, "benchtop: left behind: %s\n", oneLine(strings.Join(s.group.Laggards(), ", ")))
	}
	limit := stepLimit
	if s.finite {
		limit = drainLimit
	}
	select {
	case <-drained:
	case <-time.After(limit):
		return &exitError{exitFailed, errors.New("left behind: engine (the machine is too busy: the summary would be incomplete)")}
	}
	s.closeRecording()
	return nil
}

// say tells the user something that can't wait for the end, where no screen is
// in the way; on the screen it is a mark.
func (s *session) say(text string) {
	if s.left.Load() || s.headless() {
		fmt.Fprintf(s.io.Err, "benchtop: %s\n", oneLine(text))
	}
}

// startOwn starts what tells of a live run itself.
func (s *session) startOwn(ctx context.Context) {
	if !s.keep {
		return
	}
	s.group.Start(ctx, newMetadata(s.io, s.run.keep, s.run.path), sources.Block, false)
	if s.writer != nil {
		s.group.Start(ctx, keeper{s.writer}, sources.Block, false)
	}
}

// open makes the engine and, if the run is kept, its recording.
func (s *session) open() error {
	now := cmp.Or(s.began, sources.Now())
	if err := s.run.checkRecord(); err != nil {
		return err
	}
	if s.screen.theme != "" {
		all, _ := allThemes(s.io) // what is wrong with others is told when the screen starts
		if _, err := themes.Find(all, s.screen.theme); err != nil {
			return usage("--theme: %w", err)
		}
	}
	notes, err := s.run.notes(now)
	if err != nil {
		return err
	}
	s.preset = append(s.preset, notes...)
	s.group = sources.NewGroup()
	s.group.OnPanic = s.lostOne
	s.group.OnFail = func(_ string, err error) { s.failed.CompareAndSwap(nil, &err) }
	th := s.run.thresholds(s.judgedBy)
	if err := s.record(now, th); err != nil { // adds the run's id to what is preset
		return err
	}
	o := engine.Options{Thresholds: th, Recycle: s.taken, Preset: s.preset}
	if s.taken == nil {
		o.Recycle = sources.Recycle
	}
	if o.Every = ui.Step(s.screen.fps); s.headless() {
		o.Every = s.screen.every
	}
	if s.screen.verdicts && s.headless() {
		o.OnVerdict = s.printVerdict
	}
	if s.writer != nil {
		o.Record = s.writer.Write
	}
	s.engine = engine.New(o)
	return nil
}

// keepBytes bounds the recordings kept in the state folder.
const keepBytes = 2 << 30

func (s *session) record(now model.Instant, th model.Thresholds) error {
	path, id := s.run.record, ""
	switch {
	case s.run.noRecord || path == "" && !s.keep:
		return nil
	case path == "":
		dir, err := recording.Dir()
		if err == nil {
			id, path, err = recording.NewPath(dir, now, s.run.label)
		}
		if err != nil { // the run matters more than its recording
			fmt.Fprintf(s.io.Err, "benchtop: not recording: %s\n", oneLine(err.Error()))
			return nil
		}
		if _, err := recording.Prune(dir, keepBytes, path); err != nil {
			fmt.Fprintf(s.io.Err, "benchtop: old recordings stay: %s\n", oneLine(err.Error()))
		}
	default:
		id = strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], recording.Ext)
	}
	js, err := json.Marshal(th)
	if err != nil {
		return fmt.Errorf("thresholds: %w", err)
	}
	s.preset = append(s.preset, model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: "id", Text: id})
	w, err := recording.Create(path, recording.Header{ID: id, Label: s.run.label, Started: now, Benchtop: Version(), Thresholds: js})
	if err != nil {
		return &exitError{exitFailed, err}
	}
	s.writer = w
	return nil
}

func (s *session) closeRecording() {
	if s.writer == nil {
		return
	}
	if err := s.writer.Close(); err != nil && s.screen.summary == "-" { // else the closing text says so
		fmt.Fprintf(s.io.Err, "benchtop: %s\n", oneLine(err.Error()))
	}
}

// printVerdict prints one change of the verdict as a JSON line.
func (s *session) printVerdict(c model.VerdictChange) {
	line := struct {
		T      report.Num `json:"t_s"`
		ID     string     `json:"id"`
		Reason *string    `json:"reason"`
		Raised []string   `json:"raised"`
	}{report.Num(c.TS), c.ID, nil, c.Raised}
	if c.Reason != "" {
		line.Reason = &c.Reason
	}
	if line.Raised == nil && !c.Recorded { // a recording does not tell what was raised
		line.Raised = []string{}
	}
	js, err := json.Marshal(line)
	if err == nil {
		fmt.Fprintf(s.io.Out, "%s\n", js)
	}
}

// show runs the screen, or the lines that stand for it, until the user or ctx
// ends it.
func (s *session) show(ctx context.Context) error {
	if !s.headless() {
		return s.draw(ctx)
	}
	w := s.io.Out
	quiet := s.deck != nil && s.deck.Rate() == sources.Max
	if s.screen.summary == "-" || s.screen.verdicts {
		w = s.io.Err
	}
	if s.found != nil {
		s.found.print(w, s.run.fresh)
	}
	if quiet || s.screen.verdicts {
		<-ctx.Done()
		return nil
	}
	return plain.Run(ctx, s.engine, w, s.screen.every)
}

// finish writes the summary and judges the exit code.
func (s *session) finish() error {
	final := s.engine.Latest()
	kept := s.remarks
	if s.writer != nil {
		st := s.writer.Stats()
		line := fmt.Sprintf("%-9s %s", "recorded", st.Path)
		if st.Err != nil {
			line += ", cut short: " + oneLine(recording.Why(st.Err).Error()) + " (free some space, or give --record another place)"
		} else if st.Lost > 0 {
			line += fmt.Sprintf(" (%d blocks lost: the disk was too slow)", st.Lost)
		}
		kept = append(kept, line)
		kept = append(kept, s.keepRow(final, st.Path)...)
	}
	if s.found != nil && len(s.found.flags) > 0 {
		kept = append(kept, fmt.Sprintf("%-9s %s", "repeat", s.found.repeat()))
	}
	if s.closing != nil {
		kept = append(kept, s.closing()...)
	}
	if s.screen.summary != "-" {
		if _, err := io.WriteString(s.io.Out, report.Closing(final, kept...)); err != nil {
			return &exitError{exitFailed, fmt.Errorf("write the summary: %w", err)}
		}
	}
	if err := s.writeSummary(final); err != nil {
		return &exitError{exitFailed, err}
	}
	return s.judge(final)
}

func (s *session) writeSummary(final *model.Snapshot) error {
	switch s.screen.summary {
	case "":
		return nil
	case "-":
		return report.WriteSummary(s.io.Out, final)
	}
	f, err := openOut(s.screen.summary)
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	err = report.WriteSummary(f, final)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("summary %s: %w", s.screen.summary, err)
	}
	return nil
}

// judge turns --fail-on and the sources' fate into the exit code.
func (s *session) judge(final *model.Snapshot) error {
	if why, none := unread(final.Sources); none {
		return &exitError{exitFailed, fmt.Errorf("no source could be read: %s", why)}
	}
	if g := &final.Goal; g.Goal == model.GoalSLA && g.State == model.GoalFail && g.Passing < 0 { // a step that passes answers the question
		return &exitError{exitFinding, fmt.Errorf("a failed gate: %s", g.Line)}
	}
	if s.screen.failOn == "" {
		return nil
	}
	for _, f := range final.Findings {
		if f.State == model.Raised && f.Severity >= s.screen.severity && !aboutEvidence(f.ID) {
			return &exitError{exitFinding, fmt.Errorf("%s (%s): %s", f.ID, f.Severity, f.Title)}
		}
	}
	if final.Verdict.ID == model.VerdictNotEnough {
		return &exitError{exitNoAnswer, errors.New(final.Verdict.Title)}
	}
	return nil
}

// unread reports whether every source that a user names gave nothing, because
// it failed or was not there until the end, and why the first did. The clock
// and the machine itself are always there and don't count.
func unread(all []model.SourceInfo) (why string, none bool) {
	for _, src := range all {
		switch {
		case src.Kind == model.KindClock || src.Kind == model.KindHost, src.Name == keeper{}.Name():
		case src.Matched > 0, src.State == model.Running || src.State == model.Quiet || src.State == model.Starting:
			return "", false // a source that is quiet so far may yet speak
		case src.State == model.Ended && src.Lines == 0:
			return "", false // a command that prints nothing may do so
		case !none:
			why, none = src.Why, true
			if why != "" && !strings.Contains(why, src.Name) {
				why = src.Name + ": " + why
			}
			if why == "" {
				why = fmt.Sprintf("%s: nothing understood of %.0f lines (try benchtop probe on it)", src.Name, src.Lines)
			}
		}
	}
	return why, none
}

// aboutEvidence lists the findings that say only that there is not enough to
// judge by.
func aboutEvidence(id string) bool {
	switch id {
	case "not_warm", "few_samples", "unsteady", "server_silent", "client_silent":
		return true
	}
	return false
}

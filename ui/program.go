package ui

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// Frames is where snapshots come from: the newest one, and a wake-up when
// there is a newer one.
type Frames interface {
	Latest() *model.Snapshot // nil before the first tick
	Changed() <-chan struct{}
}

// Deck drives a replay.
type Deck interface {
	Pause(on bool)
	Speed(x float64)
	Seek(to model.Instant)
}

// Options is how the screen is to look and behave. Its zero value is a live
// screen on the process' own terminal.
type Options struct {
	Themes  []*themes.Theme                     // to cycle through; nil: the built-in ones
	Theme   string                              // the first one shown; "": the default
	ASCII   bool                                // nothing outside ASCII is sent
	NoColor bool                                // attributes only, whatever the terminal can do
	FPS     int                                 // how often a second the charts move, 1 to 10; 0 is DefaultFPS
	Mouse   bool                                // clicks set the cursor, the wheel zooms
	NoSync  bool                                // don't force synchronized output over SSH
	Zone    *time.Location                      // of clock times; nil: the process' own
	Title   string                              // in place of the run's label
	Coach   string                              // told at the bottom: what comes next, outside rounds ""
	Window  time.Duration                       // of the time axis to begin with; 0 is DefaultWindow, below 0 the whole run
	Layout  string                              // to begin with; "" is the first
	Full    string                              // panel that has the whole screen to begin with; "" for none
	Hidden  string                              // ids of panels not shown to begin with, parted by spaces
	Lines   bool                                // concurrency as lines rather than areas to begin with
	Deck    Deck                                // of a replay; nil when live
	Speed   float64                             // of the replay to begin with
	Mark    func(at model.Instant, text string) // puts a note on the time axis; nil: this run takes none
	Clock   func() model.Instant                // the wall clock of a live run, to tell how late the picture is; nil: it is not told
	Wide    bool                                // the terminal draws ambiguous characters two cells wide: ASCII instead

	Save   func(name string, data []byte) (path string, err error) // keeps a picture of the screen; nil: in the current folder
	Report func() (path string, err error)                         // writes the report of the run so far; nil: there is none

	Input   io.Reader // keys; nil: the terminal, also when stdin is data
	Output  io.Writer // nil: stdout
	Environ []string  // nil: the process' own
	Width   int       // size where the output is no terminal
	Height  int
}

// Run shows the screen until the user quits (nil), ctx ends (nil) or it breaks
// (*Broken), with the terminal restored when it returns. Signals are main's
// business.
func Run(ctx context.Context, frames Frames, o Options) error {
	s, err := newScreen(frames, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // wakes the commands that still wait
	s.wait = func() tea.Msg {
		select {
		case <-ctx.Done():
			return tea.QuitMsg{}
		case <-frames.Changed():
			return frameMsg{}
		}
	}
	s.ended = func() tea.Msg {
		<-ctx.Done()
		return tea.QuitMsg{}
	}
	out := o.Output
	if out == nil {
		out = os.Stdout
	}
	// bubbletea leaves an empty window title behind: have the terminal keep its own meanwhile.
	if _, err := io.WriteString(out, ansi.XTWINOPS(22, 2)); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	g := &guard{screen: s, stop: cancel}
	_, err = tea.NewProgram(g, s.programOptions()...).Run()
	err = g.why(err)
	if _, werr := io.WriteString(out, ansi.XTWINOPS(23, 2)); err == nil && werr != nil {
		err = fmt.Errorf("give the terminal its title back: %w", werr)
	}
	return err
}

// lateMsg asks how far the picture is behind the clock.
type lateMsg struct{}

// late looks each second how old the newest snapshot is: a live run whose
// engine can't keep up, or whose machine stands still, must not look live.
func (s *screen) late() tea.Cmd {
	if s.opts.Clock == nil {
		return nil
	}
	behind := 0.0
	if n := s.newest; n != nil && !n.Final && n.Now > 0 {
		if behind = math.Floor(s.opts.Clock().Seconds(n.Now)); behind < lateS {
			behind = 0
		}
	}
	if behind != s.view.Late {
		s.view.Late, s.stale = behind, true
	}
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return lateMsg{} })
}

// lateS is from how many seconds on a picture is late.
const lateS = 2

// frameMsg says that there is a newer snapshot.
type frameMsg struct{}

// screen is the program's model. It belongs to bubbletea's goroutine.
type screen struct {
	opts   Options
	frames Frames
	wait   tea.Cmd       // returns when there is a newer snapshot
	ended  tea.Cmd       // returns when the context has ended
	step   time.Duration // how far the run must have moved on for the charts to be drawn again

	newest *model.Snapshot // also while the picture stands still
	snap   *model.Snapshot // drawn
	slow   *model.Snapshot // the newest whole second's
	view   ViewState
	axis   Axis
	help   bool

	asking   string        // what is being typed: "" for nothing, a filter or a mark
	markAt   model.Instant // when the mark was begun
	markText string
	picking  bool // the list of themes is open
	pickFrom int  // the theme to go back to
	chosen   bool // the user chose a theme: the terminal's background no longer decides

	themes []*themes.Theme
	theme  int
	depth  themes.Depth
	w, h   int

	grid   *draw.Grid
	buf    []byte
	frame  string // what View returned last
	stale  bool   // frame has to be drawn anew
	drawn  uint64 // frames drawn, for tests
	remote bool
}

func newScreen(frames Frames, o Options) (*screen, error) {
	s := &screen{
		opts: o, frames: frames, themes: o.Themes, depth: themes.TrueColor,
		grid: draw.NewGrid(0, 0), w: o.Width, h: o.Height, stale: true,
		view: ViewState{
			Window: max(o.Window, 0), ASCII: o.ASCII || o.Wide, Title: o.Title, Coach: o.Coach, Replay: o.Deck != nil, Speed: o.Speed,
			Layout: o.Layout, Full: o.Full, Hidden: o.Hidden, Lines: o.Lines,
		},
	}
	if s.view.Zone = o.Zone; o.Zone == nil {
		s.view.Zone = time.Local
	}
	s.step = Step(o.FPS)
	if o.Window == 0 {
		s.view.Window = DefaultWindow
	}
	if s.view.Speed == 0 || math.IsInf(s.view.Speed, 0) {
		s.view.Speed = 1
	}
	if o.NoColor {
		s.depth = themes.Mono
	}
	if s.themes == nil {
		all, err := themes.Builtin()
		if err != nil {
			return nil, err
		}
		s.themes = all
	}
	name := o.Theme
	s.chosen = name != ""
	if name == "" {
		name = themes.DefaultName
	}
	t, err := themes.Find(s.themes, name)
	if err != nil {
		return nil, err
	}
	for i := range s.themes {
		if s.themes[i] == t {
			s.theme = i
		}
	}
	if s.opts.Environ == nil {
		s.opts.Environ = os.Environ()
	}
	for _, e := range s.opts.Environ {
		s.view.ASCII = s.view.ASCII || e == "RUNEWIDTH_EASTASIAN=1"
		s.remote = s.remote || strings.HasPrefix(e, "SSH_TTY=") || strings.HasPrefix(e, "SSH_CONNECTION=")
	}
	if frames != nil {
		s.take(frames.Latest())
	}
	return s, nil
}

func (s *screen) programOptions() []tea.ProgramOption {
	out := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithFPS(sendsASecond), tea.WithEnvironment(s.opts.Environ)}
	if s.opts.Input != nil {
		out = append(out, tea.WithInput(s.opts.Input))
	}
	if s.opts.Output != nil {
		out = append(out, tea.WithOutput(s.opts.Output))
	}
	if s.opts.NoColor {
		out = append(out, tea.WithColorProfile(colorprofile.ASCII))
	}
	if s.opts.Width > 0 && s.opts.Height > 0 {
		out = append(out, tea.WithWindowSize(s.opts.Width, s.opts.Height))
	}
	return out
}

// Init asks for the first frame. Over SSH bubbletea doesn't ask the terminal
// for synchronized output, so the answer is given for it: terminals that lack
// it ignore it.
func (s *screen) Init() tea.Cmd {
	cmds := []tea.Cmd{s.wait, s.ended, s.late()}
	if !s.chosen && !s.opts.NoColor {
		cmds = append(cmds, tea.RequestBackgroundColor) // a terminal that does not answer keeps the default theme
	}
	if s.remote && !s.opts.NoSync {
		cmds = append(cmds, func() tea.Msg {
			return tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}
		})
	}
	return tea.Batch(cmds...)
}

// next asks for one more frame, not before most of a frame's time has passed:
// all of it, and a run that moves on each frame would be looked at later from
// frame to frame. There is never more than one asked for.
func (s *screen) next() tea.Cmd {
	wait := s.wait
	return tea.Tick(time.Second/framesASecond*9/10, func(time.Time) tea.Msg { return wait() })
}

// Update takes one message.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case frameMsg:
		s.newest = s.frames.Latest()
		s.refresh()
		return s, s.next()
	case tea.WindowSizeMsg:
		s.w, s.h, s.stale = m.Width, m.Height, true
	case tea.ColorProfileMsg:
		s.profile(m.Profile)
	case tea.KeyPressMsg:
		return s, s.key(m.String())
	case tea.MouseClickMsg:
		s.click(m.X, m.Y)
	case tea.BackgroundColorMsg:
		s.background(m.IsDark())
	case lateMsg:
		return s, s.late()
	case noticeMsg:
		s.view.Notice, s.stale = string(m), true
	case tea.MouseWheelMsg:
		s.wheel(m.Button)
	}
	return s, nil
}

// refresh takes the newest snapshot, unless the picture of a live run stands
// still: then only how far it is behind is counted, in whole seconds.
func (s *screen) refresh() {
	if !s.view.Paused || s.view.Replay {
		s.take(s.newest)
		return
	}
	if s.newest == nil || s.snap == nil {
		return
	}
	if behind := math.Floor(s.newest.Now.Seconds(s.snap.Now)); behind != s.view.Behind {
		s.view.Behind, s.stale = behind, true
	}
}

// take makes snap the one that is drawn. Numbers in words move on with whole
// seconds only: nobody reads digits at 10 Hz.
func (s *screen) take(snap *model.Snapshot) {
	if snap == nil || snap == s.snap {
		return
	}
	if old, step := s.snap, s.pace(); old != nil && snap.Now >= old.Now && snap.Now.Floor(step) == old.Now.Floor(step) &&
		snap.Second == old.Second && snap.Start == old.Start && snap.Final == old.Final {
		return
	}
	s.snap, s.stale = snap, true
	old := s.slow
	if old == nil || snap.Second != old.Second || snap.Start != old.Start || snap.Final || snap.Now < old.Now {
		s.slow = snap
	}
}

func (s *screen) profile(p colorprofile.Profile) {
	s.stale = true
	switch {
	case s.opts.NoColor || p <= colorprofile.ASCII:
		s.depth = themes.Mono
	case p == colorprofile.ANSI:
		s.depth = themes.ANSI16
	case p == colorprofile.ANSI256:
		s.depth = themes.ANSI256
	default:
		s.depth = themes.TrueColor
	}
}

// View is the frame as text, drawn only when something has changed.
func (s *screen) View() tea.View {
	if s.stale {
		s.draw()
	}
	v := tea.NewView(s.frame)
	v.AltScreen = true
	v.WindowTitle = s.title()
	if s.opts.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (s *screen) draw() {
	s.stale = false
	s.drawn++
	theme := s.themes[s.theme]
	if s.help {
		s.frame = helpPage(theme, s.depth, s.w, s.h, s.view)
		return
	}
	if w, h := s.grid.Size(); w != s.w || h != s.h {
		s.grid.Resize(s.w, s.h)
	}
	v := s.view
	v.Slow = s.slow
	s.axis = Draw(s.grid, s.snap, v, s.depth)
	if s.picking {
		drawPicker(s.grid, s.themes, s.theme)
	}
	s.buf = s.grid.Encode(s.buf[:0], theme, s.depth)
	s.frame = string(s.buf)
}

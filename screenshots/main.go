// Command screenshots renders the README's pictures: it plays scenarios of the
// simulator through the real parsers, engine and panels up to a given second
// and paints the screen that stands then. Nothing is drawn by hand, so the
// pictures can't drift from the program.
//
//	go run ./screenshots [-out screenshots]
package main

import (
	"context"
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/sim"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

// shot is one picture.
type shot struct {
	name     string
	scenario string
	at       time.Duration
	w, h     int
	theme    string
	view     ui.ViewState
}

// shots lists the pictures of the README.
var shots = []shot{
	{name: "thermal-120x40", scenario: "thermal_sw", at: 132 * time.Second, w: 120, h: 40, theme: "dark"},
	{name: "client-pool-120x40", scenario: "client_pool", at: 120 * time.Second, w: 120, h: 40, theme: "dark"},
	{name: "tour-light-200x60", scenario: "tour", at: 300 * time.Second, w: 200, h: 60, theme: "light", view: ui.ViewState{Window: 5 * time.Minute}},
	{name: "layout-gpu-120x40", scenario: "thermal_sw", at: 132 * time.Second, w: 120, h: 40, theme: "dark", view: ui.ViewState{Layout: "gpu"}},
	{name: "layout-latency-120x40", scenario: "tour", at: 200 * time.Second, w: 120, h: 40, theme: "safe", view: ui.ViewState{Layout: "latency", Window: 3 * time.Minute}},
	{name: "layout-demo-120x40", scenario: "client_pool", at: 120 * time.Second, w: 120, h: 40, theme: "solarized", view: ui.ViewState{Layout: "demo"}},
	{name: "cursor-120x40", scenario: "tour", at: 300 * time.Second, w: 120, h: 40, theme: "dark", view: ui.ViewState{Window: 5 * time.Minute, Cursor: start.Add(150 * time.Second)}},
	{name: "findings-120x40", scenario: "short_timeout", at: 90 * time.Second, w: 120, h: 40, theme: "dark", view: ui.ViewState{Full: "findings"}},
	{name: "lines-120x40", scenario: "tour", at: 200 * time.Second, w: 120, h: 40, theme: "contrast", view: ui.ViewState{Window: 3 * time.Minute, Lines: true}},
	{name: "host-120x40", scenario: "cpu_quota", at: 120 * time.Second, w: 120, h: 40, theme: "dark", view: ui.ViewState{Full: "host"}},
	{name: "glance-60x15", scenario: "thermal_sw", at: 132 * time.Second, w: 60, h: 15, theme: "dark"},
	{name: "timeouts-80x24", scenario: "short_timeout", at: 90 * time.Second, w: 80, h: 24, theme: "dark"},
}

// start is second 0 of the pictures' runs: fixed, so that they are the same
// bytes each time.
var start = model.InstantOf(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))

const cellHeight = 24 // pixels

func main() {
	out := flag.String("out", "screenshots", "folder for the pictures")
	flag.Parse()
	for _, s := range shots {
		if err := s.paint(*out); err != nil {
			fmt.Fprintf(os.Stderr, "screenshots: %s: %v\n", s.name, err)
			os.Exit(1)
		}
	}
	for _, f := range films {
		if err := f.paint(*out); err != nil {
			fmt.Fprintf(os.Stderr, "screenshots: %s: %v\n", f.name, err)
			os.Exit(1)
		}
	}
}

func (s *shot) paint(dir string) error {
	snap, err := s.play()
	if err != nil {
		return err
	}
	all, err := themes.Builtin()
	if err != nil {
		return err
	}
	th, err := themes.Find(all, s.theme)
	if err != nil {
		return err
	}
	v := s.view
	if v.Window == 0 {
		v.Window = ui.DefaultWindow
	}
	g := draw.NewGrid(s.w, s.h)
	ui.Draw(g, snap, v, themes.TrueColor)
	img, err := g.Picture(th, themes.TrueColor, cellHeight)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, s.name+".png"))
	if err != nil {
		return err
	}
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	err = enc.Encode(f, img)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// play runs the scenario up to the shot's second and returns what stands then.
func (s *shot) play() (*model.Snapshot, error) {
	src, err := sim.New(s.scenario, 11, start, sources.NewPacer(0))
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g := sources.NewGroup()
	g.Start(ctx, src, sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	e := engine.New(engine.Options{})
	in := make(chan *model.Batch)
	until := start.Add(s.at)
	sources.Spawn("cut", func() { feed(g.Batches(), in, until) }, func(error) {})
	e.Run(in)
	snap := *e.Latest()
	snap.Final = false // the run goes on; only the picture stops
	return &snap, nil
}

// feed passes batches on up to the tick at until, and drains the rest.
func feed(from <-chan *model.Batch, to chan<- *model.Batch, until model.Instant) {
	open := true
	for b := range from {
		if !open {
			continue
		}
		for i, ev := range b.Events {
			if ev.Kind == model.Tick && ev.Seen >= until {
				b.Events, open = b.Events[:i+1], false
				break
			}
		}
		to <- b
		if !open {
			close(to)
		}
	}
	if open {
		close(to)
	}
}

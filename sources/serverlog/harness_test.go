package serverlog_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/serverlog"
)

// t0 is an arbitrary moment lines arrive at.
var t0 = model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))

// bench decodes lines and keeps what comes out.
type bench struct {
	t     testing.TB
	d     *serverlog.Decoder
	out   *sources.Outlet
	ch    chan *model.Batch
	evs   []model.Event
	notes []model.Note
	now   model.Instant
}

func newBench(t testing.TB, o serverlog.Options) *bench {
	t.Helper()
	ch := make(chan *model.Batch, 1024)
	out := sources.NewOutlet(context.Background(), ch, 1, sources.Block, nil)
	return &bench{t: t, d: serverlog.NewDecoder(o), out: out, ch: ch, now: t0}
}

// live feeds lines a second apart.
func (b *bench) live(lines ...string) {
	b.t.Helper()
	for _, l := range lines {
		b.now = b.now.Add(time.Second)
		b.d.Line([]byte(l), b.now, false, b.out)
	}
	b.collect()
}

// past feeds lines that were there before.
func (b *bench) past(lines ...string) {
	b.t.Helper()
	for _, l := range lines {
		b.d.Line([]byte(l), b.now, true, b.out)
	}
	b.collect()
}

func (b *bench) collect() {
	b.out.FlushAt(b.now)
	for {
		select {
		case batch := <-b.ch:
			b.evs = append(b.evs, batch.Events...)
			b.notes = append(b.notes, batch.Notes...)
			sources.Recycle(batch)
			continue
		default:
		}
		return
	}
}

// of gives the values of a series, in order.
func (b *bench) of(id model.SeriesID) []float64 {
	var out []float64
	for _, e := range b.evs {
		if e.Series == id && e.Kind != model.State && e.Kind != model.Gap {
			out = append(out, e.Value)
		}
	}
	return out
}

func (b *bench) want(id model.SeriesID, want ...float64) {
	b.t.Helper()
	got := b.of(id)
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = math.Abs(got[i]-want[i]) < 1e-9
	}
	if !same {
		b.t.Errorf("%s: want %v, got %v", id, want, got)
	}
}

func (b *bench) note(kind model.NoteKind, part string) *model.Note {
	for i := range b.notes {
		if n := &b.notes[i]; n.Kind == kind && (strings.Contains(n.Text, part) || strings.Contains(n.Name, part)) {
			return n
		}
	}
	return nil
}

func (b *bench) wantConfig(name string, want float64) {
	b.t.Helper()
	for _, n := range b.notes {
		if n.Kind == model.NoteConfig && n.Name == name {
			if n.Value != want {
				b.t.Errorf("%s: want %v, got %v", name, want, n.Value)
			}
			return
		}
	}
	b.t.Errorf("%s: want %v, got no note", name, want)
}

// kinds counts the events of a kind.
func (b *bench) kinds(k model.Kind) int {
	n := 0
	for _, e := range b.evs {
		if e.Kind == k {
			n++
		}
	}
	return n
}

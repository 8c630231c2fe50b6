package store

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"benchtop/model"
)

// kept is what the store and its newest snapshot hold in memory.
func kept(t *testing.T, fill func(s *Store)) (bytes int, snap *model.Snapshot) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := New(model.DefaultThresholds())
	fill(s)
	s.Apply(&model.Batch{Events: []model.Event{{Seen: origin + 60*sec, Kind: model.Tick}}})
	s.Second(origin + 60*sec)
	snap = &model.Snapshot{}
	s.Freeze(snap, nil, true)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(s)
	return int(after.HeapAlloc) - int(before.HeapAlloc), snap
}

// texts sums up the bytes of all texts that a snapshot carries to the screen.
func texts(s *model.Snapshot) (n int) {
	for k, v := range s.Run.Facts {
		n += len(k) + len(v)
	}
	for k, v := range s.Run.Meta {
		n += len(k) + len(v)
	}
	for k, v := range s.Run.Config {
		n += len(k) + len(v.From)
	}
	for _, m := range s.Marks {
		n += len(m.Class) + len(m.Text)
	}
	for _, src := range s.Sources {
		n += len(src.Name) + len(src.Format) + len(src.Label) + len(src.Why)
		for _, l := range src.Samples {
			n += len(l.Name) + len(l.Text)
		}
	}
	for _, g := range s.GPUs {
		n += len(g.UUID) + len(g.Name)
	}
	for _, e := range s.Engines {
		n += len(e)
	}
	for _, v := range s.Said {
		n += len(v.ID) + len(v.Title)
	}
	return n
}

// TestCardinality floods the store with names that never end and wants what it
// keeps bounded, whoever sent them: a source, or a recording from a stranger.
func TestCardinality(t *testing.T) {
	const million = 1_000_000
	long := strings.Repeat("é", 1<<19) // 1 MB
	level := func(id model.SeriesID, src model.SourceID, key uint64, i int) model.Event {
		at := origin + model.Instant(i%60)*sec
		return model.Event{At: at, Seen: at, Kind: model.Level, Series: id, Source: src, Key: key, Value: 1}
	}
	many := 1
	if testing.Short() {
		many = 10
	}
	for _, tt := range []struct {
		name string
		fill func(s *Store)
		most int // MiB
	}{
		{"ten thousand engines", func(s *Store) {
			for i := range 10_000 {
				s.Apply(&model.Batch{
					Notes:  []model.Note{{Kind: model.NoteEngine, Source: 1, Key: uint64(i), Name: fmt.Sprint(i)}},
					Events: []model.Event{level(model.ServerRunning, 1, uint64(i), 0), level(model.ServerWaiting, 1, uint64(i), 0), level(model.ServerKV, 1, uint64(i), 0)},
				})
			}
		}, 40},
		{"ten thousand GPUs", func(s *Store) {
			for i := range 10_000 {
				s.Apply(&model.Batch{
					Notes:  []model.Note{{Kind: model.NoteGPU, Source: 1, Key: uint64(i) + 1, Name: fmt.Sprint(i), Text: "H100"}},
					Events: []model.Event{level(model.GPUSMClock, 1, uint64(i)+1, 0)},
				})
			}
		}, 20},
		{"sixty thousand sources", func(s *Store) {
			for i := range 60_000 {
				id := model.SourceID(i)
				s.Apply(&model.Batch{
					Notes: []model.Note{{Kind: model.NoteSource, Source: id, Name: fmt.Sprint("log", i), Value: float64(i % 7)}},
					Events: []model.Event{
						level(model.ServerRunning, id, 0, i), level(model.ServerWaiting, id, 0, i), level(model.HostOtherCPU, id, 0, i),
						{At: origin, Seen: origin, Kind: model.Begin, Series: model.ClientSent, Source: id, Key: 1},
						{At: origin, Seen: origin, Kind: model.Observe, Series: model.ServerBatch, Source: id, Value: 4},
					},
				})
			}
		}, 80},
		{"a million errors", func(s *Store) {
			for i := range million / many {
				s.Apply(&model.Batch{Notes: []model.Note{{At: origin, Seen: origin, Kind: model.NoteError, Source: 1, Text: fmt.Sprint("connection ", i, " refused")}}})
			}
		}, 20},
		{"a million bad lines", func(s *Store) {
			for i := range million / many {
				s.Apply(&model.Batch{Notes: []model.Note{{Kind: model.NoteBadLine, Source: 1, Name: fmt.Sprint("reason ", i), Text: fmt.Sprint("line ", i)}}})
			}
		}, 20},
		{"a million facts, settings and old verdicts", func(s *Store) {
			for i := range million / many / 4 {
				s.Apply(&model.Batch{Notes: []model.Note{
					{Kind: model.NoteRun, Name: fmt.Sprint("fact", i), Text: "x"},
					{Kind: model.NoteRun, Name: fmt.Sprint("meta.", i), Text: "x"},
					{Kind: model.NoteConfig, Name: fmt.Sprint("setting", i), Text: "x"},
					{Kind: model.NoteVerdict, Name: fmt.Sprint(i), Text: "a|b|c|d"},
				}})
			}
		}, 20},
		{"names of a megabyte", func(s *Store) {
			for i := range 200 {
				src := model.SourceID(i % 8)
				for k := model.NoteSource; k <= model.NoteError; k++ {
					n := model.Note{Kind: k, Source: src, Key: uint64(i), Name: long[i*2:], Text: long[i*2:]}
					if k == model.NoteRun {
						n.Name = fmt.Sprint("fact", i%20)
					}
					s.Apply(&model.Batch{Notes: []model.Note{n}})
				}
			}
		}, 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bytes, snap := kept(t, tt.fill)
			if bytes > tt.most<<20 {
				t.Errorf("want at most %d MiB kept, got %d", tt.most, bytes>>20)
			}
			if n := texts(snap); n > 8<<20 {
				t.Errorf("want at most 8 MiB of text in a snapshot, got %d KiB", n>>10)
			}
			for what, n := range map[string][2]int{
				"tracks": {len(snap.Tracks), 2*maxTracks + int(model.NumSeries)}, "sources": {len(snap.Sources), maxSources}, "GPUs": {len(snap.GPUs), maxGPUs},
				"engines": {len(snap.Engines), maxEngines}, "marks": {len(snap.Marks), maxMarks}, "said": {len(snap.Said), maxMarks},
				"facts": {len(snap.Run.Facts), maxFacts}, "meta": {len(snap.Run.Meta), maxFacts}, "settings": {len(snap.Run.Config), maxFacts},
			} {
				if n[0] > n[1] {
					t.Errorf("%s: want at most %d, got %d", what, n[1], n[0])
				}
			}
		})
	}
}

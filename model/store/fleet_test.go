package store_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/store"
)

// TestServersBesideEachOther lays the load of one client over several servers:
// what they hold adds up, and their engines are told apart.
func TestServersBesideEachOther(t *testing.T) {
	type src struct {
		kind    model.SourceKind
		label   string
		running float64
		until   int // seconds it speaks; 0 is to the end
	}
	log, metrics := model.KindServerLog, model.KindMetrics
	for _, c := range []struct {
		name    string
		sources []src
		ns, b   float64 // NaN is unknown
		engines int
	}{
		{"one", []src{{log, "", 32, 0}}, 32, 64, 0},
		{"a log and its endpoint", []src{{log, "", 32, 0}, {metrics, "", 32, 0}}, 32, 64, 0},
		{"the same by label", []src{{log, "a", 32, 0}, {metrics, "a", 32, 0}}, 32, 64, 0},
		{"maybe the same", []src{{log, "", 32, 0}, {metrics, "a", 32, 0}}, 32, 64, 0},
		{"two by label", []src{{log, "a", 20, 0}, {log, "b", 12, 0}}, 32, 128, 2},
		{"two endpoints without one", []src{{metrics, "", 20, 0}, {metrics, "", 12, 0}}, 32, 128, 2},
		{"two with both", []src{{log, "a", 20, 0}, {metrics, "a", 20, 0}, {log, "b", 12, 0}, {metrics, "b", 12, 0}}, 32, 128, 2},
		{"one fell silent", []src{{log, "a", 20, 0}, {log, "b", 12, 20}}, math.NaN(), 128, 2},
		{"one fell silent with nothing to do", []src{{log, "a", 32, 0}, {log, "b", 0, 20}}, 32, 128, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store.New(model.DefaultThresholds())
			at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
			head := model.Batch{Notes: []model.Note{{At: at, Seen: at, Kind: model.NoteConfig, Name: "max_batch", Value: 64, Text: "log"}}}
			for i, x := range c.sources {
				head.Notes = append(head.Notes, model.Note{At: at, Seen: at, Kind: model.NoteSource, Name: fmt.Sprint("place", i), Text: "vllm|" + x.label, Value: float64(x.kind), Source: model.SourceID(i + 1)})
			}
			s.Apply(&head)
			var v *model.ServerSignals
			for sec := range 130 {
				now := at.Add(time.Duration(sec) * time.Second)
				var b model.Batch
				for i, x := range c.sources {
					if x.until > 0 && sec > x.until {
						continue
					}
					seen := now.Add(time.Duration(i) * 100 * time.Millisecond)
					for _, e := range []model.Event{
						{Series: model.ServerRunning, Value: x.running}, {Series: model.ServerWaiting},
					} {
						e.At, e.Seen, e.Source, e.Kind = seen, seen, model.SourceID(i+1), model.Level
						b.Events = append(b.Events, e)
					}
				}
				b.Events = append(b.Events, model.Event{Seen: now.Add(900 * time.Millisecond), Kind: model.Tick})
				s.Apply(&b)
				v = &s.Second(now.Add(900 * time.Millisecond)).Server
			}
			if got := v.Running; got != c.ns && !(math.IsNaN(got) && math.IsNaN(c.ns)) {
				t.Errorf("want %v running, got %v", c.ns, got)
			}
			if v.B != c.b || len(v.Engines) != c.engines {
				t.Errorf("want a batch of %v and %d engines, got %v and %+v", c.b, c.engines, v.B, v.Engines)
			}
		})
	}
}

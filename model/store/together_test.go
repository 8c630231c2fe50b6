package store

import (
	"testing"

	"benchtop/model"
)

func gauge(src model.SourceID, id model.SeriesID, at, v float64) model.Event {
	return model.Event{Kind: model.Level, Series: id, Source: src, At: second(at), Value: v}
}

func state(src model.SourceID, st model.SourceState, at float64) model.Event {
	return model.Event{Kind: model.State, Source: src, At: second(at), Value: float64(st)}
}

func (s *Store) remark(notes ...model.Note) { s.Apply(&model.Batch{Notes: notes}) }

func holds(src model.SourceID, at, v float64) model.Note {
	return model.Note{Kind: model.NoteConfig, Source: src, At: second(at), Seen: second(at), Name: "target_concurrency", Value: v, Text: "load.ndjson"}
}

func asks(v float64) model.Note {
	return model.Note{Kind: model.NoteConfig, At: second(0), Seen: second(0), Name: "target_concurrency", Value: v, Text: "--target-concurrency (declared)"}
}

func oneOf(src model.SourceID, generator uint64) model.Note {
	return model.Note{Kind: model.NoteRun, Source: src, Name: "generator", Key: generator}
}

// TestGaugesAddUp wants the client's gauges of several streams as one: the sum
// over those that are there, an output of the same generator not counted twice.
func TestGaugesAddUp(t *testing.T) {
	both := [...]model.SeriesID{model.ClientTarget, model.ClientOpenConns, model.ClientQueued, model.ClientGaugeInFlight}
	for _, c := range []struct {
		name string
		do   func(s *Store, id model.SeriesID)
		want float64
	}{
		{"one stream", func(s *Store, id model.SeriesID) { s.tell(gauge(1, id, 1, 8), gauge(1, id, 2, 9)) }, 9},
		{"two streams", func(s *Store, id model.SeriesID) { s.tell(gauge(1, id, 1, 20), gauge(2, id, 1.1, 8)) }, 28},
		{"one of them changes", func(s *Store, id model.SeriesID) {
			s.tell(gauge(1, id, 1, 20), gauge(2, id, 1.1, 8), gauge(1, id, 2, 30))
		}, 38},
		{"an older word comes late", func(s *Store, id model.SeriesID) {
			s.tell(gauge(1, id, 3, 20), gauge(1, id, 2, 5), gauge(2, id, 3.1, 8))
		}, 28},
		{"one has ended", func(s *Store, id model.SeriesID) {
			s.tell(gauge(1, id, 1, 20), gauge(2, id, 1.1, 8), state(1, model.Ended, 2))
		}, 8},
		{"one has failed", func(s *Store, id model.SeriesID) {
			s.tell(gauge(1, id, 1, 20), gauge(2, id, 1.1, 8), state(2, model.Failed, 2))
		}, 20},
		{"one after the other", func(s *Store, id model.SeriesID) {
			s.tell(gauge(1, id, 1, 20), state(1, model.Ended, 2), gauge(2, id, 3, 8))
		}, 8},
		{"two outputs of one generator", func(s *Store, id model.SeriesID) {
			s.remark(oneOf(1, 7), oneOf(2, 7))
			s.tell(gauge(1, id, 1, 20), gauge(2, id, 1.1, 21))
		}, 21},
		{"a generator of two outputs and another", func(s *Store, id model.SeriesID) {
			s.remark(oneOf(1, 7), oneOf(2, 7))
			s.tell(gauge(1, id, 1, 20), gauge(2, id, 1.1, 20), gauge(3, id, 1.2, 8))
		}, 28},
		{"a stream begins a new run", func(s *Store, id model.SeriesID) {
			s.tell(gauge(1, id, 1, 20), gauge(2, id, 1.1, 8))
			s.tell(model.Event{Kind: model.Reset, Series: model.ClientInFlight, Source: 1, At: second(2)}, gauge(2, id, 2.1, 9))
		}, 9},
	} {
		for _, id := range both {
			t.Run(c.name+"/"+id.Describe().Name, func(t *testing.T) {
				s := streams(t, "a", "b", "c")
				c.do(s, id)
				if got := s.whole[id].last; got != c.want {
					t.Errorf("want %g, got %g", c.want, got)
				}
			})
		}
	}
}

// TestTargetsAddUp wants the declared concurrency of all streams as one number,
// while they run and when they are over, whether they are read at once or one
// file after the other.
func TestTargetsAddUp(t *testing.T) {
	work := func(src model.SourceID, from, to float64) []model.Event {
		key := uint64(src) * 100
		return []model.Event{begin(src, key, from), end(src, key, to, to-from)}
	}
	for _, c := range []struct {
		name string
		do   func(s *Store)
		want float64
	}{
		{"one stream", func(s *Store) { s.remark(holds(1, 1, 8)) }, 8},
		{"two streams", func(s *Store) { s.remark(holds(1, 1, 8), holds(2, 1, 20)) }, 28},
		{"one has ended, the other runs", func(s *Store) {
			s.remark(holds(1, 1, 8), holds(2, 1, 20))
			s.tell(work(1, 1, 5)...)
			s.tell(state(1, model.Ended, 6))
		}, 20},
		{"both have ended, a moment apart", func(s *Store) {
			s.remark(holds(1, 1, 8), holds(2, 1, 20))
			s.tell(work(1, 1, 5)...)
			s.tell(work(2, 1, 5.5)...)
			s.tell(state(1, model.Ended, 6), state(2, model.Ended, 6.5))
		}, 28},
		{"two finished files, read one after the other", func(s *Store) {
			s.remark(holds(1, 1, 8))
			s.tell(work(1, 1, 10)...)
			s.tell(state(1, model.Ended, 60))
			s.remark(holds(2, 1.2, 20))
			s.tell(work(2, 1.2, 11)...)
			s.tell(state(2, model.Ended, 61))
		}, 28},
		{"two runs, one after the other", func(s *Store) {
			s.remark(holds(1, 1, 8))
			s.tell(work(1, 1, 10)...)
			s.tell(state(1, model.Ended, 11))
			s.remark(holds(2, 20, 20))
			s.tell(work(2, 20, 30)...)
			s.tell(state(2, model.Ended, 31))
		}, 20},
		{"one has ended, the other never says so", func(s *Store) {
			s.remark(holds(1, 1, 8), holds(2, 1, 20))
			s.tell(work(1, 1, 5)...)
			s.tell(work(2, 1, 5.5)...)
			s.tell(state(1, model.Ended, 6))
			s.Finish()
		}, 28},
		{"the user's word for several", func(s *Store) { s.remark(asks(32), holds(1, 1, 8), holds(2, 1, 20)) }, 32},
		{"the user's word once one has ended", func(s *Store) {
			s.remark(asks(32), holds(1, 1, 8), holds(2, 1, 20))
			s.tell(state(1, model.Ended, 6))
		}, 32},
		{"the user's word where one stream tells its own", func(s *Store) { s.remark(asks(32), holds(1, 1, 8)) }, 8},
		{"outputs of one generator", func(s *Store) {
			s.remark(oneOf(1, 7), oneOf(2, 7), holds(1, 1, 20), holds(2, 1, 20), holds(3, 1, 8))
		}, 28},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := streams(t, "a", "b", "c")
			s.tell(state(3, model.Running, 0.1))
			c.do(s)
			if got := s.run.Config["target_concurrency"].Value; got != c.want {
				t.Errorf("want %g, got %g (%s)", c.want, got, s.run.Config["target_concurrency"].From)
			}
		})
	}
}

// TestAskedTarget wants the concurrency that the user declared for the whole of
// several streams on the time axis too.
func TestAskedTarget(t *testing.T) {
	s := streams(t, "a", "b")
	s.remark(asks(32))
	s.tell(gauge(1, model.ClientTarget, 1, 8), gauge(2, model.ClientTarget, 1.1, 20))
	if got := s.whole[model.ClientTarget].last; got != 32 {
		t.Errorf("want 32, got %g", got)
	}
}

// TestBlindKinds wants every kind of failure that some stream can't tell, and
// of one generator's outputs those that the best of them can't tell.
func TestBlindKinds(t *testing.T) {
	blind := func(src model.SourceID, kinds string) model.Note {
		return model.Note{Kind: model.NoteRun, Source: src, Name: "kinds_unknown", Text: kinds}
	}
	for _, c := range []struct {
		name string
		do   func(s *Store)
		want string
	}{
		{"one stream", func(s *Store) { s.remark(blind(1, "timeout,reset")) }, "reset,timeout"},
		{"two streams", func(s *Store) { s.remark(blind(1, "timeout,reset"), blind(2, "reset,other")) }, "other,reset,timeout"},
		{"the same twice", func(s *Store) { s.remark(blind(1, "timeout"), blind(2, "timeout")) }, "timeout"},
		{"one stream learns more", func(s *Store) { s.remark(blind(1, "timeout"), blind(1, "other")) }, "other,timeout"},
		{"an output that tells requests, one that is blind", func(s *Store) {
			s.remark(oneOf(1, 7), oneOf(2, 7), blind(2, "timeout,reset"))
			s.tell(begin(1, 1, 1), end(1, 1, 2, 1), state(2, model.Ended, 3))
		}, ""},
		{"two blind outputs of one generator", func(s *Store) {
			s.remark(oneOf(1, 7), oneOf(2, 7), blind(1, "timeout,reset"), blind(2, "reset,other"))
		}, "reset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := streams(t, "a", "b")
			c.do(s)
			if got := s.run.Facts["kinds_unknown"]; got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}

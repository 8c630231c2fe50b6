package gpu

import (
	"testing"
	"time"

	"benchtop/model"
)

func TestShelf(t *testing.T) {
	began := time.Unix(1000, 0)
	after := func(sec float64) time.Time { return began.Add(time.Duration(sec * 1e9)) }
	measured := func(sec float64, clock float64) Reading {
		r := Reading{At: model.InstantOf(after(sec))}
		r.Set(SMClock, clock)
		return r
	}
	s := newShelf(0, began)
	check := func(what string, sec float64, state Condition, held bool, clock float64) {
		t.Helper()
		r := s.take(after(sec), 3*time.Second)
		if r.State != state || r.Held != held || clock != 0 && r.Get(SMClock) != clock {
			t.Errorf("%s: want %v, held %v, %v MHz, got %v, %v, %v", what, state, held, clock, r.State, r.Held, r.Get(SMClock))
		}
		if held && r.when() != model.InstantOf(after(sec)) {
			t.Errorf("%s: want it to be news of the poll, got %v", what, r.when())
		}
	}
	check("before the first", 0.1, Stale, true, 0)
	s.put(measured(1, 1980), after(1))
	check("new", 1.1, OK, false, 1980)
	check("no newer one", 2.1, OK, true, 1980)
	check("three polls later", 4.1, Stale, true, 1980)
	part := measured(4.5, 1500)
	s.putPart(part)
	check("a part of one", 5.1, Stale, false, 1500)
	check("no more of it", 6.1, Stale, true, 1500)
	s.put(measured(7, 1600), after(7))
	check("whole again", 7.1, OK, false, 1600)
	lost := measured(7, 1600)
	lost.freeze(Lost, CodeLost)
	s.put(lost, after(8))
	check("lost", 8.1, Lost, true, 1600)
	check("lost for long", 99, Lost, true, 1600)
}

func TestFill(t *testing.T) {
	var last, r Reading
	last.Set(Temp, 50)
	last.Set(Power, 300)
	last.Set(SMClock, 1980)
	r.Set(Temp, 51)
	r.Fail(Power, CodeUnknown)
	r.fill(&last)
	if r.Get(Temp) != 51 || !r.fresh(Temp) {
		t.Errorf("want what was read to stay, got %v", r.Get(Temp))
	}
	if r.Has(Power) || r.Err(Power) != CodeUnknown {
		t.Errorf("want a failure to stay one, got %v", r.Get(Power))
	}
	if r.Get(SMClock) != 1980 || r.fresh(SMClock) {
		t.Errorf("want the last clock, as an old one, got %v, fresh %v", r.Get(SMClock), r.fresh(SMClock))
	}
	if r.Set(SMClock, 1500); !r.fresh(SMClock) {
		t.Error("want a value that was read to be fresh")
	}
}

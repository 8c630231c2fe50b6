package store_test

import (
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/store"
)

// A replay's sources say with today's time that they end; the run's time is
// that of its events.
func TestRunKeepsItsTime(t *testing.T) {
	then := model.InstantOf(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	today := then.Add(200 * 24 * time.Hour)
	tick := func(at model.Instant) model.Event { return model.Event{Kind: model.Tick, Seen: at, At: at} }
	for name, tc := range map[string]struct {
		last       model.Event
		start, now model.Instant
	}{
		"a source that ends":           {model.Event{Kind: model.State, Source: 1, Seen: today, At: today}, then, then.Add(time.Minute)},
		"a source's count":             {model.Event{Kind: model.Add, Series: model.SourceLines, Source: 1, Seen: today, At: today, Value: 1}, then, then.Add(time.Minute)},
		"a tick of another season":     {tick(today), today, today},
		"a tick of long before":        {tick(then.Add(-200 * 24 * time.Hour)), then, then.Add(time.Minute)},
		"a tick past what time can be": {tick(model.Instant(1) << 62 / 4 * 7), then, then.Add(time.Minute)},
	} {
		s := store.New(model.DefaultThresholds())
		s.Apply(&model.Batch{Events: []model.Event{tick(then), tick(then.Add(time.Minute)), tc.last}})
		if s.Start() != tc.start || s.Now() != tc.now {
			t.Errorf("%s: want the run from %d to %d, got %d to %d", name, tc.start, tc.now, s.Start(), s.Now())
		}
	}
}

package store

import (
	"math"
	"testing"

	"benchtop/model"
)

// TestTwoMachines: client and server have a machine each, and each tells of its
// own network and connections. Their totals are not mixed up, and when the
// better placed one falls silent the other's word is taken without a jump.
func TestTwoMachines(t *testing.T) {
	s := New(model.Thresholds{})
	s.Apply(&model.Batch{Notes: []model.Note{
		{At: origin, Seen: origin, Source: 1, Kind: model.NoteSource, Name: "host client", Value: float64(model.KindHost), Text: "host-ndjson|client"},
		{At: origin, Seen: origin, Source: 2, Kind: model.NoteSource, Name: "host server", Value: float64(model.KindHost), Text: "host-ndjson|server"},
		{At: origin, Seen: origin, Source: 3, Kind: model.NoteSource, Name: "host", Value: float64(model.KindHost), Text: "procfs|"},
	}})
	tell := func(second int, source model.SourceID, id model.SeriesID, v float64) {
		at := origin + model.Instant(second)*sec
		s.Apply(&model.Batch{Events: []model.Event{{At: at, Seen: at, Source: source, Series: id, Kind: model.Level, Value: v}}})
	}
	for i := range 30 {
		n := float64(i)
		tell(i, 2, model.HostConnsOpened, 5e6+1000*n)
		tell(i, 1, model.HostConnsOpened, 100+2*n)
		tell(i, 1, model.HostSegsOut, 7e9+n)
		tell(i, 2, model.HostSegsOut, 1000+50*n)
		tell(i, 1, model.HostEstablished, 48)
		tell(i, 2, model.HostEstablished, 8)
		tell(i, 2, model.HostAcceptQueue, 40)
		tell(i, 1, model.SelfCPU, 0.5)
		tell(i, 3, model.SelfCPU, 0.01)
	}
	for _, c := range []struct {
		id   model.SeriesID
		want float64
	}{{model.HostConnsOpened, 2 * 29}, {model.HostSegsOut, 50 * 28}} { // the server's machine takes over in its first second
		if got := s.whole[c.id].total; math.Abs(got-c.want) > 50 {
			t.Errorf("%v: want a growth of %v, got %v", c.id, c.want, got)
		}
	}
	sig := s.Second(origin + 29*sec)
	if h := sig.Host; h.Established != 48 || h.AcceptQueue != 40 || h.NewConns > 3 {
		t.Errorf("want 48 connections, 40 not accepted, 2 a second, got %v, %v, %v", h.Established, h.AcceptQueue, h.NewConns)
	}
	if got := s.whole[model.SelfCPU].last; got != 0.01 {
		t.Errorf("want the cost of this process, got %v", got)
	}
	before := s.whole[model.HostConnsOpened].total
	for i := 30; i < 60; i++ { // the client's machine is gone
		tell(i, 2, model.HostConnsOpened, 5e6+1000*float64(i))
		tell(i, 2, model.HostEstablished, 8)
	}
	if got := s.whole[model.HostConnsOpened].total - before; got < 15_000 || got > 30_000 {
		t.Errorf("want the server's word taken after 10 s, without a jump, got a growth of %v", got)
	}
}

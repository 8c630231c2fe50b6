package recording

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"benchtop/model"
)

// nowhere is a disk that takes everything at once.
func nowhere() disk {
	nothing := func() error { return nil }
	return disk{
		write:    func(p []byte) (int, error) { return len(p), nil },
		truncate: func(int64) error { return nil },
		sync:     nothing, close: nothing,
	}
}

// BenchmarkWrite is what recording costs the engine, and what it costs on disk.
func BenchmarkWrite(b *testing.B) {
	for _, hashed := range []bool{false, true} {
		b.Run(fmt.Sprintf("hashed=%v", hashed), func(b *testing.B) {
			w, err := newWriter("x", Header{}, nowhere())
			if err != nil {
				b.Fatal(err)
			}
			w.wait = time.Minute
			s := newStream(1, hashed)
			for range 20 { // fill the server
				s.second()
			}
			var run []*model.Batch
			for range 30 {
				run = append(run, s.second()...)
			}
			events, seconds := 0, 0.0
			span := run[len(run)-1].Events[0].Seen - run[0].Events[0].Seen
			b.ReportAllocs()
			for b.Loop() {
				for _, batch := range run {
					w.Write(batch)
					events += len(batch.Events)
				}
				seconds += 30
				for _, batch := range run { // time goes on
					for i := range batch.Events {
						batch.Events[i].At += span
						batch.Events[i].Seen += span
					}
				}
			}
			b.StopTimer()
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			st := w.Stats()
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(st.Bytes)/float64(events), "B/event")
			b.ReportMetric(float64(st.Bytes)/1e6/seconds*3600, "MB/hour")
			b.ReportMetric(float64(st.Lost), "lost")
		})
	}
}

// BenchmarkRead is what a replay at full speed costs before the engine.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "run"+Ext)
	w, err := Create(path, Header{})
	if err != nil {
		b.Fatal(err)
	}
	s := newStream(1, true)
	for range 60 {
		for _, batch := range s.second() {
			w.Write(batch)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var batch model.Batch
	events := 0
	b.ReportAllocs()
	for b.Loop() {
		r.Rewind()
		for r.Next(&batch) == nil {
			events += len(batch.Events)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}

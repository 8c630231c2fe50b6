package loadgen_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/loadgen"
)

// benchLines decodes lines over and over; every round the ids and times of the
// lines differ, as in a real stream.
func benchDecode(b *testing.B, name string, line func(buf []byte, i int) []byte) {
	b.Helper()
	ch := make(chan *model.Batch, 64)
	done := make(chan struct{})
	go func() {
		for batch := range ch {
			sources.Recycle(batch)
		}
		close(done)
	}()
	out := sources.NewOutlet(b.Context(), ch, 1, sources.Block, nil)
	d := loadgen.NewDecoder(loadgen.Options{Format: name})
	const n = 1 << 16
	text := make([][]byte, n)
	for i := range text {
		text[i] = line(nil, i)
	}
	for _, l := range text[:n/2] {
		d.Line(l, seenAt, false, false, out)
	}
	b.ReportAllocs()
	b.ResetTimer()
	var buf []byte
	for i := 0; b.Loop(); i++ {
		if i+n/2 < n {
			d.Line(text[i+n/2], seenAt, false, false, out)
			continue
		}
		buf = line(buf[:0], i+n/2)
		d.Line(buf, seenAt, false, false, out)
	}
	b.StopTimer()
	close(ch)
	<-done
}

func BenchmarkNDJSON(b *testing.B) {
	benchDecode(b, "benchtop_ndjson", func(buf []byte, i int) []byte {
		id, kind := i/2, i%2
		if kind == 0 {
			return fmt.Appendf(buf, `{"ev":"start","t":1796046000.%06d,"id":%d,"worker":3}`, i%1000000, id)
		}
		return fmt.Appendf(buf, `{"ev":"end","t":1796046000.%06d,"id":%d,"dur_ms":32.342,"outcome":"ok","status":200,"ttft_ms":12.5,"output_tokens":100,"conn_reused":true,"bytes_in":33}`, i%1000000, id)
	})
}

func BenchmarkVegeta(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	all := randomRun(rng, 32, 1<<16, -1)
	body := bytes.Repeat([]byte("eyJ0ZXh0"), 64)
	benchDecode(b, "vegeta_json", func(buf []byte, i int) []byte {
		r := all[i%len(all)]
		r.seq += i / len(all) * len(all)
		shift := model.Instant(i/len(all)) * 400e9
		r.start += shift
		r.end += shift
		return append(buf, bytes.Replace([]byte(r.line()), []byte("eyJ9"), body, 1)...)
	})
}

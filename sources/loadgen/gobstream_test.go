package loadgen_test

import (
	"bytes"
	"slices"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// vegeta's binary stream gives the same events in whatever pieces it comes, and
// the same requests as the file of it.
func TestGobStream(t *testing.T) {
	text := readFile(t, "testdata/vegeta.gob")
	var want []model.Event
	for _, n := range []int{len(text), 4096, 509, 64, 1} {
		s := newSink(t)
		d := loadgen.NewDecoder(loadgen.Options{})
		at := min(400, len(text)) // the first piece holds what names the stream
		if n == len(text) {
			at = n
		}
		if !d.Raw(text[:at], 0, seenAt, false, s.out) {
			t.Fatal("want the stream taken")
		}
		for piece := range slices.Chunk(text[at:], n) {
			if !d.Raw(piece, int64(at), seenAt, false, s.out) {
				t.Fatal("want the rest of the stream taken")
			}
		}
		d.End(seenAt, s.out)
		s.drain()
		if d.Err() != nil {
			t.Fatalf("pieces of %d: %v", n, d.Err())
		}
		got := plain(s.events)
		if want == nil {
			want = got
			if ends := s.ends(); len(ends) != 133 {
				t.Errorf("want 133 requests, got %d", len(ends))
			}
		}
		if !slices.Equal(want, got) {
			t.Errorf("pieces of %d: want %d events, got %d, or others", n, len(want), len(got))
		}
	}
}

func TestGobStreamRefuses(t *testing.T) {
	text := readFile(t, "testdata/vegeta.gob")
	t.Run("other streams", func(t *testing.T) {
		d := loadgen.NewDecoder(loadgen.Options{})
		s := newSink(t)
		if d.Raw([]byte(`{"ev":"start"}`+"\n"), 0, seenAt, false, s.out) || d.Raw(text, 4096, seenAt, false, s.out) {
			t.Error("want lines, and a stream joined in its middle, left to others")
		}
	})
	t.Run("damage", func(t *testing.T) {
		for at := 600; at < 3000; at += 97 {
			d := loadgen.NewDecoder(loadgen.Options{})
			s := newSink(t)
			broken := bytes.Clone(text)
			broken[at] ^= 0xff
			d.Raw(broken, 0, seenAt, false, s.out) // no panic, and a reason if it can't go on
			d.End(seenAt, s.out)
			s.drain()
			if len(s.ends()) < 100 && d.Err() == nil {
				t.Errorf("damage at %d: want a reason for %d requests of 133", at, len(s.ends()))
			}
		}
	})
}

package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"benchtop/model"
)

// readerOf opens what is in data.
func readerOf(data []byte) (*Reader, error) {
	return newReader("memory", bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil })
}

// items flattens a batch: notes first, as the engine takes them. Values are
// compared by their bits, which tells NaNs and zeros apart.
func items(dst []item, b *model.Batch) []item {
	for _, n := range b.Notes {
		bits := math.Float64bits(n.Value)
		n.Value = 0
		dst = append(dst, item{note: n, bits: bits})
	}
	for _, ev := range b.Events {
		bits := math.Float64bits(ev.Value)
		ev.Value = 0
		dst = append(dst, item{ev: ev, bits: bits})
	}
	return dst
}

// readAll reads r to its end.
func readAll(t testing.TB, r *Reader) []item {
	t.Helper()
	var got []item
	var b model.Batch
	for {
		err := r.Next(&b)
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Events) == 0 && len(b.Notes) == 0 {
			t.Fatal("want something in each batch, got an empty one")
		}
		got = items(got, &b)
	}
}

func same(t testing.TB, want, got []item) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("item %d: want %+v, got %+v", i, want[i], got[i])
		}
	}
	if len(want) != len(got) {
		t.Fatalf("want %d items, got %d", len(want), len(got))
	}
}

// odd is a value, instant or key from the edges as often as from between.
func odd(rng *rand.Rand) uint64 {
	switch rng.IntN(8) {
	case 0:
		return 0
	case 1:
		return math.MaxUint64
	case 2:
		return 1 << 63
	case 3:
		return uint64(rng.IntN(300))
	case 4:
		return rng.Uint64() >> rng.IntN(64)
	}
	return rng.Uint64()
}

func oddValue(rng *rand.Rand) float64 {
	values := [...]float64{
		0, math.Copysign(0, -1), 1, -1, 0.1, -0.3, 1e-9, 0.123456789, 1.5e-10, 1e300, 5e-324,
		math.Inf(1), math.Inf(-1), math.NaN(), math.Float64frombits(0x7ff8_0000_dead_beef),
		1 << 53, 1<<53 - 1, -(1 << 53) + 1, 1<<63 - 1, 9007199.254740993, 4503599.627370497,
	}
	switch rng.IntN(4) {
	case 0:
		return values[rng.IntN(len(values))]
	case 1:
		return float64(rng.IntN(100_000)) / 1000
	case 2:
		return float64(int64(odd(rng)))
	}
	return math.Float64frombits(odd(rng))
}

func oddText(rng *rand.Rand) string {
	p := make([]byte, rng.IntN(40))
	for i := range p {
		p[i] = byte(rng.Uint32())
	}
	return string(p)
}

// oddBatch is anything a batch may hold. Time mostly creeps, now and then it
// jumps.
func oddBatch(rng *rand.Rand, now *model.Instant) *model.Batch {
	b := &model.Batch{}
	instant := func() model.Instant {
		if rng.IntN(20) == 0 {
			return model.Instant(odd(rng))
		}
		*now += model.Instant(rng.IntN(50_000_000) - 5_000_000)
		return *now
	}
	for range rng.IntN(60) {
		ev := model.Event{
			Seen: instant(), Value: oddValue(rng), Key: odd(rng), Source: model.SourceID(odd(rng)),
			Series: model.SeriesID(rng.IntN(model.NumSeries)), Kind: model.Kind(rng.IntN(int(model.Reset) + 1)), Late: rng.IntN(5) == 0,
		}
		switch rng.IntN(3) {
		case 0:
			ev.At = ev.Seen
		case 1:
			ev.At = instant()
		case 2:
			ev.At = *now / 1000 * 1000
		}
		if ev.Kind == model.Tick || ev.Kind == model.State || ev.Kind == model.Reset {
			ev.Series = 0 // they belong to none
		}
		b.Events = append(b.Events, ev)
		if rng.IntN(3) == 0 && len(b.Events) > 4 {
			b.Events = append(b.Events, b.Events[len(b.Events)-3])
		}
	}
	if rng.IntN(3) == 0 {
		for range 1 + rng.IntN(4) {
			b.Notes = append(b.Notes, model.Note{
				At: instant(), Seen: instant(), Value: oddValue(rng), Key: odd(rng), Name: oddText(rng), Text: oddText(rng),
				Source: model.SourceID(odd(rng)), Kind: model.NoteKind(rng.IntN(256)),
			})
		}
	}
	return b
}

// A recording gives back every bit it was given, in order.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		now := t0
		var want []item
		var batches []*model.Batch
		for range rng.IntN(60) {
			b := oddBatch(rng, &now)
			want = items(want, b)
			batches = append(batches, b)
		}
		r, err := readerOf(record(t, batches...))
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, readAll(t, r))
		if r.Cut() || r.Damaged() != 0 || r.Lost() != 0 || r.Skipped() != 0 {
			t.Fatalf("seed %d: want a whole recording, got cut %v, damaged %d, lost %d, skipped %d", seed, r.Cut(), r.Damaged(), r.Lost(), r.Skipped())
		}
		r.Rewind()
		same(t, want, readAll(t, r))
	}
}

// Write keeps nothing of a batch: the engine reuses it at once.
func TestWriteCopies(t *testing.T) {
	b := &model.Batch{
		Events: []model.Event{{At: t0, Seen: t0, Key: 5, Kind: model.Begin}},
		Notes:  []model.Note{{At: t0, Seen: t0, Text: "was"}},
	}
	want := items(nil, b)
	var m memory
	w, err := newWriter("memory", Header{}, m.disk())
	if err != nil {
		t.Fatal(err)
	}
	w.Write(b)
	b.Events[0] = model.Event{}
	b.Notes[0].Text = "is"
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := readerOf(m.data)
	if err != nil {
		t.Fatal(err)
	}
	same(t, want, readAll(t, r))
}

// A batch with notes comes back by itself; what comes without is joined freely.
func TestNotesKeepTheirBatch(t *testing.T) {
	ev := func(n int) model.Event {
		return model.Event{At: t0 + model.Instant(n), Seen: t0 + model.Instant(n), Kind: model.Tick}
	}
	r, err := readerOf(record(t,
		&model.Batch{Events: []model.Event{ev(1)}},
		&model.Batch{Events: []model.Event{ev(2)}},
		&model.Batch{Events: []model.Event{ev(3), ev(4)}, Notes: []model.Note{{At: t0, Seen: t0, Text: "a"}, {At: t0, Seen: t0, Text: "b"}}},
		&model.Batch{Notes: []model.Note{{At: t0, Seen: t0, Text: "c"}}},
		&model.Batch{Events: []model.Event{ev(5)}},
		&model.Batch{Events: []model.Event{ev(6)}},
	))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"2+0", "2+2", "0+1", "2+0"}
	var got []string
	var b model.Batch
	for r.Next(&b) == nil {
		got = append(got, fmt.Sprintf("%d+%d", len(b.Events), len(b.Notes)))
	}
	if strings.Join(want, " ") != strings.Join(got, " ") {
		t.Errorf("events+notes: want %v, got %v", want, got)
	}
}

// A block is closed at its size in the middle of a batch too, and Next never
// gives more than a batch holds.
func TestLargeBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	b := &model.Batch{Notes: []model.Note{{At: t0, Seen: t0, Text: strings.Repeat("x", maxText+5)}}}
	for range 60_000 {
		b.Events = append(b.Events, model.Event{At: t0, Seen: t0, Key: rng.Uint64(), Kind: model.Observe, Series: model.ClientTTFT, Value: rng.Float64()})
	}
	data := record(t, b)
	want := items(nil, b)
	want[0].note.Text = want[0].note.Text[:maxText]
	r, err := readerOf(data)
	if err != nil {
		t.Fatal(err)
	}
	var got []item
	var next model.Batch
	for r.Next(&next) == nil {
		if len(next.Events) > model.BatchCap {
			t.Fatalf("want at most %d events, got %d", model.BatchCap, len(next.Events))
		}
		got = items(got, &next)
	}
	same(t, want, got)
	x, closed, err := r.survey()
	if err != nil || !closed || len(x.entries) < 4 {
		t.Errorf("want several blocks, got %d (closed %v, error %v)", len(x.entries), closed, err)
	}
	if x.records != 60_001 {
		t.Errorf("records: want 60001, got %d", x.records)
	}
}

// Series are stored by name: an unknown one is skipped and counted, and what
// belongs to none is kept.
func TestUnknownSeries(t *testing.T) {
	data := record(t, &model.Batch{Events: []model.Event{
		{At: t0, Seen: t0, Series: model.ClientInFlight, Kind: model.Begin, Key: 1},
		{At: t0, Seen: t0, Series: model.ClientTTFT, Kind: model.Observe, Value: 2},
		{At: t0, Seen: t0, Kind: model.Tick},
	}})
	r, err := readerOf(data)
	if err != nil {
		t.Fatal(err)
	}
	r.dec.known[model.ClientInFlight] = false       // no longer in the catalogue
	r.dec.series[model.ClientTTFT] = model.GPUPower // moved
	got := readAll(t, r)
	if len(got) != 2 || got[0].ev.Series != model.GPUPower || got[1].ev.Kind != model.Tick {
		t.Errorf("want the moved series and the tick, got %+v", got)
	}
	if r.Skipped() != 1 {
		t.Errorf("skipped: want 1, got %d", r.Skipped())
	}
}

func TestHeader(t *testing.T) {
	r, err := readerOf(record(t))
	if err != nil {
		t.Fatal(err)
	}
	h := r.Header()
	if h.ID != "id" || h.Label != "label" || h.Started != t0 || len(h.Series) != model.NumSeries || h.Series[model.ClientTTFT] != "client_ttft" {
		t.Errorf("want what was written, got %+v", h)
	}
	if first, last, err := r.Span(); first != 0 || last != 0 || err != nil {
		t.Errorf("span of an empty recording: want 0 0, got %d %d %v", first, last, err)
	}
	if got := readAll(t, r); len(got) != 0 || r.Cut() {
		t.Errorf("want nothing and an end, got %v, cut %v", got, r.Cut())
	}
}

// What is declared before the run has no time and does not stretch its span.
func TestNotesWithoutTime(t *testing.T) {
	b := &model.Batch{Notes: []model.Note{{Kind: model.NoteConfig, Name: "max_batch", Value: 32}}}
	tick := &model.Batch{Events: []model.Event{{At: t0 + 5e8, Seen: t0 + 5e8, Kind: model.Tick}}}
	r, err := readerOf(record(t, b, tick))
	if err != nil {
		t.Fatal(err)
	}
	same(t, items(items(nil, b), tick), readAll(t, r))
	if first, last, err := r.Span(); first != t0 || last != t0+5e8 || err != nil {
		t.Errorf("span: want %d..%d, got %d..%d, %v", t0, t0+5e8, first, last, err)
	}
}

// SeekTo lands at a block border no later than the instant, and not far before.
func TestSeekTo(t *testing.T) {
	data, want := few(t)
	r, err := readerOf(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		at    model.Instant
		block int
	}{{"before all", 1, 0}, {"the first block", t0 + 5, 0}, {"within the second", t0 + 15e8, 1}, {"after all", t0 + 9e9, 2}} {
		t.Run(tt.name, func(t *testing.T) {
			if err := r.SeekTo(tt.at); err != nil {
				t.Fatal(err)
			}
			var b model.Batch
			if err := r.Next(&b); err != nil {
				t.Fatal(err)
			}
			same(t, want[tt.block], items(nil, &b))
		})
	}
}

// A long run's index stays small and still finds a place near any instant.
func TestIndexThins(t *testing.T) {
	var x index
	const blocks = 5 * indexCap
	for i := range int64(blocks) {
		x.add(headFixed+100*i, t0+model.Instant(i), t0+model.Instant(i), 3)
	}
	y, ok := parseIndex(x.append(nil), blockHeader{first: x.first, last: x.last}, headFixed+100*blocks)
	if !ok || len(y.entries) > indexCap || y.records != 3*blocks || y.last != t0+blocks-1 {
		t.Fatalf("want a small index of all, got ok %v, %d entries, %d records", ok, len(y.entries), y.records)
	}
	for i := int64(0); i < blocks; i += 997 {
		off, ok := y.before(t0 + model.Instant(i))
		if n := (off - headFixed) / 100; !ok || n > i || n < i-16 {
			t.Fatalf("block %d: want one shortly before, got %d", i, n)
		}
	}
}

// Recording a steady stream allocates next to nothing.
func TestWriteAllocates(t *testing.T) {
	w, err := newWriter("x", Header{}, nowhere())
	if err != nil {
		t.Fatal(err)
	}
	w.wait = time.Minute
	s := newStream(1, true)
	for range 20 {
		s.second()
	}
	batches := s.second()
	write := func() {
		for _, b := range batches {
			w.Write(b)
		}
	}
	for range 2000 { // let tables and buffers grow
		write()
	}
	events := 0
	for _, b := range batches {
		events += len(b.Events)
	}
	if n := testing.AllocsPerRun(200, write) / float64(events); n > 0.01 {
		t.Errorf("want no allocations, got %.3f an event", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

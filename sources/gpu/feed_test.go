package gpu_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/gpu"
)

// Each testdata/csv/NAME.csv has NAME.expect.ndjson beside it: the readings in
// order, and {"bad":reason} for a line that is none.
func TestCSVCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/csv/*.csv")
	if err != nil || len(files) < 6 {
		t.Fatalf("want the corpus, got %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			in, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			expect, err := os.ReadFile(strings.TrimSuffix(file, ".csv") + ".expect.ndjson")
			if err != nil {
				t.Fatal(err)
			}
			if got := gpu.Sniff(in); got != gpu.FormatCSV {
				t.Errorf("want %q sniffed, got %q", gpu.FormatCSV, got)
			}
			want := bytes.Split(bytes.TrimSpace(expect), []byte("\n"))
			d := gpu.Decoder{Zone: time.UTC}
			n := 0
			for line := range bytes.Lines(in) {
				r, ok, err := d.Line(line)
				if !ok && err == nil {
					continue
				}
				if n == len(want) {
					t.Fatalf("want %d results, got one more from %s", n, line)
				}
				compareLine(t, want[n], r, err)
				n++
			}
			if n != len(want) {
				t.Errorf("want %d results, got %d", len(want), n)
			}
		})
	}
}

func compareLine(t *testing.T, want []byte, got gpu.Reading, err error) {
	t.Helper()
	var bad struct{ Bad string }
	if json.Unmarshal(want, &bad) == nil && bad.Bad != "" {
		if err == nil || err.Error() != bad.Bad {
			t.Errorf("want the line refused as %q, got %v", bad.Bad, err)
		}
		return
	}
	if err != nil {
		t.Errorf("want %s, got %v", want, err)
		return
	}
	r, err := gpu.ParseReading(want)
	if err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if !reflect.DeepEqual(r, got) {
		t.Errorf("want %s\ngot  %s", want, gpu.AppendReading(nil, &got))
	}
}

func TestDecoderZone(t *testing.T) {
	d := gpu.Decoder{Zone: time.FixedZone("east", 8*3600)}
	if _, _, err := d.Line([]byte("index, timestamp, clocks.current.sm [MHz]")); err != nil {
		t.Fatal(err)
	}
	r, ok, err := d.Line([]byte("0, 2026/07/14 20:00:00.250, 1980 MHz"))
	if !ok || err != nil || r.At != noon {
		t.Errorf("want noon UTC, got %v, %v, %v", r.At.Time().UTC(), ok, err)
	}
}

func TestDecoderRefuses(t *testing.T) {
	for _, tc := range []struct{ name, header, line, err string }{
		{"prose", "", "hello, world", "neither a JSON reading nor"},
		{"no time column", "index, clocks.current.sm [MHz]", "0, 1980 MHz", "timestamp"},
		{"a time that is none", "index, timestamp", "0, yesterday", "timestamp"},
		{"neither index nor uuid", "timestamp, clocks.current.sm [MHz]", "2026/07/14 20:00:00.250, 1980 MHz", "index"},
		{"an index that is none", "index, timestamp", "x, 2026/07/14 20:00:00.250", "index"},
		{"a row that is too long", "index, timestamp", "0, 2026/07/14 20:00:00.250, 5", "not a row"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var d gpu.Decoder
			if tc.header != "" {
				if _, ok, err := d.Line([]byte(tc.header)); ok || err != nil {
					t.Fatalf("want a header, got %v, %v", ok, err)
				}
			}
			if _, _, err := d.Line([]byte(tc.line)); err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("want an error with %q, got %v", tc.err, err)
			}
		})
	}
}

func FuzzDecoder(f *testing.F) {
	files, _ := filepath.Glob("testdata/csv/*.csv")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	r := reading(noon, 1)
	f.Add(gpu.AppendReading(nil, &r))
	f.Fuzz(func(t *testing.T, in []byte) {
		d := gpu.Decoder{Zone: time.UTC}
		var st gpu.State
		got := collect(t, func(out *sources.Outlet) {
			for line := range bytes.Lines(in) {
				if r, ok, err := d.Line(line); ok && err == nil {
					checkReading(t, &r)
					gpu.Apply(&r, r.At, r.At, out, &st)
				}
			}
		})
		for _, e := range got.events {
			if e.Kind == model.Level && e.Value-e.Value != 0 || e.Key == 0 || int(e.Series) >= model.NumSeries {
				t.Fatalf("want finite values of known series and GPUs, got %+v", e)
			}
		}
	})
}

// play runs a feed alone through a Merge.
func play(t *testing.T, in io.Reader) (*told, error) {
	t.Helper()
	var err error
	got := collect(t, func(out *sources.Outlet) {
		m := &sources.Merge{
			Open: func() ([]*sources.Feed, error) {
				return []*sources.Feed{gpu.NewFeedIn(io.NopCloser(in), "gpu file", time.UTC)}, nil
			},
			Pacer: sources.NewPacer(sources.Max),
		}
		err = m.Run(t.Context(), out)
	})
	return got, err
}

func total(g *told, id model.SeriesID) float64 {
	sum := 0.0
	for _, e := range g.events {
		if e.Series == id && e.Kind == model.Add {
			sum += e.Value
		}
	}
	return sum
}

func TestFeed(t *testing.T) {
	in, err := os.ReadFile("testdata/csv/lost.csv")
	if err != nil {
		t.Fatal(err)
	}
	got, err := play(t, bytes.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, got, model.GPUTemp, 1, 51, 51, 51)
	wantValues(t, got, model.GPUTemp, 2, 52)
	wantValues(t, got, model.GPULost, 2, 0, 3)
	for id, want := range map[model.SeriesID]float64{
		model.SourceLines: 8, model.SourceMatched: 5, model.SourceErrors: 2, model.SourceBytes: float64(len(in)),
	} {
		if sum := total(got, id); sum != want {
			t.Errorf("%v: want %v, got %v", id, want, sum)
		}
	}
	bad := got.notesOf(model.NoteBadLine)
	if len(bad) != 2 || bad[0].Value != 5 || !strings.HasPrefix(bad[0].Text, "Unable to determine") || bad[1].Value != 8 {
		t.Errorf("want lines 5 and 8 sampled, got %+v", bad)
	}
	if n := got.notesOf(model.NoteSource); len(n) != 1 || !strings.HasPrefix(n[0].Text, gpu.FormatCSV) {
		t.Errorf("want the source described as %s, got %+v", gpu.FormatCSV, n)
	}
}

func TestFeedErrors(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   io.Reader
		err  string
	}{
		{"an empty file", strings.NewReader(""), "nothing with a time of its own was understood"},
		{"a file of something else", strings.NewReader("a\nb\n"), "no GPU reading in 2 lines (line 1: neither a JSON reading nor"},
		{"a header alone", strings.NewReader("index, uuid, timestamp\n"), "no GPU reading in 1 lines; was the run too short?"},
		{"rows without a time", strings.NewReader("index, uuid\n0, GPU-1\n"), "add timestamp to --query-gpu"},
		{"a file that can't be read", iotest.ErrReader(errors.New("input/output error")), "line 1: input/output error"},
		{"a line without end", strings.NewReader(strings.Repeat("x", 300<<10)), "no GPU reading in 1 lines"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := play(t, tc.in)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("want error %q, got %v", tc.err, err)
			}
		})
	}
}

// What a live poll told, a file of it tells again.
func TestFileTellsWhatThePollTold(t *testing.T) {
	var rs []gpu.Reading
	for i := range 5 {
		r := reading(noon.Add(time.Duration(i)*time.Second), 0)
		r.Set(gpu.Temp, float64(50+i))
		if i == 2 {
			r.Unset(gpu.Power)
		}
		if i == 4 {
			r.State, r.Held = gpu.Lost, true
		}
		rs = append(rs, r)
	}
	var file bytes.Buffer
	live := collect(t, func(out *sources.Outlet) {
		var st gpu.State
		for i := range rs {
			if err := gpu.WriteReading(&file, &rs[i]); err != nil {
				t.Fatal(err)
			}
			gpu.Apply(&rs[i], rs[i].At, rs[i].At, out, &st)
		}
	})
	again, err := play(t, iotest.OneByteReader(&file))
	if err != nil {
		t.Fatal(err)
	}
	for id := range model.SeriesID(model.NumSeries) {
		if id.Describe().Side == model.SideGPU {
			wantValues(t, again, id, 1, live.values(id, 1)...)
		}
	}
}

func TestLineSource(t *testing.T) {
	r := reading(noon, 0)
	in := append(gpu.AppendReading(nil, &r), "{\"gpu\":\n"...)
	got := collect(t, func(out *sources.Outlet) {
		s := &gpu.LineSource{Place: "file:x", Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(iotest.HalfReader(bytes.NewReader(in))), nil
		}}
		if err := s.Run(t.Context(), out); err != nil {
			t.Error(err)
		}
	})
	wantValues(t, got, model.GPUSMClock, 1, 1980e6)
	if total(got, model.SourceErrors) != 1 || total(got, model.SourceMatched) != 1 {
		t.Errorf("want one line read and one bad, got %v and %v", total(got, model.SourceMatched), total(got, model.SourceErrors))
	}
	for _, e := range got.events {
		if e.Series == model.GPUSMClock && (e.At != noon || e.Seen < noon) {
			t.Errorf("want the line's own time kept, got %v", e.At.Time())
		}
	}
}

func TestLineSourceEndsWithItsContext(t *testing.T) {
	pr, pw := io.Pipe()
	defer pw.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s := &gpu.LineSource{Place: "exec:x", Live: true, Open: func(context.Context) (io.ReadCloser, error) { return pr, nil }}
	collect(t, func(out *sources.Outlet) {
		cancel()
		if err := s.Run(ctx, out); err != nil {
			t.Errorf("want nil at the end of the context, got %v", err)
		}
	})
}

// broken is a stream whose command ended badly.
type broken struct{ io.Reader }

func (broken) Close() error { return errors.New("exit status 255") }

// TestLiveStreamThatBreaksOff is an error, so that it is opened again; one that
// ends well is not, and neither is a file.
func TestLiveStreamThatBreaksOff(t *testing.T) {
	r := reading(noon, 0)
	in := string(gpu.AppendReading(nil, &r)) + "\nclient_loop: send disconnect: Broken pipe\n"
	for _, tc := range []struct {
		name string
		live bool
		open func() io.ReadCloser
		want string
	}{
		{"breaks off", true, func() io.ReadCloser { return broken{strings.NewReader(in)} }, "exec:x ended with exit status 255: client_loop: send disconnect: Broken pipe"},
		{"ends well", true, func() io.ReadCloser { return io.NopCloser(strings.NewReader(in)) }, ""},
		{"a file", false, func() io.ReadCloser { return broken{strings.NewReader(in)} }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			collect(t, func(out *sources.Outlet) {
				s := &gpu.LineSource{Place: "exec:x", Live: tc.live, Open: func(context.Context) (io.ReadCloser, error) { return tc.open(), nil }}
				err := s.Run(t.Context(), out)
				if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
					t.Errorf("want %q, got %v", tc.want, err)
				}
			})
		})
	}
}

// TestDecimalCommas: a locale's decimal commas do not make more columns of a row.
func TestDecimalCommas(t *testing.T) {
	var d gpu.Decoder
	for _, l := range []string{"index, uuid, timestamp, clocks.current.sm [MHz], power.draw.instant [W], temperature.gpu", "0, GPU-a-b, 2026/07/14 08:12:53.353, 1980 MHz, 625,68 W, [N/A]"} {
		r, ok, err := d.Line([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		if ok && (r.Get(gpu.PowerInstant) != 625.68 || r.Get(gpu.SMClock) != 1980 || r.Has(gpu.Temp)) {
			t.Errorf("want 625.68 W at 1980 MHz and no temperature, got %+v", r)
		}
		if ok == strings.HasPrefix(l, "index") {
			t.Errorf("%q: want the row alone to be a reading, got %v", l, ok)
		}
	}
}

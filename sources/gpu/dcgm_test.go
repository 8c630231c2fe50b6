package gpu

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestDCGM(t *testing.T) {
	page, err := os.ReadFile("testdata/dcgm/h100.prom")
	if err != nil {
		t.Fatal(err)
	}
	var body string
	var fail error
	synctest.Test(t, func(t *testing.T) {
		d := newDCGM(Options{}.withDefaults(), func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(body)), fail
		})
		read := func() []Reading {
			t.Helper()
			got, err := d.Read(nil)
			if err != nil {
				t.Fatalf("want no error, got %v", err)
			}
			if len(got) != 3 || got[0].Label() != "0" || got[1].Label() != "1" || got[2].Label() != "1/1" {
				t.Fatalf("want GPU 0, 1 and the instance of 1, got %+v", got)
			}
			return got
		}
		body = string(page)
		got := read()
		for f, want := range map[Field]float64{
			SMClock: 1980, MemClock: 2619, Temp: 59, Margin: 26, Power: 625.683, PowerLimit: 600, Energy: 91000123.456,
			Util: 100, MemUsed: 72001, MemTotal: 72001 + 9079 + 479, Reasons: 4, HeldPowerCap: 3500000001, HeldSWThermal: 7000,
			SMActivity: 0.88, TensorActivity: 0.385, DRAMActivity: 0.64, PCIeRx: 99614720,
		} {
			if got := got[0].Get(f); got != want {
				t.Errorf("%s: want %v, got %v", f.Key(), want, got)
			}
		}
		for _, f := range []Field{MemTemp, SMOccupancy, PowerInstant, HeldHWThermal, HeldBrake} {
			if got[0].Has(f) {
				t.Errorf("%s: want what DCGM has no value for absent, got %v", f.Key(), got[0].Get(f))
			}
		}
		if got[0].UUID != "GPU-44444444-0000-4000-8000-000000000000" || got[0].Name != "NVIDIA H100 80GB HBM3" || got[0].Held {
			t.Errorf("want it named and new, got %+v", got[0])
		}
		if got[1].Get(SMClock) != 1515 || got[1].Has(Util) {
			t.Errorf("want the instance's figures left out of GPU 1, got %v, %v", got[1].Get(SMClock), got[1].Get(Util))
		}
		if got[2].UUID != "" || !strings.Contains(got[2].Name, "MIG 3g.40gb") || got[2].Count() == 0 {
			t.Errorf("want the instance's own figures under its profile, got %+v", got[2])
		}
		if got[0].Xids != nil {
			t.Errorf("want an Xid from before the run left out, got %v", got[0].Xids)
		}

		// The exporter serves old numbers until it collects again.
		time.Sleep(time.Second)
		if got := read(); !got[0].Held || got[0].State != OK {
			t.Errorf("want the same numbers held, got %v, %v", got[0].Held, got[0].State)
		}
		time.Sleep(30 * time.Second)
		body = strings.Replace(body, " 59\n", " 60\n", 1)
		if got := read(); got[0].Held || got[0].Get(Temp) != 60 || !got[1].Held {
			t.Errorf("want GPU 0 new and GPU 1 held, got %v, %v, %v", got[0].Held, got[0].Get(Temp), got[1].Held)
		}
		const xid = "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-44444444-0000-4000-8000-000000000000\"} "
		body = strings.Replace(body, xid+"31", xid+"79", 1)
		if got := read(); len(got[0].Xids) != 1 || got[0].Xids[0] != 79 {
			t.Errorf("want Xid 79 told, got %v", got[0].Xids)
		}
		if got := read(); got[0].Xids != nil {
			t.Errorf("want it told once, got %v", got[0].Xids)
		}
		time.Sleep(91 * time.Second)
		if got := read(); got[0].State != Stale || got[0].Get(Temp) != 60 {
			t.Errorf("want it stale after three periods, got %v", got[0].State)
		}

		// A scrape that fails is not a GPU that failed.
		fail = errors.New("connection refused")
		rs, err := d.Read(nil)
		if len(rs) != 3 || err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("want the rows and the reason, got %d, %v", len(rs), err)
		}
		fail, body = nil, "up 1\n"
		if _, err := d.Read(nil); err == nil || !strings.Contains(err.Error(), "is this a DCGM exporter") {
			t.Errorf("want a page without GPUs told, got %v", err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestDCGMNumber(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want float64
		ok   bool
	}{
		{"0", 0, true},
		{"91000123456", 91000123456, true},
		{"9223372036854775792", 0, false},
		{"9223372036854775794", 0, false},
		{"2147483632", 0, false},
		{"2147483635", 0, false},
		{"140737488355328", 140737488355328, true}, // an integer: ns or mJ
		{"140737488355328.000000", 0, false},
		{"0.385", 0.385, true},
		{"NaN", 0, false},
		{"+Inf", 0, false},
		{"", 0, false},
	} {
		got, ok := dcgmNumber(tc.in)
		if ok != tc.ok || ok && got != tc.want {
			t.Errorf("%q: want %v, %v, got %v, %v", tc.in, tc.want, tc.ok, got, ok)
		}
	}
}

func FuzzDCGMPage(f *testing.F) {
	page, err := os.ReadFile("testdata/dcgm/h100.prom")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(page))
	f.Fuzz(func(t *testing.T, page string) {
		p := newDCGMPage(time.Unix(0, 0))
		for line := range strings.Lines(page) {
			p.line(line)
		}
		for _, r := range p.readings() {
			for f := range Field(NumFields) {
				if v := r.Get(f); r.Has(f) && v-v != 0 {
					t.Errorf("%s: want a finite value, got %v", f.Key(), v)
				}
			}
		}
	})
}

// TestDCGMStaysOnHost asks an exporter that sends us elsewhere, at an address
// with a password in it.
func TestDCGMStaysOnHost(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("want no request to the host redirected to")
	}))
	defer elsewhere.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/metrics", http.StatusFound)
	}))
	defer srv.Close()
	d := openDCGM(strings.Replace(srv.URL, "http://", "http://me:hush@", 1), Options{}.withDefaults())
	defer func() { _ = d.Close() }()
	var err error
	for range 100 { // the first answer may come after the first poll
		if _, err = d.Read(nil); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "not followed") || strings.Contains(err.Error(), "hush") {
		t.Errorf("want the redirect refused and no password told, got %v", err)
	}
}

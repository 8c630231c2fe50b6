package tail_test

import (
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/tail"
)

func TestParseSpec(t *testing.T) {
	start := model.InstantOf(time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC))
	tests := []struct {
		text string
		want tail.Spec
		zone string
	}{
		{text: "server.log", want: tail.Spec{Place: "server.log"}},
		{text: "a=server.log", want: tail.Spec{Label: "a", Place: "server.log"}},
		{text: "./a=server.log", want: tail.Spec{Place: "./a=server.log"}},
		{text: "a b=server.log", want: tail.Spec{Place: "a b=server.log"}},
		{text: "-", want: tail.Spec{Place: "-", Kind: tail.Stdin}},
		{text: "gen.1=-,format=vegeta", want: tail.Spec{Label: "gen.1", Place: "-", Kind: tail.Stdin, Format: "vegeta"}},
		{text: "exec:kubectl logs -l app=x", want: tail.Spec{Place: "exec:kubectl logs -l app=x", Command: "kubectl logs -l app=x", Kind: tail.Exec}},
		{
			text: "eu=exec:ssh gpu1 tail -F /l,a.log,format=vllm,zone=UTC",
			want: tail.Spec{Label: "eu", Place: "exec:ssh gpu1 tail -F /l,a.log", Command: "ssh gpu1 tail -F /l,a.log", Kind: tail.Exec, Format: "vllm"},
			zone: "UTC",
		},
		{text: "x.log,zone=+02:00,year=2026", want: tail.Spec{Place: "x.log", Year: 2026}, zone: "+02:00"},
		{text: "x.log,start=2026-11-30T15:00:00+01:00", want: tail.Spec{Place: "x.log", Start: start}},
		{text: "x.log,format=vllm,old", want: tail.Spec{Place: "x.log,format=vllm,old"}},
		{text: "x.log,formt=vllm", want: tail.Spec{Place: "x.log,formt=vllm"}},
		{text: "x=y=z.log", want: tail.Spec{Label: "x", Place: "y=z.log"}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := tail.ParseSpec(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			zone := ""
			if got.Zone != nil {
				zone = got.Zone.String()
			}
			if tt.zone != zone {
				t.Errorf("want zone %q, got %q", tt.zone, zone)
			}
			got.Zone = nil
			if tt.want != got {
				t.Errorf("want %+v, got %+v", tt.want, got)
			}
		})
	}
}

func TestParseSpecZoneOffset(t *testing.T) {
	s, err := tail.ParseSpec("x,zone=-0330")
	if err != nil {
		t.Fatal(err)
	}
	_, got := time.Date(2026, 1, 1, 0, 0, 0, 0, s.Zone).Zone()
	if want := -(3*3600 + 1800); want != got {
		t.Errorf("want %d s, got %d s", want, got)
	}
}

func TestParseSpecErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "no place"},
		{"label alone", "a=", "no place"},
		{"empty label", "=x.log", "empty label"},
		{"no command", "exec: ", "exec: without a command"},
		{"options alone", "a=,format=vllm", "no place"},
		{"empty option", "x.log,format=", "format= is empty"},
		{"twice", "x.log,year=2025,year=2026", "year= is given twice"},
		{"year", "x.log,year=26", "four digits"},
		{"zone", "x.log,zone=Mars/Base", "zone=Mars/Base is not known"},
		{"zone offset", "x.log,zone=+99:99", "zone=+99:99 is not known"},
		{"start", "x.log,start=14:00", "RFC 3339"},
		{"url", "http://gpu1:8000/metrics", "--metrics"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := tail.ParseSpec(tt.text)
			if err == nil {
				t.Fatalf("want an error, got %+v", s)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want %q in it, got %q", tt.want, err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("want one line, got %q", err)
			}
		})
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{"a=x.log,format=vllm,zone=UTC", "exec:a b=c,year=2026", "-,start=2026-11-30T14:00:00Z", "=,,="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := tail.ParseSpec(text)
		if err == nil && s.Place == "" {
			t.Errorf("want a place or an error for %q", text)
		}
		if err == nil && !strings.Contains(text, s.Place) {
			t.Errorf("want a part of %q, got %q", text, s.Place)
		}
	})
}

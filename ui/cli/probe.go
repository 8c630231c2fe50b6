package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchtop/sources"
	"benchtop/sources/loadgen"
	"benchtop/sources/scrape"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"
)

// prober is one `benchtop probe`.
type prober struct {
	io      Stdio
	as      string
	json    bool
	records bool
	keep    bool
	for_    time.Duration
	run     runFlags

	gpuChoice  string
	serverPort int
}

func newProbe(stdio Stdio) *cobra.Command {
	p := &prober{io: stdio}
	c := &cobra.Command{
		Use:   "probe SOURCE…",
		Short: "Tell what benchtop understands of a file, pipe, URL, gpu or host",
		Example: "  benchtop probe server.log live.ndjson http://127.0.0.1:8000/metrics\n" +
			"  benchtop probe --json gpu --for 24h > gpu.ndjson",
		Args: arguments(1, -1, "give a SOURCE: a file, - for standard input, a URL, exec:COMMAND, gpu or host"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var failed error
			for _, a := range args {
				if err := p.probe(cmd.Context(), a); err != nil {
					var e *exitError
					if errors.As(err, &e) && e.code == exitUsage {
						return err
					}
					if failed != nil {
						fmt.Fprintln(stdio.Err, "benchtop: "+oneLine(failed.Error()))
					}
					failed = &exitError{exitFailed, err}
				}
			}
			return failed
		},
	}
	f := c.Flags()
	f.StringVar(&p.as, "as", "", "take the source for this format (see benchtop formats), or read it by the profile ./NAME.yaml")
	f.BoolVar(&p.json, "json", false, "print JSON lines")
	f.BoolVar(&p.records, "records", false, "with --json: print each request of a load stream too")
	f.BoolVar(&p.keep, "keep-text", false, "show lines that a profile nearly matched whole; prompts and answers may stand in them")
	f.DurationVar(&p.for_, "for", 5*time.Second, "how long to read what does not end")
	f.StringVar(&p.gpuChoice, "gpu", "auto", "for the source gpu: auto, nvml, smi or dcgm:URL")
	f.IntVar(&p.serverPort, "server-port", 0, "for the source host: the `PORT` that the server serves at, to find a client of your own making by")
	f.StringVar(&p.run.zone, "zone", "", "zone of stamps without one (default: local)")
	f.IntVar(&p.run.year, "year", 0, "year of stamps without one (default: the file's)")
	f.DurationVar(&p.run.timeout, "client-timeout", 0, "the client's request timeout (declared)")
	return c
}

func (p *prober) probe(ctx context.Context, arg string) error {
	switch {
	case arg == "gpu":
		return p.gpu(ctx)
	case arg == "host":
		return p.host(ctx)
	case isURL(arg):
		s, err := scrape.ProbeURL(ctx, scrape.Options{URL: arg})
		if err != nil {
			return fmt.Errorf("probe %s: %w", sources.Redact(arg), err)
		}
		return p.metrics(sources.Redact(arg), s)
	}
	spec, err := tail.ParseSpec(arg)
	if err != nil {
		return usage("%w", err)
	}
	if p.as != "" {
		spec.Format = p.as
	}
	if spec.Zone == nil {
		if spec.Zone, err = p.run.location(); err != nil {
			return err
		}
	}
	if spec.Year == 0 {
		spec.Year = p.run.year
	}
	r, err := p.open(ctx, &spec)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // read only
	return p.text(spec, r)
}

// isURL reports whether a source is an endpoint's address.
func isURL(arg string) bool {
	scheme, _, ok := strings.Cut(arg, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// hostPort is an address without its scheme.
var hostPort = regexp.MustCompile(`^[A-Za-z0-9.-]*:[0-9]{1,5}(?:/\S*)?$`)

// open gives the bytes of a file, or of what a pipe or command prints.
func (p *prober) open(ctx context.Context, spec *tail.Spec) (io.ReadCloser, error) {
	if spec.Kind == tail.File {
		info, err := os.Stat(spec.Place)
		switch {
		case err != nil && hostPort.MatchString(spec.Place):
			return nil, fmt.Errorf("probe %s: no such file (for an endpoint write http://%s)", spec.Place, spec.Place)
		case err != nil:
			return nil, fmt.Errorf("probe: %w (a file, - for standard input, a URL, exec:COMMAND, gpu or host)", err)
		case info.IsDir():
			return nil, fmt.Errorf("probe %s: is a folder (name a file)", spec.Place)
		case info.Mode().IsRegular():
			if spec.Year == 0 {
				spec.Year = info.ModTime().Year()
			}
			return os.Open(spec.Place)
		}
	}
	if spec.Year == 0 {
		spec.Year = time.Now().Year()
	}
	ctx, stop := context.WithTimeout(ctx, p.for_)
	defer stop()
	var buf bytes.Buffer
	err := tail.Run(ctx, tail.Options{Spec: *spec, FromStart: true, Stdin: p.io.In}, tail.Handler{Line: func(l tail.Line) {
		if buf.Len() < probeCap {
			buf.Write(l.Text)
			if !l.Partial {
				buf.WriteByte('\n')
			}
		}
	}})
	if err != nil && buf.Len() == 0 {
		return nil, err
	}
	return io.NopCloser(&buf), nil
}

// probeCap bounds what is kept of a pipe.
const probeCap = 64 << 20

// probeHead is how much of a text is looked at to find out what it is.
const probeHead = 256 << 10

const (
	kindServer  = "server"
	kindLoad    = "load"
	kindMetrics = "metrics"
)

// text finds out what a text is and reads it as that.
func (p *prober) text(spec tail.Spec, r io.Reader) error {
	in := bufio.NewReaderSize(r, probeHead)
	head, err := in.Peek(probeHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", spec.Name(), err)
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return fmt.Errorf("probe %s: empty (nothing to read)", spec.Name())
	}
	kind, err := classify(head, spec.Format)
	if err != nil {
		return err
	}
	switch kind {
	case kindMetrics:
		s, err := scrape.Probe(in)
		if err != nil {
			return fmt.Errorf("probe %s: %w", spec.Name(), err)
		}
		return p.metrics(spec.Name(), s)
	case kindLoad:
		return p.load(spec, in)
	}
	return p.server(spec, in)
}

// classify tells metrics, load streams and server logs apart by their first
// lines, or by the format's name.
func classify(head []byte, format string) (string, error) {
	if format == kindMetrics || format == "prometheus" {
		return kindMetrics, nil
	}
	if format != "" {
		if loadgen.FormatNamed(format) != nil {
			return kindLoad, nil
		}
		if _, err := serverlog.Load(format); err != nil {
			return "", usage("--as %s: %w", format, err)
		}
		return kindServer, nil
	}
	if scrape.Looks(head) {
		return kindMetrics, nil
	}
	lines := bytes.Split(head, []byte("\n"))
	if len(lines) > 1 && len(head) == probeHead { // the last one is cut
		lines = lines[:len(lines)-1]
	}
	lines = lines[:min(len(lines), 400)]
	load, server := loadgen.Sniff(lines), serverlog.Sniff(lines)
	best := func(n int, score func(int) float64) float64 {
		if n == 0 {
			return 0
		}
		return score(0)
	}
	l := best(len(load), func(i int) float64 { return load[i].Score })
	s := best(len(server), func(i int) float64 { return server[i].Score })
	if l > s || l > 0 && l >= 0.9 {
		return kindLoad, nil
	}
	return kindServer, nil
}

func (p *prober) server(spec tail.Spec, r io.Reader) error {
	o := serverlog.Options{Format: spec.Format, Zone: zoneOr(spec.Zone), Year: spec.Year, Start: spec.Start, OwnTime: true, KeepText: p.keep, Label: spec.Label, Name: spec.Name()}
	if p.json {
		_, err := serverlog.WriteProbe(p.io.Out, r, o)
		if err != nil {
			return fmt.Errorf("probe %s: %w", spec.Name(), err)
		}
		return nil
	}
	s, err := serverlog.Probe(r, o, nil)
	if err != nil {
		return fmt.Errorf("probe %s: %w", spec.Name(), err)
	}
	if s.Matched == 0 && s.Confidence == 0 && len(s.Patterns) == 0 {
		return fmt.Errorf("probe %s: no format fits its %d lines (name one with --as, see benchtop formats)", spec.Name(), s.Lines)
	}
	t := newTable(p.io.Out, spec.Name())
	sure := fmt.Sprintf("%.0f %% sure", s.Confidence*100)
	if spec.Format != "" {
		sure = "as you named it"
	}
	t.row("kind", "server log, format %s (%s)", s.Format, sure)
	t.row("lines", "%d read, %d understood, %d say nothing to us", s.Lines, s.Matched, s.Lines-s.Matched)
	t.counts("columns", s.ByField)
	t.counts("events", s.ByEvent)
	if js, err := json.Marshal(s.Config); err == nil {
		t.row("config", "%s", js)
	}
	if s.Runs > 1 {
		t.row("runs", "the server was started %d times in this log; config is that of the last (to look at one run, cut the log at its start)", s.Runs)
	}
	for i, q := range s.Patterns {
		t.row("pattern", "%d matched %d, nearly %d: %s", i+1, q.Matched, q.Missed, q.Pattern)
		for _, x := range q.Hits {
			t.row("", "  match  %s", x)
		}
		for _, x := range q.Misses {
			t.row("", "  miss   %s", x)
		}
		for _, x := range q.Unread {
			t.row("", "  no number  %s", x)
		}
	}
	if len(s.Patterns) > 0 && s.Matched == 0 {
		t.row("next", "no pattern matches: is its literal, as written, in the lines? Stamps, levels and prefixes are taken off before")
	}
	for _, want := range []string{"running", "waiting", "batch"} {
		if s.ByField[want] == 0 {
			t.row("missing", "%s", absentHint(want, s.Format))
		}
	}
	return t.err
}

// absentHint says what a log does not tell and who would.
func absentHint(field, format string) string {
	hint := field + ": this log does not tell it; --metrics URL may"
	if f, ok := serverlog.Lookup(format); ok && f.Hint != "" {
		hint += " (" + f.Hint + ")"
	}
	return hint
}

func (p *prober) load(spec tail.Spec, r io.Reader) error {
	o := loadgen.Options{Format: spec.Format, Zone: zoneOr(spec.Zone), Year: spec.Year, Start: spec.Start, Label: spec.Label, Name: spec.Name(), Timeout: p.run.timeout}
	w := bufio.NewWriter(p.io.Out)
	var each func(*loadgen.Record)
	if p.json && p.records {
		enc := json.NewEncoder(w)
		each = func(rec *loadgen.Record) { _ = enc.Encode(rec) } // the flush below tells a write error
	}
	s, err := loadgen.Probe(r, o, each)
	if err != nil {
		return fmt.Errorf("probe %s: %w", spec.Name(), err)
	}
	if p.json {
		if s.Runs > 1 {
			fmt.Fprintf(p.io.Err, "benchtop: %s holds %d runs: the figures are of the last\n", oneLine(spec.Name()), s.Runs)
		}
		line, err := s.Line()
		if err != nil {
			return fmt.Errorf("probe %s: %w", spec.Name(), err)
		}
		_, _ = w.Write(append(line, '\n'))
		return w.Flush()
	}
	t := newTable(p.io.Out, spec.Name())
	t.row("kind", "load stream, format %s (%.0f %% sure)", s.Format, s.Confidence*100)
	if s.Runs > 1 {
		t.row("runs", "%d, one after the other: the figures are of the last", s.Runs)
	}
	n := func(v loadgen.Num) string {
		if math.IsNaN(float64(v)) {
			return "–"
		}
		return strconv.FormatFloat(float64(v), 'g', 5, 64)
	}
	t.row("lines", "%d read, %d understood, %s malformed", s.Lines, s.Matched, n(s.Malformed))
	t.row("requests", "%s: %s ok, %s failed, %s unfinished", n(s.Requests), n(s.OK), n(s.Failed), n(s.Unfinished))
	t.row("in flight", "mean %s, peak %s", n(s.AverageConcurrency), n(s.PeakConcurrency))
	q := s.LatencyOKMS
	t.row("latency", "good: p50 %s ms, p95 %s ms, p99 %s ms, max %s ms", n(q.P50), n(q.P95), n(q.P99), n(q.Max))
	if js, err := json.Marshal(s.ByKind); err == nil {
		t.row("failures", "%s", js)
	}
	return t.err
}

func (p *prober) metrics(name string, s scrape.Summary) error {
	if p.json {
		return json.NewEncoder(p.io.Out).Encode(map[string]scrape.Summary{"summary": s})
	}
	t := newTable(p.io.Out, name)
	t.row("kind", "metrics of %s", s.Engine)
	names := make([]string, 0, len(s.Series))
	for n := range s.Series {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		t.row("series", "%s = %g", n, s.Series[n])
	}
	if len(s.Unknown) > 0 {
		t.row("unknown", "%d metrics seen but not understood: %s", len(s.Unknown), strings.Join(s.Unknown[:min(5, len(s.Unknown))], ", "))
	}
	if len(s.Series) == 0 {
		t.row("next", "nothing here is known; is it the server's own endpoint?")
	}
	return t.err
}

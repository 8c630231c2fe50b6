package scrape

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// The pace of polling.
const (
	DefaultInterval = 2 * time.Second
	MinInterval     = time.Second // below it the observer changes what llama-server does
	DefaultTimeout  = 5 * time.Second
	maxBackoff      = 10 * time.Second // so that a server that is back is seen soon
	maxPause        = 30 * time.Second
	restShare       = 9 // a poll that took t is followed by at least 9 t of rest
)

// Options say what to poll and how.
type Options struct {
	URL      string // http://HOST:PORT/metrics; scheme and path may be missing
	Label    string // which server it is of, "" if there is only one
	Interval time.Duration
	Timeout  time.Duration
	// Transport carries the requests; nil is a client of its own.
	Transport http.RoundTripper
}

// Source polls a Prometheus-text endpoint: one request in flight at most, one
// round each Interval (2 s by default), less often when answers are slow or
// the server is gone.
type Source struct {
	url      *url.URL
	name     string
	label    string
	interval time.Duration
	timeout  time.Duration
	client   *http.Client
	models   int // which of modelPaths holds Infinity's queue; all tried: none
}

// New checks the options and makes a source. It asks nothing yet. An Interval
// under a second is an error, since asking more often changes how some servers
// behave.
func New(o Options) (*Source, error) {
	u, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	if o.Interval < MinInterval {
		return nil, fmt.Errorf("metrics interval %s: polling more often than each second would disturb the server (use 1s or more)", o.Interval)
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	return &Source{url: u, name: mask(u), label: o.Label, interval: o.Interval, timeout: o.Timeout, client: newClient(o)}, nil
}

// Name is the address without user, password and tokens.
func (s *Source) Name() string { return s.name }

// run is the state of one Run.
type run struct {
	*Source
	out      *sources.Outlet
	meter    *Meter
	state    model.SourceState
	why      string
	format   string
	failures int
	ready    bool     // the newest poll but one answered
	back     *url.URL // where the JSON stands, while another path is tried
	json     bool     // there is nothing but the JSON
}

// Run implements sources.Source. It ends with ctx, and where the address gives
// JSON of no server known. trtllm-serve's JSON is emptied by whoever reads it,
// so it is read only if that server has nothing else.
func (s *Source) Run(ctx context.Context, out *sources.Outlet) error {
	defer s.client.CloseIdleConnections()
	out.SetPolicy(sources.Latest)
	r := &run{Source: s, out: out, meter: NewMeter(), state: model.Starting}
	now := sources.Now()
	out.Describe(now, s.name, model.KindMetrics, "", s.label)
	out.State(now, model.Starting, "")
	out.Flush()
	for {
		p := s.poll(ctx)
		if ctx.Err() != nil {
			out.Flush()
			return nil
		}
		switch r.choose(&p) {
		case again:
			continue
		case giveUp:
			out.Flush()
			return sources.Final(p.err)
		case use:
			r.take(&p)
		}
		out.FlushAt(p.end)
		if !rest(ctx, r.pause(p.end.Sub(p.start))) {
			return nil
		}
	}
}

// choice is what becomes of a poll.
type choice uint8

const (
	use    choice = iota
	again         // ask at once, at another address
	giveUp        // nothing there can be read
)

// choose decides where trtllm-serve is asked: its Prometheus text, which stands
// at a path of its own, is better than its JSON, which is better than nothing.
func (r *run) choose(p *poll) choice {
	switch {
	case r.json && errors.Is(p.err, errJSON): // nothing new since the last look
		p.err = errNoIteration
		return use
	case r.back != nil && p.err != nil && !r.ready:
		r.url, r.back, r.json = r.back, nil, true
		r.note(p, r.name+" has no Prometheus text, so its JSON is read, which each reader empties for the others (let nobody else read it, or set return_perf_metrics: true)")
		return again
	case r.back != nil && p.err == nil:
		r.back = nil
	case r.json:
	case errors.Is(p.err, errJSON), p.err == nil && p.x.emptied:
		if r.url.Path != usualPath {
			return giveUp
		}
		u := *r.url
		if p.err == nil {
			r.back = r.url
		}
		u.Path = "/prometheus/metrics"
		r.url = &u
		r.note(p, r.name+" gives JSON, which reading empties; asking "+u.Path+" instead")
		return again
	}
	return use
}

func (r *run) note(p *poll, text string) {
	r.out.Note(model.Note{At: p.end, Seen: p.end, Kind: model.NoteMark, Name: "source", Text: text})
}

// errNoIteration is an answer without a record: the server made no step, or
// somebody else has read it.
var errNoIteration = errors.New("no iteration since the last look")

// take books one poll.
func (r *run) take(p *poll) {
	switch {
	case errors.Is(p.err, errNoIteration):
		r.meter.Gap(p.end, r.out)
		r.out.Count(1, 0, 0, 0, 0)
		r.tell(p.end, model.Quiet, "")
		return
	case p.err != nil:
		r.fail(p)
		return
	}
	r.failures, r.ready = 0, true
	matched := 0
	if r.meter.Apply(p.x, p.middle(), p.end, r.out) {
		matched = 1
	}
	r.out.Count(1, matched, p.bytes, 0, 0)
	r.out.Emit(model.Event{At: p.middle(), Seen: p.end, Series: model.ScrapeTime, Kind: model.Observe, Value: p.end.Sub(p.start).Seconds()})
	if e := r.meter.Engine(); e != r.format {
		r.format = e
		r.out.Describe(p.end, r.name, model.KindMetrics, e, r.label)
	}
	why := ""
	if r.format == "" {
		why = fmt.Sprintf("metrics of an unknown server: %d names, none of them used (`benchtop formats` lists the servers known)", len(p.x.names))
	}
	r.tell(p.end, model.Running, why)
}

// fail books a poll without an answer. A server that answers 503 before it has
// answered well is loading its model, which is nobody's error.
func (r *run) fail(p *poll) {
	r.meter.Gap(p.end, r.out)
	if p.loading && !r.ready {
		r.failures = 0
		r.out.Count(1, 0, 0, 0, 0)
		r.tell(p.end, model.Starting, "")
		return
	}
	r.ready = false
	r.failures++
	r.out.Count(1, 0, 0, 0, 1)
	r.tell(p.end, model.Retrying, p.err.Error())
}

// tell says a state once, with its reason.
func (r *run) tell(at model.Instant, state model.SourceState, why string) {
	if state == r.state && why == r.why {
		return
	}
	r.state, r.why = state, why
	r.out.State(at, state, why)
}

// pause is how long to rest after a poll that took that long.
func (r *run) pause(took time.Duration) time.Duration {
	if r.failures > 1 {
		return max(r.interval, min(r.interval<<min(r.failures-1, 8), maxBackoff))
	}
	return max(r.interval-took, min(restShare*took, maxPause))
}

// rest waits; it returns false if ctx ended first.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

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
	ready    bool // the newest poll but one answered
}

// Run implements sources.Source. It ends with ctx, and where the address gives
// JSON: reading that may take it from somebody else.
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
		if errors.Is(p.err, errJSON) {
			if r.elsewhere(&p) {
				continue
			}
			out.Flush()
			return sources.Final(p.err)
		}
		r.take(&p)
		out.FlushAt(p.end)
		if !rest(ctx, r.pause(p.end.Sub(p.start))) {
			return nil
		}
	}
}

// elsewhere turns to where trtllm-serve has its metrics, once: what it has at
// the usual path is JSON that reading empties.
func (r *run) elsewhere(p *poll) bool {
	if r.url.Path != usualPath {
		return false
	}
	u := *r.url
	u.Path = "/prometheus/metrics"
	r.url = &u
	r.out.Note(model.Note{At: p.end, Seen: p.end, Kind: model.NoteMark, Name: "source", Text: r.name + " gives JSON, which is not read again; asking " + u.Path + " instead"})
	return true
}

// take books one poll.
func (r *run) take(p *poll) {
	if p.err != nil {
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

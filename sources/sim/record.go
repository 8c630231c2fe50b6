package sim

import (
	"math"
	"slices"
	"strconv"
	"time"

	"benchtop/model"
)

// The load generator's stream, version 1 of benchtop's NDJSON contract. Lines
// are put together by hand: a run has tens of thousands.

func (c *client) write(b []byte) {
	c.line = b
	if c.w.p.HaveClient {
		c.w.tell.load(c.w.instant(), b)
	}
}

// object begins a record with its time.
func (c *client) object(kind string) []byte {
	b := append(c.line[:0], `{"ev":"`...)
	b = append(append(b, kind...), `","t":`...)
	return unixSeconds(b, c.w.instant())
}

// unixSeconds writes an instant with six decimals, cut, so that no record ends
// after it was read.
func unixSeconds(b []byte, t model.Instant) []byte {
	b = strconv.AppendInt(b, int64(t)/nanosPerSec, 10)
	micro := int64(t) % nanosPerSec / 1000
	b = append(b, '.')
	for div := int64(100000); div > 0; div /= 10 {
		b = append(b, byte('0'+micro/div%10))
	}
	return b
}

func millis(b []byte, sec float64) []byte { return strconv.AppendFloat(b, sec*1000, 'f', 3, 64) }

func number(b []byte, key string, n int) []byte {
	b = append(append(b, `,"`...), key...)
	return strconv.AppendInt(append(b, `":`...), int64(n), 10)
}

// told is the concurrency the client says it was asked for.
func (c *client) told() int {
	if c.w.p.Target > 0 {
		return c.w.p.Target
	}
	return c.w.p.Workers
}

func (c *client) tellRun() {
	p := &c.w.p
	b := append(c.object("run"), `,"v":1,"run":"sim-`...)
	b = strconv.AppendUint(b, c.w.seed, 10)
	b = append(b, `","tool":"benchtop-sim","target":"http://127.0.0.1:8000/v1/completions"`...)
	if p.Mode == modeClosed {
		b = number(b, "concurrency", c.told())
	} else {
		b = strconv.AppendFloat(append(b, `,"rate_rps":`...), p.Rate, 'f', -1, 64)
	}
	if !c.w.phased { // a timeout that changes later is not said
		b = strconv.AppendFloat(append(b, `,"timeout_ms":`...), p.ClientTimeout*1000, 'f', -1, 64)
	}
	b = strconv.AppendFloat(append(b, `,"duration_s":`...), p.Duration, 'f', -1, 64)
	c.write(append(b, '}'))
}

// tellTarget is a gauge record: the client was told another concurrency.
func (c *client) tellTarget() {
	b := number(c.object("gauge"), "target_concurrency", c.told())
	c.write(append(b, '}'))
}

func (c *client) tellStart(r *request) {
	b := append(c.object("start"), `,"id":`...)
	b = strconv.AppendUint(b, r.id, 10)
	if r.worker >= 0 {
		b = number(b, "worker", r.worker)
	}
	b = number(b, "prompt_tokens", r.prompt)
	c.write(append(b, '}'))
}

// errorText is what a client prints for people.
func errorText(o outcome) string {
	switch o {
	case endTimeout:
		return "deadline exceeded"
	case endReset:
		return "connection reset by peer"
	case endRefused:
		return "connection refused"
	case endCancelled:
		return "end of the run"
	default:
		return ""
	}
}

func (c *client) tellEnd(r *request, o outcome) {
	dur := c.w.now - r.begun
	b := append(c.object("end"), `,"id":`...)
	b = strconv.AppendUint(b, r.id, 10)
	b = millis(append(b, `,"dur_ms":`...), dur)
	b = append(append(b, `,"outcome":"`...), o...)
	b = append(b, '"')
	switch o {
	case endOK:
		b = number(b, "status", 200)
		if !math.IsNaN(r.firstTok) {
			b = millis(append(b, `,"ttft_ms":`...), min(dur, r.firstTok-r.begun+c.w.p.RTT/2))
		}
		b = number(b, "prompt_tokens", r.prompt)
		b = number(b, "output_tokens", r.output)
	case endRejected:
		b = number(b, "status", 503)
	default:
		b = append(append(append(b, `,"error":"`...), errorText(o)...), '"')
	}
	if o == endOK || o == endRejected {
		b = strconv.AppendBool(append(b, `,"conn_reused":`...), r.reused)
		b = append(b, `,"date":"`...)
		skew := time.Duration(c.w.p.ClockSkew * nanosPerSec)
		b = c.w.instantAt(r.answered).Time().Add(skew).UTC().AppendFormat(b, "Mon, 02 Jan 2006 15:04:05 GMT")
		b = append(b, '"')
	}
	c.write(append(b, '}'))
}

// tellSummary is the last line of the stream.
func (c *client) tellSummary() {
	b := number(c.object("summary"), "requests", c.ended)
	b = number(b, "ok", c.good)
	b = number(b, "failed", c.ended-c.good)
	if n := len(c.latencies); n > 0 {
		sum := 0.0
		for _, l := range c.latencies {
			sum += l
		}
		sorted := slices.Sorted(slices.Values(c.latencies))
		b = millis(append(b, `,"mean_ms":`...), sum/float64(n))
		b = millis(append(b, `,"p95_ms":`...), sorted[(95*n+99)/100-1])
	}
	if c.w.now > 0 {
		b = strconv.AppendFloat(append(b, `,"avg_concurrency":`...), c.area/c.w.now, 'f', 3, 64)
	}
	b = number(b, "peak_concurrency", c.maxFlight)
	b = append(b, `,"interrupted":false}`...)
	c.write(b)
}

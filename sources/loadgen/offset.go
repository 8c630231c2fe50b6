package loadgen

import (
	"math"
	"time"

	"benchtop/model"
)

// clockOffset bounds the server's clock against the client's by the Date headers of
// the answers, which are in whole seconds: an answer dated D to a request from
// start to end says D − end ≤ offset < D + 1 s − start. All answers together
// leave about one latency.
type clockOffset struct {
	low, high model.Instant
	known     bool
	at        model.Instant // when it was told last
}

// offsetEvery is how often the offset is told at most, and offsetSure how far
// it must be from zero whatever the bounds leave open, to be told as such.
const (
	offsetEvery = model.Instant(time.Second)
	offsetSure  = model.Instant(time.Second)
)

// narrow takes one answer. Bounds that exclude each other are of clocks that
// were set meanwhile: the new ones count.
func (o *clockOffset) narrow(date, start, end model.Instant) {
	low, high := date-end, date+model.Instant(time.Second)-start
	if start == 0 || end < start {
		return
	}
	if !o.known || low > o.high || high < o.low {
		o.low, o.high, o.known = low, high, true
		return
	}
	o.low, o.high = max(o.low, low), min(o.high, high)
}

// seconds is the offset: the middle of its bounds if they leave no doubt that
// it is off by more than offsetSure, else the one nearest to zero.
func (o *clockOffset) seconds() float64 {
	switch {
	case o.low > offsetSure || o.high < -offsetSure:
		return float64(o.low/2+o.high/2) / 1e9
	case o.low > 0:
		return float64(o.low) / 1e9
	case o.high < 0:
		return float64(o.high) / 1e9
	}
	return 0
}

// dated tells the server's clock as an answer's Date header shows it, in the
// way of every source's skew: negative if it is ahead of the client's.
func (t *tracker) dated(r *Record, start model.Instant) {
	if r.Date == 0 || start == 0 {
		return
	}
	t.offset.narrow(r.Date, start, r.At)
	if t.offset.known && r.At >= t.offset.at+offsetEvery {
		t.offset.at = r.At
		t.event(model.Level, model.SourceSkew, serverClock, r.At, -t.offset.seconds())
	}
}

// serverClock is the key of a skew that is the server's, told by a load stream.
const serverClock = 1

// httpDate reads the fixed form of a Date header, Mon, 02 Jan 2006 15:04:05 GMT.
func httpDate(b []byte) (model.Instant, bool) {
	const shape = "xxx, 00 xxx 0000 00:00:00 GMT"
	if len(b) != len(shape) {
		return 0, false
	}
	for i := range len(shape) {
		if c := shape[i]; c == '0' && b[i]-'0' > 9 || c != '0' && c != 'x' && b[i] != c {
			return 0, false
		}
	}
	two := func(i int) int { return int(b[i]-'0')*10 + int(b[i+1]-'0') }
	const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
	month := 0
	for m := range 12 {
		if months[3*m:3*m+3] == string(b[8:11]) {
			month = m + 1
		}
	}
	y, d, h, mi, s := two(12)*100+two(14), two(5), two(17), two(20), two(23)
	if month == 0 || y < 1970 || y > 2261 || d < 1 || d > 31 || h > 23 || mi > 59 || s > 60 {
		return 0, false
	}
	return model.Instant((days(y, month, d)*86400 + int64(h*3600+mi*60+s)) * 1e9), true
}

// scheduled tells how late a request of an open loop went out.
func (t *tracker) scheduled(r *Record) {
	if r.Sched == 0 || r.At == 0 {
		return
	}
	if late := r.At.Seconds(r.Sched); late > -0.001 && late < maxSpan { // a schedule is kept to the clock's grain
		t.observe(model.ClientSchedDelay, r.Key, r.At, math.Max(0, late))
	}
}

package scrape

import (
	"math"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// Value is what one field says.
type Value struct {
	V   float64 // the gauge, the amount so far, or a mean's sum so far
	N   float64 // a mean's count so far
	Err float64 // how far V may be off because it was printed with few digits
	OK  bool    // false: not offered
}

// Reading is what one scrape says about one scheduler of a server.
type Reading struct {
	Label  string // the scheduler's label, "" if there is only one
	Values [fieldCount]Value
}

// read turns an exposition into readings, sorted by label. A field whose
// family is missing stays invalid.
func (e *Engine) read(x *Exposition) []Reading {
	var rs []Reading
	at := func(label string) *Reading {
		for i := range rs {
			if rs[i].Label == label {
				return &rs[i]
			}
		}
		rs = append(rs, Reading{Label: label})
		return &rs[len(rs)-1]
	}
	for i := range e.Metrics {
		m := &e.Metrics[i]
		for _, v := range e.values(x, m) {
			at(v.label).Values[m.Field].merge(v.Value)
		}
	}
	for i := range rs {
		for f := range rs[i].Values {
			// Sums and products of what anybody may have written can overflow.
			if v := &rs[i].Values[f]; v.OK && !(usable(v.V) && usable(v.N) && usable(v.Err)) {
				*v = Value{}
			}
		}
	}
	slices.SortFunc(rs, func(a, b Reading) int { return strings.Compare(a.Label, b.Label) })
	return rs
}

func (v *Value) merge(o Value) {
	if !o.OK {
		return
	}
	v.V, v.N, v.Err, v.OK = v.V+o.V, v.N+o.N, v.Err+o.Err, true
}

// labelled is one metric's value for one scheduler.
type labelled struct {
	Value
	label string
	n     float64 // samples behind it
}

// values reads one metric, one value a scheduler.
func (e *Engine) values(x *Exposition, m *Metric) []labelled {
	for _, name := range m.Names {
		var vs []labelled
		switch nat := natures[m.Field]; {
		case nat != mean && !m.Sum:
			vs = e.sum(x, m, e.Prefix+name, nat)
		case m.Times != nil:
			vs = e.product(x, m, name)
		case m.Count != nil:
			vs = e.pair(x, m, e.Prefix+name, e.Prefix+m.Count[0])
		default:
			vs = e.distribution(x, m, e.Prefix+name)
		}
		switch {
		case len(vs) > 0:
		case m.Calls && x.family(e.Prefix+name) != nil:
			return nil // offered, and none of it counts
		default:
			continue
		}
		if m.Scale != 0 {
			for i := range vs {
				vs[i].V *= m.Scale
			}
		}
		return vs
	}
	return nil
}

// sum adds up a family's samples a scheduler (a ratio is averaged).
func (e *Engine) sum(x *Exposition, m *Metric, name string, nat nature) []labelled {
	vs := e.each(x, m, name, func(s *dto.Metric) (Value, bool) {
		v := scalar(s)
		return Value{V: v, OK: true}, usable(v)
	})
	if nat == ratio {
		for i := range vs {
			vs[i].V /= vs[i].n
		}
	}
	return vs
}

func usable(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

// distribution reads a histogram's or summary's sum and count, also where the
// exposition lost their type.
func (e *Engine) distribution(x *Exposition, m *Metric, name string) []labelled {
	f := x.families[name]
	if f == nil {
		return e.pair(x, m, name+"_sum", name+"_count")
	}
	return e.each(x, m, name, func(s *dto.Metric) (Value, bool) {
		sum, n, ok := sumCount(s)
		return Value{V: sum, N: n, OK: true}, ok && usable(sum)
	})
}

// pair divides one family by another.
func (e *Engine) pair(x *Exposition, m *Metric, top, bottom string) []labelled {
	sums := e.sum(x, m, top, amount)
	counts := e.sum(x, m, bottom, amount)
	var vs []labelled
	for _, s := range sums {
		for _, c := range counts {
			if s.label == c.label {
				s.N = c.V
				vs = append(vs, s)
			}
		}
	}
	return vs
}

// product multiplies a mean since the start with its count. Means are printed
// with six digits, so the product is only known to within Err.
func (e *Engine) product(x *Exposition, m *Metric, name string) []labelled {
	counts := e.sum(x, m, e.Prefix+name, amount)
	means := e.sum(x, m, e.Prefix+m.Times[0], gauge)
	var vs []labelled
	for _, c := range counts {
		for _, g := range means {
			if c.label == g.label {
				c.N, c.V, c.Err = c.V, c.V*g.V, c.V*halfDigit(g.V)
				vs = append(vs, c)
			}
		}
	}
	return vs
}

// halfDigit is half of the sixth significant digit of v: what printing v with
// six digits may have cut off.
func halfDigit(v float64) float64 {
	if v <= 0 {
		return 0
	}
	return 0.5 * math.Pow(10, math.Floor(math.Log10(v))-5)
}

// maxSchedulers is how many schedulers of one server are kept apart: the first
// that it lists. A page with ten thousand labels must cost no more than that.
const maxSchedulers = 256

// each folds the samples of a family that m wants into one value a scheduler.
func (e *Engine) each(x *Exposition, m *Metric, name string, value func(*dto.Metric) (Value, bool)) []labelled {
	f := x.family(name)
	if f == nil {
		return nil
	}
	var vs []labelled
	samples := wanted(f.Metric, m)
	for _, s := range distinct(onceEach(samples, e.label)) {
		v, ok := value(s)
		if !ok {
			continue
		}
		l := e.label(s)
		i := slices.IndexFunc(vs, func(o labelled) bool { return o.label == l })
		if i < 0 && len(vs) >= maxSchedulers {
			x.crowded = true
			continue
		}
		if i < 0 {
			vs = append(vs, labelled{label: l})
			i = len(vs) - 1
		}
		vs[i].merge(v)
		vs[i].n++
	}
	if len(vs) == 0 && len(samples) == 0 && len(f.Metric) > 0 && m.Label != "" && natures[m.Field] == amount {
		// The family is there and none of its samples is of this kind: a counter
		// that starts with its first event stands at zero for every scheduler.
		for _, s := range f.Metric {
			if v := label(s, m.Label); v == "" || hides(v, m) {
				return nil // it does not tell kinds apart, or not these
			}
			if l := e.label(s); len(vs) < maxSchedulers && !slices.ContainsFunc(vs, func(o labelled) bool { return o.label == l }) {
				vs = append(vs, labelled{label: l, Value: Value{OK: true}, n: 1})
			}
		}
	}
	return vs
}

// hides reports whether statuses are told by class (4xx), so that those which m
// looks for one by one can't be found.
func hides(status string, m *Metric) bool {
	class := func(v string) bool { return len(v) == 3 && v[1:] == "xx" }
	return class(status) && len(m.In) > 0 && !slices.ContainsFunc(m.In, class)
}

// wanted keeps the samples with the right label.
func wanted(samples []*dto.Metric, m *Metric) []*dto.Metric {
	if m.Label == "" && !m.Calls {
		return samples
	}
	var out []*dto.Metric
	for _, s := range samples {
		if m.Calls && !call(s) {
			continue
		}
		v := label(s, m.Label)
		if m.Label == "" || m.In != nil && slices.Contains(m.In, v) || m.Not != nil && !slices.Contains(m.Not, v) {
			out = append(out, s)
		}
	}
	return out
}

// distinct drops samples that have all labels of an earlier one: a page that
// somebody joined from two copies says nothing twice.
func distinct(samples []*dto.Metric) []*dto.Metric {
	if len(samples) < 2 {
		return samples
	}
	seen := make(map[string]bool, len(samples))
	var key []byte
	out := make([]*dto.Metric, 0, len(samples))
	for _, s := range samples {
		key = key[:0]
		for _, l := range s.Label {
			key = append(append(append(append(key, l.GetName()...), 0), l.GetValue()...), 0)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, s)
		}
	}
	return out
}

// ranks are labels of processes that all tell of the same requests.
var ranks = [...]string{"pp_rank", "tp_rank", "moe_ep_rank"}

// onceEach drops samples that tell of the same requests again: of a scheduler's
// ranks only the lowest counts, of its priorities only the total.
func onceEach(samples []*dto.Metric, key func(*dto.Metric) string) []*dto.Metric {
	if len(samples) < 2 {
		return samples
	}
	best := make(map[string][len(ranks)]int)
	total := make(map[string]bool)
	for _, s := range samples {
		k, r := key(s), rankOf(s)
		if b, ok := best[k]; !ok || slices.Compare(r[:], b[:]) < 0 {
			best[k] = r
		}
		total[k] = total[k] || label(s, "priority") == ""
	}
	var out []*dto.Metric
	for _, s := range samples {
		k := key(s)
		if rankOf(s) == best[k] && (!total[k] || label(s, "priority") == "") {
			out = append(out, s)
		}
	}
	return out
}

func rankOf(m *dto.Metric) (r [len(ranks)]int) {
	for i, name := range ranks {
		r[i], _ = strconv.Atoi(label(m, name)) // no rank is rank 0
	}
	return r
}

// label names the scheduler that a sample belongs to, as the server's log
// does: without leading zeros.
func (e *Engine) label(m *dto.Metric) string {
	var parts []string
	for _, k := range e.Key {
		if v := label(m, k); v != "" {
			parts = append(parts, v)
		}
	}
	l := strings.Join(parts, "_")
	if t := strings.TrimLeft(l, "0"); len(t) < len(l) && strings.Trim(l, "0123456789") == "" {
		if t == "" {
			return "0"
		}
		return t
	}
	return l
}

// setting reads a configured number; ok is false if the server doesn't say it.
func (e *Engine) setting(x *Exposition, s Setting) (v float64, ok bool) {
	f := x.family(e.Prefix + s.Metric)
	if f == nil || len(f.Metric) == 0 {
		return 0, false
	}
	if len(s.Labels) == 0 {
		v = scalar(f.Metric[0])
		return v, v > 0 && !math.IsInf(v, 0)
	}
	v = 1
	for _, l := range s.Labels {
		n, err := strconv.ParseFloat(label(f.Metric[0], l), 64)
		if err != nil {
			return 0, false
		}
		v *= n
	}
	return v, v > 0 && !math.IsInf(v, 0)
}

// model is the name of the model that the samples carry, "" if none does.
func (e *Engine) model(x *Exposition) string {
	for _, name := range x.names {
		f := x.families[plain(name)]
		if !strings.HasPrefix(plain(name), e.Prefix) || len(f.Metric) == 0 {
			continue
		}
		if v := label(f.Metric[0], "model_name"); v != "" {
			return v
		}
	}
	return ""
}

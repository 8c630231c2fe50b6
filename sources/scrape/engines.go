package scrape

import "strings"

// engines lists every server whose metric names are known, most specific
// first: where two fit equally well the first is taken.
var engines = []*Engine{
	&vllm, &sglang, &llamaCPP, &tgi, &tei, &trtllm, &lmdeploy, &triton,
	&torchServe, &deepInfer, &rayServe, &nim, &infinity,
}

// common are beginnings of names that every client library adds.
var common = []string{"python_", "process_", "go_", "promhttp_", "http_", "scrape_", "up", "target_info"}

// Engines lists the names of the servers whose metrics are understood.
func Engines() []string {
	names := make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.Name
	}
	return names
}

// Versions tells what the names of a server were checked against, "" for one
// that is not known.
func Versions(name string) string {
	for _, e := range engines {
		if e.Name == name {
			return e.Versions
		}
	}
	return ""
}

// discover finds the engine that an exposition is of, nil if none is known.
func discover(x *Exposition) *Engine {
	var best *Engine
	most := 0
	for _, e := range engines {
		if n := e.score(x); n > most {
			best, most = e, n
		}
	}
	return best
}

// score counts the families that are of this engine.
func (e *Engine) score(x *Exposition) int {
	if e.Alone != "" && x.families[e.Alone] != nil {
		return 1
	}
	if len(e.Sign) > 0 {
		for _, name := range e.Sign {
			if x.family(name) == nil {
				return 0
			}
		}
		return 1
	}
	n := 0
	for name := range x.families {
		if strings.HasPrefix(name, e.Prefix) {
			n++
		}
	}
	return 2 * n
}

// maxUnknown bounds the list of names seen and not understood.
const maxUnknown = 200

// unknown lists the names in x that e (which may be nil) has no use for and
// does not know either, as written, sorted, at most maxUnknown of them.
func (e *Engine) unknown(x *Exposition) []string {
	list := []string{}
	for _, name := range x.names {
		if len(list) < maxUnknown && !e.knows(plain(name)) {
			list = append(list, name)
		}
	}
	return list
}

func (e *Engine) knows(name string) bool {
	if strings.HasSuffix(name, "_created") || beginsWith(name, common) {
		return true
	}
	if e == nil {
		return false
	}
	if beginsWith(name, e.Known) {
		return true
	}
	rest, ok := strings.CutPrefix(name, e.Prefix)
	if !ok {
		return false
	}
	for i := range e.Metrics {
		if e.Metrics[i].mentions(rest) {
			return true
		}
	}
	for _, s := range e.Settings {
		if same(s.Metric, rest) {
			return true
		}
	}
	return false
}

func (m *Metric) mentions(name string) bool {
	for _, list := range [][]string{m.Names, m.Count, m.Times} {
		for _, n := range list {
			if same(n, name) || same(n+"_sum", name) || same(n+"_count", name) || same(n+"_bucket", name) {
				return true
			}
		}
	}
	return false
}

func same(a, b string) bool {
	return strings.TrimSuffix(a, "_total") == strings.TrimSuffix(b, "_total")
}

func beginsWith(name string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

package scrape

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// infinity: prometheus_fastapi_instrumentator alone, which counts every
// request, also those for the metrics; the status may be grouped (2xx). Its
// queue stands in another answer, see queueOf. Anything with FastAPI looks so,
// hence last in the registry.
var infinity = Engine{
	Name:     "infinity",
	Versions: "any that instruments FastAPI, and the queue in its /models (read)",
	Sign:     []string{"http_requests_total", "http_request_duration_highr_seconds"},
	Alone:    queueFamily,
	Metrics: []Metric{
		// Inputs, not requests: one request may hold many.
		{Field: Waiting, Names: []string{queueFamily}},
		{Field: Finished, Names: []string{"http_requests_total"}, Calls: true, Label: "status", In: []string{"2xx", "200"}},
		{Field: TimedOut, Names: []string{"http_requests_total"}, Calls: true, Label: "status", In: []string{"408", "504"}},
		{Field: Rejected, Names: []string{"http_requests_total"}, Calls: true, Label: "status", In: []string{"429", "503"}},
		// Where the status is grouped, a full queue (429) is among the 4xx.
		{Field: Errored, Names: []string{"http_requests_total"}, Calls: true, Label: "status", Not: []string{"1xx", "2xx", "3xx", "200", "201", "202", "204", "307", "308", "408", "504", "429", "503"}},
		{Field: Latency, Names: []string{"http_request_duration_seconds", "http_request_duration_highr_seconds"}, Calls: true},
	},
	Settings: []Setting{{Name: "max_batch", Metric: batchFamily}},
	Known:    []string{"http_", "infinity_"},
}

// Families that queueOf makes of a list of models.
const (
	queueFamily = "infinity_queue_absolute"
	batchFamily = "infinity_batch_size"
)

// modelPaths are where Infinity lists its models, by whether it was given a
// prefix.
var modelPaths = [...]string{"/models", "/v1/models"}

// modelList is Infinity's list of models, as far as it has a use here.
//
// Origin: michaelfeil/infinity infinity_emb/fastapi_schemas, ModelInfo.
type modelList struct {
	Data []struct {
		ID    string `json:"id"`
		Stats *struct {
			Queue *float64 `json:"queue_absolute"`
			Batch *float64 `json:"batch_size"`
		} `json:"stats"`
	} `json:"data"`
}

// queueOf reads such a list as an exposition, nil if it is none. results_pending
// is left out: it counts what waits and what runs in one version and what waits
// to be handed out in another.
func queueOf(body []byte) *Exposition {
	var list modelList
	if json.Unmarshal(body, &list) != nil {
		return nil
	}
	var text strings.Builder
	var sizes []float64
	for _, m := range list.Data {
		if m.Stats == nil || m.Stats.Queue == nil {
			continue
		}
		fmt.Fprintf(&text, "%s{model_name=%q} %g\n", queueFamily, quotable(m.ID), *m.Stats.Queue)
		if b := m.Stats.Batch; b != nil && !slices.Contains(sizes, *b) {
			sizes = append(sizes, *b)
		}
	}
	if len(sizes) == 1 { // models with batches of different sizes have no common limit
		fmt.Fprintf(&text, "%s %g\n", batchFamily, sizes[0])
	}
	x, err := parseBytes([]byte(text.String()))
	if err != nil {
		return nil
	}
	x.Size = len(body)
	return x
}

// quotable is a name without what a label's value would have to escape.
func quotable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == '\\' || r == 0x7f {
			return '_'
		}
		return r
	}, name)
}

// described are handlers that tell of the server instead of serving.
var described = [...]string{"/metrics", "/models", "/v1/models", "/health", "/ready", "/docs", "/openapi.json", "/", "none"}

// call reports whether a sample of FastAPI's instrumentation is of requests to
// the model.
func call(m *dto.Metric) bool {
	method := label(m, "method")
	return (method == "" || method == "POST") && !slices.Contains(described[:], label(m, "handler"))
}

// add takes over the families of another answer of the same server.
func (x *Exposition) add(y *Exposition) {
	for _, name := range y.names {
		if x.families[name] == nil {
			x.names = append(x.names, name)
			x.families[name] = y.families[name]
		}
	}
	slices.Sort(x.names)
	x.Size += y.Size
}

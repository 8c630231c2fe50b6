package scrape

import (
	"encoding/json"
	"fmt"
	"strings"
)

// iteration is one record of trtllm-serve's JSON statistics (with
// enable_iter_perf_stats), as far as it has a use here.
//
// Origin: NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor; the record of
// cpp/tensorrt_llm's IterationStats.
type iteration struct {
	Active  *float64 `json:"numActiveRequests"`
	Queued  *float64 `json:"numQueuedRequests"`
	Most    *float64 `json:"maxNumActiveRequests"`
	Latency *float64 `json:"iterLatencyMS"`
	KV      struct {
		Used *float64 `json:"usedNumBlocks"`
		Most *float64 `json:"maxNumBlocks"`
	} `json:"kvCacheStats"`
	Batching struct {
		Scheduled *float64 `json:"numScheduledRequests"`
	} `json:"inflightBatchingStats"`
}

// iterations reads such statistics, one record or a list of them: the newest
// counts. It gives them as an exposition of the names that the same server's
// Prometheus endpoint has; nil if they are none.
func iterations(body []byte) *Exposition {
	var list []iteration
	if json.Unmarshal(body, &list) != nil {
		list = make([]iteration, 1)
		if json.Unmarshal(body, &list[0]) != nil {
			return nil
		}
	}
	if len(list) == 0 || list[len(list)-1].Active == nil {
		return nil
	}
	it := &list[len(list)-1]
	var text strings.Builder
	gauge := func(name string, v *float64, scale float64) {
		if v != nil && *v >= 0 {
			fmt.Fprintf(&text, "# TYPE trtllm_%s gauge\ntrtllm_%s %g\n", name, name, *v*scale)
		}
	}
	gauge("num_requests_running", it.Active, 1)
	gauge("num_requests_waiting", it.Queued, 1)
	gauge("num_scheduled_requests", it.Batching.Scheduled, 1)
	gauge("max_num_active_requests", it.Most, 1)
	gauge("iteration_latency_seconds", it.Latency, 1e-3)
	if most := it.KV.Most; most != nil && *most > 0 {
		gauge("kv_cache_utilization", it.KV.Used, 1 / *most)
	}
	x, err := parseBytes([]byte(text.String()))
	if err != nil {
		return nil
	}
	x.Size, x.emptied = len(body), true
	return x
}

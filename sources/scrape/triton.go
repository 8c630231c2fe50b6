package scrape

// triton: triton-inference-server/core src/metrics.cc, port 8002, times in
// cumulative microseconds that grow only when a request finishes. There is no
// gauge of running requests; the TensorRT-LLM backend adds one of its own
// (nv_trt_llm_request_metrics).
var triton = Engine{
	Name:     "triton",
	Versions: "core, reason labels of 24.04 on (read)",
	Prefix:   "nv_",
	Key:      []string{"model"},
	Metrics: []Metric{
		{Field: Waiting, Names: []string{"inference_pending_request_count"}},
		{Field: Running, Names: []string{"trt_llm_request_metrics"}, Label: "request_type", In: []string{"active"}},
		{Field: BatchNow, Names: []string{"trt_llm_request_metrics"}, Label: "request_type", In: []string{"scheduled"}},
		{Field: KVUsage, Names: []string{"trt_llm_kv_cache_block_metrics"}, Label: "kv_cache_block_type", In: []string{"fraction"}},
		{Field: Finished, Names: []string{"inference_request_success"}},
		{Field: Rejected, Names: []string{"inference_request_failure"}, Label: "reason", In: []string{"REJECTED"}},
		{Field: Aborted, Names: []string{"inference_request_failure"}, Label: "reason", In: []string{"CANCELED"}},
		{Field: Errored, Names: []string{"inference_request_failure"}, Label: "reason", In: []string{"", "BACKEND", "OTHER"}},
		{Field: BatchSize, Names: []string{"inference_count"}, Count: []string{"inference_exec_count"}},
		{Field: QueueTime, Names: []string{"inference_queue_duration_us"}, Count: []string{"inference_request_success"}, Scale: 1e-6},
		{Field: Latency, Names: []string{"inference_request_duration_us"}, Count: []string{"inference_request_success"}, Scale: 1e-6},
		{Field: StepTime, Names: []string{"inference_compute_infer_duration_us"}, Count: []string{"inference_exec_count"}, Scale: 1e-6},
		{Field: TTFT, Names: []string{"inference_first_response_histogram_ms"}, Scale: 1e-3},
	},
	Known: []string{
		"nv_inference_compute_", "nv_inference_request_summary_us", "nv_inference_queue_summary_us", "nv_gpu_", "nv_energy_consumption",
		"nv_pinned_memory_", "nv_cpu_", "nv_cache_", "nv_model_", "nv_trt_llm_",
	},
}

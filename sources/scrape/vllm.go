package scrape

import "slices"

// vllm: vllm/v1/metrics/loggers.py (labels model_name, engine) and, for V0,
// vllm/engine/metrics.py (label model_name). The client library adds _total.
var vllm = Engine{
	Name:     "vllm",
	Versions: "V0 (late 0.x) and V1 to 2026: names from before and after 0.9 and 0.11",
	Prefix:   "vllm_",
	Key:      []string{"engine"},
	Metrics:  vllmMetrics,
	Settings: []Setting{{Name: "kv_tokens", Metric: "cache_config_info", Labels: []string{"num_gpu_blocks", "block_size"}}},
	Known: []string{
		"vllm_num_requests_waiting_by_reason", "vllm_num_requests_swapped", "vllm_cpu_cache_usage_perc", "vllm_gpu_cache_usage_perc",
		"vllm_prefix_cache_", "vllm_gpu_prefix_cache_", "vllm_cpu_prefix_cache_", "vllm_external_prefix_cache_", "vllm_mm_cache_",
		// Rates over the server's own window: deltas of the counters say the same
		// with the window we choose.
		"vllm_avg_prompt_throughput_toks_per_s", "vllm_avg_generation_throughput_toks_per_s",
		"vllm_prompt_tokens_by_source", "vllm_prompt_tokens_cached",
		"vllm_inter_token_latency_seconds", "vllm_time_per_output_token_seconds", "vllm_request_time_per_output_token_seconds",
		"vllm_request_prefill_time_seconds", "vllm_request_decode_time_seconds", "vllm_request_inference_time_seconds",
		"vllm_request_prompt_tokens", "vllm_request_generation_tokens", "vllm_request_max_num_generation_tokens",
		"vllm_request_params_", "vllm_iteration_tokens", "vllm_spec_decode_", "vllm_lora_requests_info",
		"vllm_engine_sleep_state", "vllm_model_forward_time", "vllm_model_execute_time", "vllm_corrupted_requests",
		"vllm_kv_block_", "vllm_kv_offload_", "vllm_kv_cache_nan", "vllm_time_per_prefill_token", "vllm_healthy",
		"vllm_request_prefill_kv_computed_tokens", "vllm_nixl_", "vllm_estimated_",
	},
}

// vllmMetrics is shared with NIM, which prints the same names without prefix.
var vllmMetrics = []Metric{
	{Field: Running, Names: []string{"num_requests_running"}},
	{Field: BatchNow, Names: []string{"num_requests_running"}},
	{Field: Waiting, Names: []string{"num_requests_waiting"}},
	// V0 kept preempted requests apart from the queue; they wait all the same.
	{Field: Waiting, Names: []string{"num_requests_swapped"}},
	{Field: KVUsage, Names: []string{"kv_cache_usage_perc", "gpu_cache_usage_perc"}},
	{Field: Preempted, Names: []string{"num_preemptions_total"}},
	{Field: PromptTokens, Names: []string{"prompt_tokens_total"}},
	{Field: GenTokens, Names: []string{"generation_tokens_total"}},
	{Field: Finished, Names: []string{"request_success_total"}, Label: "finished_reason", Not: []string{"abort", "error"}},
	{Field: Aborted, Names: []string{"request_success_total"}, Label: "finished_reason", In: []string{"abort"}},
	{Field: Errored, Names: []string{"request_success_total"}, Label: "finished_reason", In: []string{"error"}},
	// Since September 2026: a limit of the queue was reached, answered 503.
	{Field: QueueFull, Names: []string{"admission_rejections_total"}},
	{Field: TTFT, Names: []string{"time_to_first_token_seconds"}},
	{Field: Latency, Names: []string{"e2e_request_latency_seconds"}},
	{Field: QueueTime, Names: []string{"request_queue_time_seconds", "time_in_queue_requests"}},
}

// nim is vLLM's engine metrics as some packagers serve them: the same names
// without a prefix.
var nim = Engine{
	Name:     "nim",
	Versions: "vLLM's names without prefix (read)",
	Sign:     []string{"num_requests_running", "num_requests_waiting"},
	Key:      []string{"engine"},
	Metrics:  slices.Concat(vllmMetrics, []Metric{{Field: Errored, Names: []string{"request_failure_total"}}}),
	Settings: []Setting{{Name: "max_batch", Metric: "num_request_max"}},
	Known: []string{
		"request_prompt_tokens", "request_generation_tokens", "time_per_output_token_seconds",
		"gpu_cache_usage_perc", "request_finish",
	},
}

package scrape

// trtllm: trtllm-serve's /prometheus/metrics (return_perf_metrics: true). Its
// /metrics is JSON and is emptied by whoever reads it, so it is never asked.
var trtllm = Engine{
	Name:     "trtllm",
	Versions: "trtllm-serve 2025 to 2026: Prometheus, else its JSON; Triton's backend (read)",
	Prefix:   "trtllm_",
	Metrics: []Metric{
		{Field: Running, Names: []string{"num_requests_running", "num_active_requests"}},
		{Field: Waiting, Names: []string{"num_requests_waiting", "server_queue_length"}},
		{Field: BatchNow, Names: []string{"num_scheduled_requests"}},
		{Field: KVUsage, Names: []string{"kv_cache_utilization"}},
		{Field: StepNow, Names: []string{"iteration_latency_seconds"}},
		{Field: PromptTokens, Names: []string{"prompt_tokens_total"}},
		{Field: GenTokens, Names: []string{"generation_tokens_total"}},
		{Field: Finished, Names: []string{"request_success_total"}, Label: "finished_reason", Not: []string{"timeout", "cancelled"}},
		{Field: TimedOut, Names: []string{"request_success_total"}, Label: "finished_reason", In: []string{"timeout"}},
		{Field: Aborted, Names: []string{"request_success_total"}, Label: "finished_reason", In: []string{"cancelled"}},
		{Field: Errored, Names: []string{"request_error_total"}},
		{Field: TTFT, Names: []string{"time_to_first_token_seconds"}},
		{Field: Latency, Names: []string{"e2e_request_latency_seconds"}},
		{Field: QueueTime, Names: []string{"request_queue_time_seconds"}},
	},
	Settings: []Setting{{Name: "max_batch", Metric: "max_num_active_requests"}},
	Known: []string{
		"trtllm_kv_cache_", "trtllm_num_context_requests", "trtllm_num_generation_requests", "trtllm_num_paused_requests",
		"trtllm_request_prefill_time_seconds", "trtllm_request_decode_time_seconds", "trtllm_request_inference_time_seconds",
		"trtllm_time_per_output_token_seconds", "trtllm_prompt_cache", "trtllm_spec_decode_", "trtllm_prefill_", "trtllm_generation_perplexity",
		// How many requests a step had, as a distribution: the newest step's number
		// is read already.
		"trtllm_scheduled_batch_size",
		"trtllm_num_requests_completed", "trtllm_gpu_memory_", "trtllm_cpu_memory_", "trtllm_pinned_memory_", "trtllm_max_batch_size_",
		"trtllm_max_num_tokens_", "trtllm_total_context_tokens", "trtllm_avg_decoded_tokens_per_iter", "trtllm_model_config_info",
		"trtllm_parallel_config_info", "trtllm_speculative_config_info", "trtllm_kv_cache_config_info",
	},
}

// lmdeploy: lmdeploy/metrics/loggers.py. The engine label is the rank.
var lmdeploy = Engine{
	Name:     "lmdeploy",
	Versions: "August 2025 on (read)",
	Prefix:   "lmdeploy_",
	Key:      []string{"engine"},
	Metrics: []Metric{
		{Field: Running, Names: []string{"num_requests_running"}},
		{Field: BatchNow, Names: []string{"num_requests_running"}},
		{Field: Waiting, Names: []string{"num_requests_waiting"}},
		{Field: Waiting, Names: []string{"num_api_requests_waiting"}},
		{Field: KVUsage, Names: []string{"gpu_cache_usage_perc"}},
		{Field: PromptTokens, Names: []string{"prompt_tokens_total"}},
		{Field: GenTokens, Names: []string{"generation_tokens_total"}},
		// Typed as gauges and only ever growing.
		{Field: Finished, Names: []string{"num_requests_succeeded", "num_requests_completed", "num_requests_finished"}},
		{Field: Errored, Names: []string{"num_requests_failed"}},
		{Field: TTFT, Names: []string{"time_to_first_token_seconds"}},
		{Field: Latency, Names: []string{"e2e_request_latency_seconds"}},
		{Field: QueueTime, Names: []string{"request_queue_time_seconds"}},
		{Field: StepTime, Names: []string{"iter_token_latency"}},
	},
	Known: []string{
		"lmdeploy_num_api_requests_", "lmdeploy_prefix_cache_hit_rate", "lmdeploy_cached_tokens", "lmdeploy_request_success",
		"lmdeploy_time_per_output_token_seconds", "lmdeploy_request_prefill_time_seconds", "lmdeploy_request_decode_time_seconds",
		"lmdeploy_request_inference_time_seconds", "lmdeploy_iteration_tokens", "lmdeploy_request_prompt_tokens", "lmdeploy_request_generation_tokens",
		"lmdeploy_num_requests_total", "lmdeploy_external_prefix_cache_", "lmdeploy_request_max_num_generation_tokens", "lmdeploy_request_params_",
	},
}

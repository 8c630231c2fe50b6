package scrape

// sglang: python/sglang/srt/observability/metrics_collector.py, only with
// --enable-metrics. Gauges are refreshed when a batch line would be logged, so
// they are stale while the server idles. Token counters move when a request
// ends.
var sglang = Engine{
	Name:     "sglang",
	Versions: "to mid 2026, earlier names of queue and token times (read)",
	Prefix:   "sglang_",
	Key:      []string{"dp_rank"},
	Metrics: []Metric{
		{Field: Running, Names: []string{"num_running_reqs"}},
		{Field: BatchNow, Names: []string{"num_running_reqs"}},
		{Field: Waiting, Names: []string{"num_queue_reqs"}},
		{Field: Waiting, Names: []string{"num_grammar_queue_reqs"}},
		{Field: KVUsage, Names: []string{"token_usage"}},
		{Field: Preempted, Names: []string{"num_retracted_requests_total"}},
		{Field: PromptTokens, Names: []string{"prompt_tokens_total"}},
		{Field: GenTokens, Names: []string{"generation_tokens_total"}},
		{Field: Finished, Names: []string{"num_requests_total"}},
		{Field: Aborted, Names: []string{"num_aborted_requests_total"}},
		// A disaggregated request that never got its cache.
		{Field: Errored, Names: []string{"num_bootstrap_failed_reqs_total"}},
		{Field: Errored, Names: []string{"num_transfer_failed_reqs_total"}},
		{Field: TTFT, Names: []string{"time_to_first_token_seconds"}},
		{Field: Latency, Names: []string{"e2e_request_latency_seconds"}},
		{Field: QueueTime, Names: []string{"queue_time_seconds"}},
	},
	Settings: []Setting{{Name: "kv_tokens", Metric: "max_total_num_tokens"}},
	Known: []string{
		// A gauge of requests pushed back since the last report: read at our own
		// pace it would count some twice and others never.
		"sglang_num_retracted_reqs",
		"sglang_gen_throughput", "sglang_cache_hit_rate", "sglang_full_token_usage", "sglang_swa_token_usage", "sglang_mamba_usage",
		"sglang_num_used_tokens", "sglang_kv_used_tokens", "sglang_kv_available_tokens", "sglang_num_prefill_", "sglang_num_decode_",
		"sglang_inter_token_latency_seconds", "sglang_time_per_output_token_seconds", "sglang_avg_request_queue_latency",
		"sglang_cached_tokens", "sglang_realtime_tokens", "sglang_spec_accept_", "sglang_utilization", "sglang_new_token_ratio",
		"sglang_max_running_requests", "sglang_num_running_reqs_offline_batch", "sglang_num_paused_reqs", "sglang_per_stage_req_latency_seconds",
		"sglang_prompt_tokens_histogram", "sglang_generation_tokens_histogram", "sglang_num_grammar_", "sglang_engine_", "sglang_num_so_requests",
		"sglang_num_retracted_", "sglang_spec_", "sglang_fwd_occupancy", "sglang_cuda_graph_", "sglang_lora_", "sglang_hicache_",
		"sglang_num_streaming_sessions", "sglang_streaming_session_", "sglang_num_unique_running_routing_keys", "sglang_routing_key_",
		"sglang_grammar_", "sglang_eplb_", "sglang_prefill_", "sglang_forward_execution_seconds", "sglang_estimated_", "sglang_dp_cooperation_",
		"sglang_max_total_num_tokens_swa", "sglang_weight_", "sglang_kv_cache_memory_usage_gb", "sglang_graph_memory_usage_gb", "sglang_page_size",
		"sglang_num_pages", "sglang_context_len", "sglang_startup_", "sglang_kv_evictable_tokens", "sglang_swa_", "sglang_mamba_", "sglang_full_",
		"sglang_pending_prealloc_token_usage", "sglang_is_cuda_graph", "sglang_kv_transfer_", "sglang_func_latency_seconds",
	},
}

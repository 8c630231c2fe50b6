package scrape

// llamaCPP: ggml-org/llama.cpp tools/server, only with --metrics, no labels.
//
// Token counters move only when a request ends, so their rate needs windows of
// several request times. While anybody polls more often than once a second the
// server does not look for clients that went away (measured on b10573+14), so
// the poll interval matters more here than anywhere.
var llamaCPP = Engine{
	Name:     "llamacpp",
	Versions: "August 2026 (b10573), earlier names (read)",
	Prefix:   "llamacpp_",
	Metrics: []Metric{
		{Field: Running, Names: []string{"requests_processing"}},
		{Field: Waiting, Names: []string{"requests_deferred"}},
		{Field: KVUsage, Names: []string{"kv_cache_usage_ratio"}}, // gone since 2025
		{Field: PromptTokens, Names: []string{"prompt_tokens_total"}},
		{Field: GenTokens, Names: []string{"tokens_predicted_total"}},
		// The gauge is a mean since the start: its product with the count of
		// decode calls is a sum, and two sums give the window's mean.
		{Field: BatchSize, Names: []string{"n_decode_total"}, Times: []string{"n_busy_slots_per_decode"}},
	},
	Known: []string{
		// One slot's speed over requests that ended since anybody's last scrape,
		// or a mean since the start, depending on the version: never throughput.
		"llamacpp_predicted_tokens_seconds", "llamacpp_prompt_tokens_seconds",
		"llamacpp_prompt_seconds_total", "llamacpp_tokens_predicted_seconds_total", "llamacpp_prompt_tokens_cached_total",
		"llamacpp_n_tokens_max", "llamacpp_n_past_max", "llamacpp_kv_cache_tokens", "llamacpp_spec_decode_",
	},
}

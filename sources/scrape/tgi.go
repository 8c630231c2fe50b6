package scrape

// tgi: text-generation-inference router/src/server.rs and backends/v3. No
// _total, no labels except err, method and reason.
var tgi = Engine{
	Name:     "tgi",
	Versions: "router with backends v2 and v3 (read)",
	Prefix:   "tgi_",
	Metrics: []Metric{
		{Field: Running, Names: []string{"batch_current_size"}},
		{Field: BatchNow, Names: []string{"batch_current_size"}},
		{Field: Waiting, Names: []string{"queue_size"}},
		{Field: Started, Names: []string{"request_count"}},
		{Field: Finished, Names: []string{"request_success"}},
		{Field: QueueFull, Names: []string{"request_failure"}, Label: "err", In: []string{"overloaded"}},
		{Field: Rejected, Names: []string{"request_failure"}, Label: "err", In: []string{"validation", "template"}},
		{Field: Dropped, Names: []string{"request_failure"}, Label: "err", In: []string{"dropped"}},
		{Field: Errored, Names: []string{"request_failure"}, Label: "err", In: []string{"generation", "incomplete"}},
		{Field: PromptTokens, Names: []string{"request_input_length"}, Sum: true},
		{Field: GenTokens, Names: []string{"request_generated_tokens"}, Sum: true},
		{Field: Latency, Names: []string{"request_duration"}},
		{Field: QueueTime, Names: []string{"request_queue_duration"}},
		{Field: StepTime, Names: []string{"batch_forward_duration"}, Label: "method", In: []string{"decode"}},
	},
	Known: []string{
		"tgi_batch_", "tgi_request_skipped_tokens", "tgi_request_validation_duration", "tgi_request_inference_duration",
		"tgi_request_mean_time_per_token_duration", "tgi_request_max_new_tokens", "tgi_tokenize_request_",
	},
}

// tei: text-embeddings-inference core/src/queue.rs, core/src/infer.rs,
// router/src/lib.rs. Nothing is said about what runs.
var tei = Engine{
	Name:     "tei",
	Versions: "2026 (read)",
	Prefix:   "te_",
	Metrics: []Metric{
		{Field: Waiting, Names: []string{"queue_size"}},
		{Field: BatchSize, Names: []string{"batch_next_size"}},
		{Field: Started, Names: []string{"request_count"}},
		{Field: Finished, Names: []string{"request_success"}},
		{Field: QueueFull, Names: []string{"request_failure"}, Label: "err", In: []string{"overloaded"}},
		{Field: Rejected, Names: []string{"request_failure"}, Label: "err", In: []string{"validation", "batch_size", "model_type", "missing_values", "tokenization"}},
		{Field: Dropped, Names: []string{"request_failure"}, Label: "err", In: []string{"dropped"}},
		{Field: Errored, Names: []string{"request_failure"}, Label: "err", In: []string{"inference"}},
		{Field: PromptTokens, Names: []string{"request_input_length"}, Sum: true},
		{Field: Latency, Names: []string{"request_duration"}},
		{Field: QueueTime, Names: []string{"request_queue_duration"}},
	},
	Known: []string{"te_batch_next_tokens", "te_embed_", "te_predict_", "te_rerank_", "te_request_tokenization_duration", "te_request_inference_duration", "te_request_tokens"},
}

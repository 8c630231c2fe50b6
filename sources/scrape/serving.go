package scrape

// torchServe: ts/configs/metrics.yaml with metrics_mode=prometheus. Its own
// names have the prefix, the system's and the workers' have none.
var torchServe = Engine{
	Name:     "torchserve",
	Versions: "metrics_mode=prometheus (read)",
	Prefix:   "ts_",
	Key:      []string{"model_name"},
	Metrics: []Metric{
		// Counted when a request arrives, whatever becomes of it. Requests2XX and
		// its like are over all of the server's ports, health checks included.
		{Field: Started, Names: []string{"inference_requests_total"}},
		{Field: Latency, Names: []string{"inference_latency_microseconds"}, Count: []string{"inference_requests_total"}, Scale: 1e-6},
		{Field: QueueTime, Names: []string{"queue_latency_microseconds"}, Count: []string{"inference_requests_total"}, Scale: 1e-6},
	},
	Known: []string{
		"Requests2XX", "Requests4XX", "Requests5XX", "CPUUtilization", "MemoryUsed", "MemoryAvailable", "MemoryUtilization",
		"DiskUsage", "DiskUtilization", "DiskAvailable", "GPUMemory", "GPUUtilization", "QueueTime", "WorkerThreadTime",
		"WorkerLoadTime", "HandlerTime", "PredictionTime",
	},
}

// rayServe: doc/source/serve/monitoring.md. Pushed every 10 s by default, so
// gauges are that old. Older releases put the application into the deployment.
var rayServe = Engine{
	Name:     "ray-serve",
	Versions: "2.x to 2.60, earlier queue names",
	Prefix:   "ray_serve_",
	Key:      []string{"application", "deployment"},
	Metrics: []Metric{
		{Field: Running, Names: []string{"replica_processing_queries"}},
		{Field: Waiting, Names: []string{"deployment_queued_queries", "replica_queued_queries"}},
		{Field: Finished, Names: []string{"deployment_request_counter"}},
		// What clients were answered, where the proxy tells it by deployment (seen
		// in 2.60); else what the replicas raised, a cancelled request included.
		{Field: Errored, Names: []string{"num_deployment_http_error_requests", "deployment_error_counter"}, Label: "error_code", Not: []string{"408", "504", "429", "503", "499"}},
		{Field: TimedOut, Names: []string{"num_deployment_http_error_requests"}, Label: "error_code", In: []string{"408", "504"}},
		{Field: Rejected, Names: []string{"num_deployment_http_error_requests"}, Label: "error_code", In: []string{"429", "503"}},
		{Field: Aborted, Names: []string{"num_deployment_http_error_requests"}, Label: "error_code", In: []string{"499"}},
		{Field: Latency, Names: []string{"deployment_processing_latency_ms"}, Scale: 1e-3},
		{Field: QueueTime, Names: []string{"deployment_queuing_latency_ms"}, Scale: 1e-3},
	},
	Known: []string{"ray_"},
}

// deepInfer: crates/deepinfer-gateway/src/metrics.rs. No queue, batch or KV.
var deepInfer = Engine{
	Name:     "deepinfer",
	Versions: "gateway of 2025 (read)",
	Prefix:   "deepinfer_",
	Metrics: []Metric{
		{Field: Started, Names: []string{"inference_requests_total"}},
		{Field: Errored, Names: []string{"http_requests_total"}, Label: "status", In: []string{"500", "502", "504"}},
		{Field: Rejected, Names: []string{"http_requests_total"}, Label: "status", In: []string{"429", "503"}},
		{Field: Latency, Names: []string{"inference_latency_seconds"}},
		{Field: PromptTokens, Names: []string{"inference_tokens_total"}, Label: "type", In: []string{"prompt", "input"}},
		{Field: GenTokens, Names: []string{"inference_tokens_total"}, Label: "type", In: []string{"completion", "output", "generated"}},
	},
	Known: []string{"deepinfer_http_request_duration_seconds", "deepinfer_engines_total", "deepinfer_engine_restarts_total"},
}

package serverlog

// formats is the registry, in the order of the list of formats. The generic
// one comes last: it is what remains.
var formats = []Format{
	vllm,
	sglang,
	llamacpp,
	trtllm,
	tgi,
	ollama,
	lmdeploy,
	triton,
	torchserve,
	rayserve,
	tei,
	infinity,
	builtin("deepinfer", deepInferProfile),
	generic,
}

// aliases are other spellings of names.
var aliases = map[string]string{
	"llama.cpp": "llamacpp", "llama-server": "llamacpp", "llama_cpp": "llamacpp", "llama": "llamacpp",
	"tensorrt-llm": "trtllm", "tensorrtllm": "trtllm", "trt-llm": "trtllm", "trtllm-serve": "trtllm",
	"ray": "rayserve", "ray-serve": "rayserve", "ray_serve": "rayserve",
	"text-generation-inference": "tgi", "text-embeddings-inference": "tei",
	"logfmt": "generic", "keyvalue": "generic", "key-value": "generic", "json": "generic",
}

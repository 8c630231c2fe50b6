package host

import (
	"strings"
	"testing"
)

// FuzzIdentify: a command line is its owner's, who may be anybody on the
// machine. Whatever it says, looking at it neither panics nor takes a NUL or a
// line end for part of a name.
func FuzzIdentify(f *testing.F) {
	for _, argv := range []string{
		"python\x00-m\x00vllm.entrypoints.openai.api_server\x00--model\x00m\x00--max-num-seqs\x0064",
		"/usr/bin/llama-server\x00-np\x004\x00--port\x008080", "vegeta\x00attack\x00-rate=0", "k6\x00run\x00s.js", "\x00\x00", "-\x00--=\x00=",
	} {
		f.Add(argv)
	}
	f.Fuzz(func(t *testing.T, text string) {
		argv := strings.Split(text, "\x00")
		if tool, _ := identify(argv); tool != nil && strings.ContainsAny(tool.Name, "\x00\n\x1b") {
			t.Fatalf("%q: want a name of one line, got %q", argv, tool.Name)
		}
	})
}

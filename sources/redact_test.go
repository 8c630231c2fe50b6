package sources_test

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources"
)

func TestRedact(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"server.log", "server.log"},
		{"exec:journalctl -u vllm -f -o cat", "exec:journalctl -u vllm -f -o cat"},
		{"exec:ssh gpu1 tail -F /var/log/vllm.log", "exec:ssh gpu1 tail -F /var/log/vllm.log"},
		{"http://me:hush@h:8000/metrics", "http://•••@h:8000/metrics"},
		{"http://h/metrics?api_key=hush&model=a", "http://h/metrics?api_key=•••&model=a"},
		{"http://h/metrics?api_key=***&model=a", "http://h/metrics?api_key=***&model=a"},
		{"exec:curl -sN -H 'Authorization: Bearer hush' http://h/log", "exec:curl -sN -H ••• http://h/log"},
		{`exec:curl -u me:hush "http://h/log"`, `exec:curl -u ••• "http://h/log"`},
		{"exec:API_KEY=hush tool --api-key hush --token=hush --rate 5", "exec:API_KEY=••• tool --api-key ••• --token=••• --rate 5"},
		{"bench --max-tokens 64 --tokenizer m --num-prompts 10", "bench --max-tokens 64 --tokenizer m --num-prompts 10"},
		{`{"authorization": "hush"}`, `{"authorization": •••}`},
		{"Authorization: Basic hush", "Authorization: •••"},
		{"proxy answered: authorization bearer hush", "proxy answered: authorization bearer •••"},
		{"HF token hf_hushhushhush given", "HF token ••• given"},
		{"mean generation tokens: 64", "mean generation tokens: 64"},
		{"open /etc/keys/x: permission denied", "open /etc/keys/x: permission denied"},
		{"PASSWORD=hush;x=1", "PASSWORD=•••;x=1"},
	} {
		if got := sources.Redact(c.in); got != c.want {
			t.Errorf("%q: want %q, got %q", c.in, c.want, got)
		}
		if got := sources.Redact(sources.Redact(c.in)); got != c.want {
			t.Errorf("%q twice: want %q, got %q", c.in, c.want, got)
		}
	}
	args := []string{"bench", "--api-key", "hush", "-H", "hush", "--max-tokens", "64", "--header=hush", "http://me:hush@h"}
	if got, want := strings.Join(sources.RedactArgs(args), " "), "bench --api-key ••• -H ••• --max-tokens 64 --header=••• http://•••@h"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

// TestOutletTellsNoSecrets: a source can't show or record a password, whatever
// it says about itself.
func TestOutletTellsNoSecrets(t *testing.T) {
	ch := make(chan *model.Batch, 1)
	out := sources.NewOutlet(t.Context(), ch, 1, sources.Block, nil)
	out.Describe(1, "exec:curl -H 'Authorization: Bearer hush' h", model.KindServerLog, "vllm", "")
	out.State(1, model.Retrying, "get http://me:hush@h/: refused")
	out.Note(model.Note{At: 1, Seen: 1, Kind: model.NoteMark, Name: "source", Text: "the command tool --api-key hush ended"})
	out.Note(model.Note{At: 1, Seen: 1, Kind: model.NoteRun, Name: "command", Text: "tool --api-key hush"})
	out.FlushAt(1)
	for _, n := range (<-ch).Notes {
		if strings.Contains(n.Name+n.Text, "hush") {
			t.Errorf("want no secret, got %q %q", n.Name, n.Text)
		}
	}
}

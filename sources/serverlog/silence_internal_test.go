package serverlog

import (
	"context"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/tail"
)

// TestSilence: a source that has said nothing at all for a while says what that
// may mean, once, and not where its state already has a reason.
func TestSilence(t *testing.T) {
	for _, tt := range []struct {
		name  string
		place string
		prep  func(*following)
		want  string
	}{
		{"a command", "exec:kubectl logs -f x", func(*following) {}, "kubectl logs -f x </dev/null"},
		{"a file", "/var/log/x.log", func(*following) {}, "--from start"},
		{"too early to say", "exec:x", func(f *following) { f.began = f.began.Add(silentAfter / 2) }, ""},
		{"it speaks", "exec:x", func(f *following) { f.running = true }, ""},
		{"its state is told", "exec:x", func(f *following) { f.event(tail.EventWaiting, "no such file") }, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec, err := tail.ParseSpec(tt.place)
			if err != nil {
				t.Fatal(err)
			}
			ch := make(chan *model.Batch, 8)
			out := sources.NewOutlet(context.Background(), ch, 1, sources.Block, nil)
			f := &following{s: NewSource(tail.Options{Spec: spec, Follow: true}, Options{}), out: out, began: sources.Now().Add(-silentAfter - time.Second)}
			tt.prep(f)
			f.idle()
			f.idle()
			out.FlushAt(sources.Now())
			states, text := 0, ""
			for len(ch) > 0 {
				b := <-ch
				for _, e := range b.Events {
					if e.Kind == model.State {
						states++
					}
				}
				for _, n := range b.Notes {
					text += n.Text
				}
			}
			if (tt.want != "") != (states == 1) || !strings.Contains(text, tt.want) {
				t.Errorf("want %q told once, got %d states and %q", tt.want, states, text)
			}
		})
	}
}

package sources_test

import (
	"strings"
	"testing"
	"time"

	"benchtop/sources"
)

// FuzzRedact: whatever stands around it, a password behind a flag is gone, and
// to redact twice is to redact once.
func FuzzRedact(f *testing.F) {
	f.Add("exec:curl ", " http://h/")
	f.Add("a=b&c", "'x'")
	f.Fuzz(func(t *testing.T, before, after string) {
		if len(before)+len(after) > 4096 {
			return
		}
		began := time.Now()
		text := before + " --api-key hush-9f3a " + after
		got := sources.Redact(text)
		if strings.Contains(got, "hush-9f3a") && strings.Count(before, `"`)%2 == 0 && strings.Count(before, "'")%2 == 0 {
			t.Fatalf("%q: the password stays: %q", text, got)
		}
		if again := sources.Redact(got); len(again) > len(got)+len(sources.Hidden) {
			t.Fatalf("%q: grows when redacted again: %q", got, again)
		}
		if d := time.Since(began); d > 5*time.Second {
			t.Fatalf("took %s for %d bytes", d, len(text))
		}
	})
}

package serverlog_test

import (
	"strings"
	"testing"

	"benchtop/sources/serverlog"
)

// TestJournalsOfTheWorld reads a journal's lines in several locales. Where the
// month is one that we do not know, the server's own stamp counts.
func TestJournalsOfTheWorld(t *testing.T) {
	inner := "(APIServer pid=1) INFO 11-30 11:00:02 [loggers.py:257] Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 1.9%, Prefix cache hit rate: 0.0%"
	for stamp, want := range map[string]string{
		"Nov 30": "2026-11-30T10:00:02Z", "oct 08": "2026-10-08T10:00:02Z", "mar 15": "2026-03-15T10:00:02Z",
		"M\u00e4r 15": "2026-03-15T10:00:02Z", "Okt  8": "2026-10-08T10:00:02Z", "d\u00e9c. 15": "2026-12-15T10:00:02Z",
		"f\u00e9vr. 08": "2026-02-08T10:00:02Z", "ao\u00fbt 08": "2026-08-08T10:00:02Z", "out 08": "2026-10-08T10:00:02Z",
		"12\u6708 08": "2026-12-08T10:00:02Z", "1\u6708 08": "2026-01-08T10:00:02Z", "10\uc6d4 08": "2026-10-08T10:00:02Z",
		"\u043e\u043a\u0442 08": "2026-10-08T10:00:02Z", "pa\u017a 08": "2026-10-08T10:00:02Z", "Eki 08": "2026-10-08T10:00:02Z",
		"xyz 08": "2026-11-30T11:00:02Z", "13\u6708 08": "2026-11-30T11:00:02Z",
	} {
		text := strings.Repeat(stamp+" 10:00:02 gpu1 vllm[812]: "+inner+"\n", 3)
		n := 0
		_, err := serverlog.Probe(strings.NewReader(text), serverlog.Options{Year: 2026}, func(r serverlog.Record) error {
			n++
			if r.Fields.Time == nil || *r.Fields.Time != want || r.Fields.Running == nil || *r.Fields.Running != 3 {
				t.Errorf("%s: want 3 running at %s, got %+v", stamp, want, r.Fields)
			}
			return nil
		})
		if err != nil || n != 3 {
			t.Errorf("%s: want three records, got %d (%v)", stamp, n, err)
		}
	}
	for _, line := range []string{"Pro 12 10:00:00 is the plan, batch_size=3", "Avg 12 requests"} {
		s, err := serverlog.Probe(strings.NewReader("INFO "+line+"\n"), serverlog.Options{Format: "generic", Year: 2026}, nil)
		if err != nil || strings.HasPrefix(line, "Pro") && s.ByField["batch"] != 1 {
			t.Errorf("%s: want the rest of it read, got %+v (%v)", line, s, err)
		}
	}
}

package recording

import (
	"testing"
	"time"
)

// TestSizePerHour holds the format to its budget on a full stream: 200 requests
// a second and 8 GPUs take at most 40 MB an hour, keys as hashes included.
func TestSizePerHour(t *testing.T) {
	const budget, seconds = 40e6, 30
	for name, hashed := range map[string]bool{"keys in a row": false, "keys are hashes": true} {
		t.Run(name, func(t *testing.T) {
			w, err := newWriter("x", Header{}, nowhere())
			if err != nil {
				t.Fatal(err)
			}
			w.wait = time.Minute
			s := newStream(1, hashed)
			for range 20 { // fill the server
				s.second()
			}
			events := 0
			for range seconds {
				for _, b := range s.second() {
					w.Write(b)
					events += len(b.Events)
					settle(w)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			st := w.Stats()
			perHour := float64(st.Bytes) / seconds * 3600
			t.Logf("%d events, %.2f bytes each, %d blocks, %.1f MB an hour", events, float64(st.Bytes)/float64(events), st.Blocks, perHour/1e6)
			if perHour > budget {
				t.Errorf("want at most %.0f MB an hour, got %.1f", budget/1e6, perHour/1e6)
			}
			if st.Blocks < seconds-1 {
				t.Errorf("want a block a second, got %d in %d s", st.Blocks, seconds)
			}
		})
	}
}

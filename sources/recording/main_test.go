package recording

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"benchtop/model"
)

// childPath, in the environment, makes the test binary record there until it
// is killed.
const childPath = "BENCHTOP_TEST_RECORD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		recordUntilKilled(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// recordUntilKilled records a run in real time and prints the newest instant it
// gave to the writer.
func recordUntilKilled(path string) {
	w, err := Create(path, Header{ID: "child", Started: t0})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	s := newStream(7, false)
	for {
		for _, b := range s.second() {
			w.Write(b)
		}
		settle(w)
		fmt.Println(int64(s.now)) // blocks once nobody reads
	}
}

// settle waits until the disk has taken the closed blocks, as in a real second
// it would.
func settle(w *Writer) {
	for len(w.queue) > 0 {
		runtime.Gosched()
	}
}

// memory is a disk that keeps what it is given.
type memory struct {
	data   []byte
	synced bool
}

func (m *memory) disk() disk {
	return disk{
		write:    func(p []byte) (int, error) { m.data = append(m.data, p...); return len(p), nil },
		truncate: func(n int64) error { m.data = m.data[:n]; return nil },
		sync:     func() error { m.synced = true; return nil },
		close:    func() error { return nil },
	}
}

// record gives the bytes of a recording of batches.
func record(t testing.TB, batches ...*model.Batch) []byte {
	t.Helper()
	var m memory
	w, err := newWriter("memory", Header{ID: "id", Label: "label", Started: t0}, m.disk())
	if err != nil {
		t.Fatal(err)
	}
	w.wait = time.Minute // the machine that tests may be busy
	for _, b := range batches {
		w.Write(b)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !m.synced {
		t.Error("want the file synced at the end")
	}
	return m.data
}

// item is an event or a note, in the order in which they were recorded.
type item struct {
	ev   model.Event
	bits uint64
	note model.Note
}

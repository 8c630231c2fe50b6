package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/gpu"
)

// scripted is a Reader that plays a function of the second.
type scripted struct {
	began  time.Time
	read   func(sec int) ([]gpu.Reading, error)
	closed bool
}

func (s *scripted) Read(dst []gpu.Reading) ([]gpu.Reading, error) {
	if s.began.IsZero() {
		s.began = time.Now()
	}
	rs, err := s.read(int(time.Since(s.began).Seconds() + 0.5))
	return append(dst, rs...), err
}

func (s *scripted) Close() error { s.closed = true; return nil }

// watch runs a Source over r for some seconds.
func watch(t *testing.T, r gpu.Reader, seconds int) (got *told, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second+500*time.Millisecond)
		defer cancel()
		got = collect(t, func(out *sources.Outlet) {
			s := &gpu.Source{Reader: r}
			err = s.Run(ctx, out)
		})
	})
	return got, err
}

// The same conditions that the scenarios of TestNVML put to NVML.
func TestSource(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		name   string
		read   func(sec int) ([]gpu.Reading, error)
		id     model.SeriesID
		key    uint64
		want   []float64
		errors []string
	}{
		{"a reading each second", func(sec int) ([]gpu.Reading, error) {
			r := reading(noon.Add(time.Duration(sec)*time.Second), 0)
			r.Set(gpu.SMClock, float64(1980-sec))
			return []gpu.Reading{r}, nil
		}, model.GPUSMClock, 1, []float64{1980e6, 1979e6, 1978e6, 1977e6}, nil},
		{"unsupported", func(sec int) ([]gpu.Reading, error) {
			r := gpu.Reading{At: noon, UUID: "GPU-1"}
			r.Set(gpu.SMClock, 1755)
			r.Fail(gpu.Power, gpu.CodeNotSupported)
			return []gpu.Reading{r}, nil
		}, model.GPUPower, 1, nil, nil},
		{"a reading that fails now and then", func(sec int) ([]gpu.Reading, error) {
			r := reading(noon.Add(time.Duration(sec)*time.Second), 0)
			if sec == 1 {
				r.Fail(gpu.Power, gpu.CodeUnknown)
			}
			return []gpu.Reading{r}, nil
		}, model.GPUPower, 1, []float64{625.68, nan, 625.68, 625.68}, nil},
		{"lost: the other goes on", func(sec int) ([]gpu.Reading, error) {
			at := noon.Add(time.Duration(sec) * time.Second)
			a, b := reading(at, 0), reading(at, 1)
			if sec >= 2 {
				b.State, b.Held = gpu.Lost, true
			}
			return []gpu.Reading{a, b}, nil
		}, model.GPUSMClock, 1, []float64{1980e6, 1980e6, 1980e6, 1980e6}, nil},
		{"lost: its row is frozen", func(sec int) ([]gpu.Reading, error) {
			r := reading(noon.Add(time.Duration(sec)*time.Second), 1)
			if sec >= 2 {
				r.State, r.Held = gpu.Lost, true
			}
			return []gpu.Reading{r}, nil
		}, model.GPUSMClock, 2, []float64{1980e6, 1980e6}, nil},
		{"slow: values once, then the state", func(sec int) ([]gpu.Reading, error) {
			r := reading(noon, 0)
			r.Held = sec > 0
			if sec > 2 {
				r.State = gpu.Stale
			}
			return []gpu.Reading{r}, nil
		}, model.GPULost, 1, []float64{0, 0, 0, 1}, nil},
		{"none: said once, with the reason", func(int) ([]gpu.Reading, error) {
			return nil, errors.New("no GPU is visible")
		}, model.GPUSMClock, 1, nil, []string{"no GPU is visible"}},
		{"an error beside readings", func(int) ([]gpu.Reading, error) {
			return []gpu.Reading{reading(noon, 0)}, errors.New("odd")
		}, model.GPUTemp, 1, []float64{59, 59, 59, 59}, []string{"odd"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &scripted{read: tc.read}
			got, err := watch(t, r, 3)
			if err != nil {
				t.Errorf("want nil at the end of the context, got %v", err)
			}
			if !r.closed {
				t.Error("want the Reader closed")
			}
			wantValues(t, got, tc.id, tc.key, tc.want...)
			var said []string
			for _, n := range got.notesOf(model.NoteError) {
				said = append(said, n.Text)
			}
			if fmt.Sprint(said) != fmt.Sprint(tc.errors) {
				t.Errorf("want %q said, got %q", tc.errors, said)
			}
			if lines := total(got, model.SourceLines); lines < 4 {
				t.Errorf("want each poll counted, got %v", lines)
			}
		})
	}
}

func TestSourceEndsWithAReaderThatIsDown(t *testing.T) {
	r := &scripted{read: func(sec int) ([]gpu.Reading, error) {
		if sec == 2 {
			return nil, fmt.Errorf("%w: gone", gpu.ErrDown)
		}
		return []gpu.Reading{reading(noon, 0)}, nil
	}}
	_, err := watch(t, r, 10)
	if !errors.Is(err, gpu.ErrDown) || !r.closed {
		t.Errorf("want ErrDown and the Reader closed, got %v, %v", err, r.closed)
	}
}

func TestSourceOff(t *testing.T) {
	collect(t, func(out *sources.Outlet) {
		if err := (&gpu.Source{Choice: "off"}).Run(t.Context(), out); err != nil {
			t.Errorf("want nil, got %v", err)
		}
	})
}

func TestOpenUnknown(t *testing.T) {
	_, _, err := gpu.Open("cuda", gpu.Options{})
	if err == nil || err.Error() != `unknown GPU source "cuda": use auto, nvml, smi, dcgm:URL, file:PATH or off` {
		t.Errorf("want the choices named, got %v", err)
	}
	if _, _, err := gpu.Open("off", gpu.Options{}); !errors.Is(err, gpu.ErrOff) {
		t.Errorf("want ErrOff, got %v", err)
	}
}

func TestBackendNames(t *testing.T) {
	seen := map[string]bool{"auto": true, "off": true, "file": true}
	for _, b := range gpu.Backends {
		if b.Name == "" || b.Help == "" || seen[b.Name] {
			t.Errorf("want a name of its own and a line of help, got %q, %q", b.Name, b.Help)
		}
		seen[b.Name] = true
	}
}

func TestMain(m *testing.M) {
	// A scenario with a call that is stuck leaves its goroutine behind by
	// design: see watchdog.
	if os.Getenv("GPU_TEST_STUCK") != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

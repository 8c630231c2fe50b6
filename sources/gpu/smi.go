package gpu

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"benchtop/sources"
)

// smiReader reads what a looping nvidia-smi prints: one child for the whole
// run, for starting it anew takes seconds on a machine with many GPUs.
type smiReader struct {
	o      Options
	layout layout
	dog    watchdog // runs the loop that reads the child
	done   <-chan struct{}
	up     chan struct{} // closed with the first row
	stderr tailBuffer

	mu      sync.Mutex
	shelves map[int]*shelf
	bus     map[int]string
	message string // the last line that was no row
	end     error  // why the child is gone
	child   *os.Process
	out     io.Closer // our end of the loop's stdout
	closed  bool
	began   time.Time
}

// helpLimit is how long nvidia-smi may take to list the fields it knows.
const helpLimit = 10 * time.Second

// openSMI starts the child, after asking it which fields it knows.
func openSMI(o Options) (Reader, error) {
	if _, err := exec.LookPath(o.SMI[0]); err != nil {
		return nil, &unavailable{what: o.SMI[0] + " not found: no NVIDIA driver here, or not in PATH", next: "showing no GPU rows (try --gpu=file:PATH)"}
	}
	s := &smiReader{o: o, up: make(chan struct{}), shelves: make(map[int]*shelf), bus: make(map[int]string), began: time.Now()}
	s.done = s.dog.start(func() { s.run() })
	// A child that can't work says so at once; one that is slow may take its time.
	limit := time.NewTimer(o.pace.open)
	defer limit.Stop()
	select {
	case <-s.up:
	case <-limit.C:
	case <-s.done:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.end == nil {
			s.end = errors.New(s.dog.panicked())
		}
		return nil, &unavailable{what: s.end.Error(), next: "trying again", again: true}
	}
	return s, nil
}

// Read implements Reader.
func (s *smiReader) Read(dst []Reading) ([]Reading, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		return dst, fmt.Errorf("%w: %w", ErrDown, s.end)
	}
	now := time.Now()
	indexes := make([]int, 0, len(s.shelves))
	for i := range s.shelves {
		indexes = append(indexes, i)
	}
	slices.Sort(indexes)
	for _, i := range indexes {
		dst = append(dst, s.shelves[i].take(now, s.o.staleAfter()))
	}
	if waited := now.Sub(s.began); len(indexes) == 0 && waited > s.o.staleAfter() {
		if s.message != "" {
			return dst, fmt.Errorf("nvidia-smi: %s", s.message)
		}
		return dst, errors.New("nvidia-smi has printed no row yet: the driver is starting up or stuck")
	}
	return dst, nil
}

// Close implements Reader. It kills the child and does not wait for it, since
// one that hangs in the driver can't die.
func (s *smiReader) Close() error {
	s.kill()
	waitAll(s.o.pace.grace, s.done)
	return nil
}

// run asks for the known fields, starts the loop and reads it to its end.
func (s *smiReader) run() {
	err := s.loop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = errors.New("nvidia-smi ended by itself")
	}
	if last := s.stderr.last(); last != "" {
		s.message = last
	}
	if s.message != "" {
		err = fmt.Errorf("nvidia-smi: %s", s.message)
	}
	s.end = err
}

func (s *smiReader) loop() error {
	query := s.query()
	s.layout = layoutOf(query)
	cmd := s.command("--query-gpu="+query, "--format=csv", "-lms", strconv.FormatInt(s.o.Every.Milliseconds(), 10))
	cmd.Stderr = &s.stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start nvidia-smi: %w", err)
	}
	s.mu.Lock()
	s.out = out
	s.mu.Unlock()
	if err := s.start(cmd); err != nil {
		return fmt.Errorf("start nvidia-smi: %w", err)
	}
	s.read(out)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("nvidia-smi: %w", err)
	}
	return nil
}

// start starts the child that Close kills.
func (s *smiReader) start(cmd *exec.Cmd) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("closed")
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.child = cmd.Process
	return nil
}

func (s *smiReader) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.child != nil {
		_ = s.child.Kill() // it may have ended already
	}
	if s.out != nil {
		_ = s.out.Close() // what it started may still hold the other end
	}
}

func (s *smiReader) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.o.SMI[0], append(slices.Clone(s.o.SMI[1:]), args...)...)
	cmd.WaitDelay = s.o.pace.grace
	return cmd
}

// query is the fields to ask for: one that this nvidia-smi does not know would
// make all of it fail.
func (s *smiReader) query() string {
	var help bytes.Buffer
	cmd := s.command("--help-query-gpu")
	cmd.Stdout = &help
	if s.start(cmd) == nil {
		late := time.AfterFunc(helpLimit, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // without help we ask for everything
		late.Stop()
	}
	knows := make(map[string]bool)
	for i, part := range strings.Split(help.String(), `"`) {
		if i%2 == 1 {
			knows[part] = true
		}
	}
	var names []string
	for i := range columns {
		name := columns[i].names[0]
		for _, n := range columns[i].names {
			if knows[n] {
				name = n
				break
			}
		}
		if columns[i].is == colFault { // it may cost: what a file has of it is read
			continue
		}
		if len(knows) == 0 || knows[name] {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

func (s *smiReader) read(out io.Reader) {
	in := bufio.NewReaderSize(out, maxLine)
	for {
		line, err := in.ReadSlice('\n')
		if text := strings.TrimSpace(string(line)); text != "" && !errors.Is(err, bufio.ErrBufferFull) {
			s.line(text, time.Now())
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// line takes one line of the child.
func (s *smiReader) line(text string, now time.Time) {
	if _, ok := headerLayout(text); ok {
		return // by position, as asked for: the header has other names
	}
	r, err := s.layout.parse(text, time.UTC, sources.InstantOf(now))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.message = text
		s.lost(text, now)
		return
	}
	sh := s.shelves[r.Index]
	if sh == nil {
		if len(s.shelves) == 0 {
			close(s.up)
		}
		sh = newShelf(r.Index, now)
		s.shelves[r.Index] = sh
	}
	if r.bus != "" {
		s.bus[r.Index] = r.bus
	}
	if len(s.o.SMI) == 1 && !r.Has(MemTotal) && r.Err(MemTotal) == 0 && sharesMemory(r.Name) {
		r.share(s.o.proc) // nvidia-smi runs here, so this machine's memory is it
	}
	sh.put(r.Reading, now)
}

// lost marks the GPU that a message names: "Unable to determine the device
// handle for GPU0000:0A:00.0: GPU is lost. …"
func (s *smiReader) lost(text string, now time.Time) {
	_, rest, ok := strings.Cut(text, "device handle for GPU")
	if !ok {
		return
	}
	for i, bus := range s.bus {
		_, tail, ok := strings.Cut(bus, ":") // the domain has 4 digits in one and 8 in the other
		if sh := s.shelves[i]; ok && sh != nil && strings.Contains(strings.ToUpper(rest), strings.ToUpper(tail)) {
			r := sh.take(now, forever)
			r.freeze(Lost, CodeLost)
			sh.put(r, now)
		}
	}
}

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct {
	mu  sync.Mutex
	buf []byte
}

// Write implements io.Writer; it never fails.
func (t *tailBuffer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - 1024; extra > 0 {
		t.buf = t.buf[extra:]
	}
	return len(p), nil
}

// last is the last line that is not blank.
func (t *tailBuffer) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := bytes.TrimSpace(t.buf)
	return string(bytes.TrimSpace(b[bytes.LastIndexByte(b, '\n')+1:]))
}

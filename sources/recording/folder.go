package recording

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"benchtop/model"
)

// State says whether a recording has its end.
type State uint8

// The states of a recording.
const (
	Closed  State = iota // it has its end
	Cut                  // it lacks its end and nobody writes it: a kill, or a full disk
	Running              // it is being written, or this system can't say
)

var stateNames = [...]string{"closed", "cut", "running"}

// String is the state's word.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// Info is what a list of recordings shows of one.
type Info struct {
	Path        string
	Header      Header
	First, Last model.Instant // of its events; both 0 if it is empty
	Size        int64         // bytes
	Records     uint64        // events and notes
	State       State
}

// Duration is the time from the first event to the last.
func (i Info) Duration() time.Duration { return i.Last.Sub(i.First) }

// Stat describes the recording at path.
func Stat(path string) (Info, error) {
	r, err := Open(path)
	if err != nil {
		return Info{}, err
	}
	defer func() { _ = r.Close() }() // read only: nothing can be lost
	x, closed, err := r.survey()
	if err != nil {
		return Info{}, err
	}
	size, err := r.size()
	if err != nil {
		return Info{}, fmt.Errorf("read %s: %w", path, plainErr(err))
	}
	info := Info{Path: path, Header: r.header, First: x.first, Last: x.last, Size: size, Records: x.records}
	switch {
	case closed:
		info.State = Closed
	case r.recorded() == lockFree:
		info.State = Cut
	default:
		info.State = Running
	}
	return info, nil
}

// Dir is the folder of kept runs: benchtop/runs under XDG_STATE_HOME, or under
// .local/state of the home folder. It need not exist.
func Dir() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // the standard says to ignore such a value
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no folder for recordings: %w (set XDG_STATE_HOME or give --record FILE)", err)
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "benchtop", "runs"), nil
}

// NewPath makes the folder if need be, and gives a run that starts now an id
// and a path in it: the time to the second in UTC, what a file name can hold
// of the label, and a number if the name is taken.
func NewPath(dir string, started model.Instant, label string) (id, path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("folder for recordings %s: %w (give --record FILE)", dir, plainErr(err))
	}
	base := started.Time().UTC().Format("20060102-150405")
	if s := plainName(label); s != "" {
		base += "-" + s
	}
	id = base
	for n := 2; ; n++ {
		path = filepath.Join(dir, id+Ext)
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return id, path, nil
		}
		if err != nil {
			return "", "", fmt.Errorf("folder for recordings %s: %w (give --record FILE)", dir, plainErr(err))
		}
		id = base + "-" + strconv.Itoa(n)
	}
}

// plainName keeps of a label what is safe in a file name.
func plainName(label string) string {
	var b strings.Builder
	for _, c := range label {
		switch {
		case b.Len() >= 40:
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.' && b.Len() > 0:
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-.")
}

// List describes the recordings in dir, the newest first, by their start. Files
// that can't be read as one are left out and named in the error, which comes
// beside the list. A folder that doesn't exist holds none.
func List(dir string) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("folder for recordings %s: %w", dir, plainErr(err))
	}
	var infos []Info
	var bad []error
	for _, e := range entries {
		if !e.Type().IsRegular() || filepath.Ext(e.Name()) != Ext {
			continue
		}
		info, err := Stat(filepath.Join(dir, e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist): // pruned meanwhile
		case err != nil:
			bad = append(bad, err)
		default:
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(cmp.Compare(b.Header.Started, a.Header.Started), cmp.Compare(b.Path, a.Path))
	})
	return infos, errors.Join(bad...)
}

// Find resolves what a user calls a run: a path, a run id, the beginning of
// one, or a label; "last" is the newest. Of several runs with the same label
// the newest is meant; a beginning that fits several is an error that names
// them.
func Find(dir, name string) (string, error) {
	if fi, err := os.Stat(name); err == nil && !fi.IsDir() {
		return name, nil
	}
	if strings.ContainsRune(name, os.PathSeparator) || filepath.Ext(name) == Ext {
		return "", fmt.Errorf("recording %s: no such file (benchtop runs lists what is kept)", name)
	}
	infos, _ := List(dir) // a damaged neighbour is none of our business
	var fits []string
	var fitted string
	for _, i := range infos {
		switch {
		case name == "last", i.Header.ID == name:
			return i.Path, nil
		case strings.HasPrefix(i.Header.ID, name):
			fits, fitted = append(fits, i.Header.ID), i.Path
		}
	}
	for _, i := range infos {
		if i.Header.Label == name {
			return i.Path, nil
		}
	}
	switch len(fits) {
	case 0:
		return "", fmt.Errorf("run %q: not in %s (benchtop runs lists what is kept; or give a path)", name, dir)
	case 1:
		return fitted, nil
	}
	return "", fmt.Errorf("run %q: could be %s (give more of the id)", name, strings.Join(fits[:min(3, len(fits))], ", "))
}

// Prune removes the oldest recordings in dir until those in it take at most
// maxBytes, and returns their paths. It leaves alone what is being written,
// what it can't read as a recording, and the paths in keep.
func Prune(dir string, maxBytes int64, keep ...string) (removed []string, err error) {
	infos, _ := List(dir) // what can't be read is not ours to remove
	var total int64
	for _, i := range infos {
		total += i.Size
	}
	for _, i := range slices.Backward(infos) {
		if total <= maxBytes {
			break
		}
		if i.State == Running || slices.Contains(keep, i.Path) {
			continue
		}
		if e := os.Remove(i.Path); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("remove recording %s: %w", i.Path, plainErr(e)))
			continue
		}
		total -= i.Size
		removed = append(removed, i.Path)
	}
	return removed, err
}

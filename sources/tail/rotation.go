package tail

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"benchtop/sources"
)

// backups is how many numbered older files are searched: NAME.1 to NAME.9.
const backups = 9

// changed looks at the path. True says that it names another file than the
// newest stream; a path that is missing or unreadable for now changes nothing.
// still says that nothing can have been written since a look at the stream: one
// stat is all that a quiet file costs.
func (fl *follower) changed() (other, still bool) {
	fi, err := os.Stat(fl.path)
	switch {
	case err == nil && os.SameFile(fi, fl.newest().id):
		if fl.said != "" {
			fl.said = ""
			fl.t.event(EventOpened, fmt.Sprintf("%s can be read again", fl.path))
		}
		return false, fl.local && len(fl.streams) == 1 && fl.newest().still(fi)
	case err == nil:
		return true, false
	case !isAbsent(err): // absent: between rename and create
		fl.trouble(fl.t.explain(err).Error() + "; reading on what is open")
	}
	return false, false
}

// watch opens the path's new file, and the ones between, if it was rotated.
// still is as of changed.
func (fl *follower) watch() (still bool) {
	if len(fl.streams) >= maxStreams {
		return false
	}
	other, still := fl.changed()
	if other {
		fl.rotated()
	}
	return still
}

// rotated goes on to the file that the path names now.
func (fl *follower) rotated() {
	f, err := openRegular(fl.path)
	if err != nil {
		if !isAbsent(err) {
			fl.trouble(fl.t.explain(err).Error() + "; reading on what is open")
		}
		return
	}
	next, err := newStream(f)
	if err != nil || os.SameFile(next.id, fl.newest().id) {
		_ = f.Close() // read only
		return
	}
	between := fl.missed(next.id)
	fl.streams = append(fl.streams, between...)
	fl.streams = append(fl.streams, next)
	fl.t.stats.Rotations += int64(1 + len(between))
	text := fmt.Sprintf("%s was rotated; reading the new file", fl.path)
	if n := len(between); n > 0 {
		text = fmt.Sprintf("%s was rotated %d times at once; reading all the files", fl.path, n+1)
	}
	fl.t.event(EventRotated, text)
	fl.said = ""
}

// missed opens the files that were the path between our newest stream and next,
// oldest first: those numbered below the one that ours has become. It finds
// none when ours is not among the numbered ones, because then the numbered
// ones may be anything.
func (fl *follower) missed(next fs.FileInfo) []*stream {
	ours := fl.newest().id
	var found []*stream
	for i := 1; i <= backups && len(fl.streams)+len(found) < maxStreams; i++ {
		f, err := openRegular(fl.path + "." + strconv.Itoa(i))
		if err != nil {
			break
		}
		s, err := newStream(f)
		if err != nil {
			_ = f.Close() // read only
			break
		}
		if os.SameFile(s.id, ours) {
			s.close()
			reverse(found)
			return found
		}
		// A rotation while we look moves a file on to the next number.
		if os.SameFile(s.id, next) || len(found) > 0 && os.SameFile(s.id, found[len(found)-1].id) {
			s.close()
			continue
		}
		found = append(found, s)
	}
	for _, s := range found {
		s.close()
	}
	return nil
}

func reverse(list []*stream) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}

// readCopy reads on in the copy that copy-and-truncate made of s, if there is
// one beside it. It returns how many bytes it found.
func (fl *follower) readCopy(s *stream) int64 {
	names, err := filepath.Glob(globQuote(fl.path) + `[.\-]*`)
	if err != nil {
		return 0
	}
	for _, name := range names {
		f, err := openRegular(name)
		if err != nil {
			continue
		}
		n := int64(0)
		if fi, err := f.Stat(); err == nil && !os.SameFile(fi, s.id) && s.isCopy(f) {
			n = fl.readRest(s, f)
		}
		_ = f.Close() // read only
		if n > 0 {
			return n
		}
	}
	return 0
}

// readRest delivers what f holds beyond the position of s.
func (fl *follower) readRest(s *stream, f *os.File) (total int64) {
	for {
		n, err := f.ReadAt(fl.buf, s.pos)
		fl.t.feed(&s.split, fl.buf[:n], s.pos, mark{seen: sources.Now(), history: s.history})
		s.pos += int64(n)
		total += int64(n)
		if err != nil || n == 0 {
			return total
		}
	}
}

// globQuote takes away the special meaning of a path's own characters.
func globQuote(path string) string {
	quoted := make([]byte, 0, len(path)+8)
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			quoted = append(quoted, '\\')
		}
		quoted = append(quoted, path[i])
	}
	return string(quoted)
}

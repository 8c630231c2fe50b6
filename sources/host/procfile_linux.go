package host

import (
	"bytes"
	"errors"
	"strconv"
	"syscall"
)

// maxFile bounds what is read of one file. A socket table of 50,000 lines fits.
const maxFile = 8 << 20

// errTooLong says that a file is longer than maxFile: what it says is not known.
var errTooLong = errors.New("longer than 8 MiB")

// procFiles reads small files one after another into one buffer.
type procFiles struct{ buf []byte }

// read returns a file's content, valid until the next read. It goes to the
// kernel directly: thousands of os.Files a second would cost more than what is
// in them.
func (p *procFiles) read(path string) ([]byte, error) {
	fd, err := open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = syscall.Close(fd) }() // read only: nothing can be lost
	if p.buf == nil {
		p.buf = make([]byte, 16<<10)
	}
	n := 0
	for {
		if n == len(p.buf) {
			if n >= maxFile {
				return nil, errTooLong
			}
			p.buf = append(p.buf, make([]byte, len(p.buf))...)
		}
		k, err := syscall.Read(fd, p.buf[n:])
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return nil, err
		case k == 0:
			return p.buf[:n], nil
		default:
			n += k
		}
	}
}

func open(path string) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if !errors.Is(err, syscall.EINTR) {
			return fd, err
		}
	}
}

// number reads a file that holds one number.
func (p *procFiles) number(path string) (float64, bool) {
	b, err := p.read(path)
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(bytes.TrimSpace(b)), 64)
	return v, err == nil && v >= 0
}

// word cuts the next field off a line; the rest follows. Fields are separated
// by spaces and tabs.
func word(b []byte) (w, rest []byte) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	j := i
	for j < len(b) && b[j] != ' ' && b[j] != '\t' && b[j] != '\n' {
		j++
	}
	return b[i:j], b[j:]
}

// line cuts the next line off a file.
func line(b []byte) (l, rest []byte) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// decimal reads a whole number without sign; ok is false for anything else.
func decimal(b []byte) (v uint64, ok bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, true
}

// hex reads a hexadecimal number of up to 16 digits.
func hex(b []byte) (v uint64, ok bool) {
	if len(b) == 0 || len(b) > 16 {
		return 0, false
	}
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		default:
			return 0, false
		}
		v = v<<4 | uint64(c)
	}
	return v, true
}

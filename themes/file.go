package themes

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

//go:embed *.yaml
var embedded embed.FS

// DefaultName is the theme used when nobody chose one.
const DefaultName = "dark"

// ErrUnknown is wrapped by the error for a name that no theme has.
var ErrUnknown = errors.New("unknown theme")

type file struct {
	Name  string          `yaml:"name"`
	About string          `yaml:"about"`
	Light bool            `yaml:"light"`
	Roles map[string]spec `yaml:"roles"`
}

type spec struct {
	RGB  string `yaml:"rgb"`
	C256 *int   `yaml:"c256"`
	C16  string `yaml:"c16"`
	Mono string `yaml:"mono"`
}

// Parse reads one theme file. Every role must be set at every depth; unknown
// keys are errors with line and column.
func Parse(data []byte) (theme *Theme, err error) {
	defer func() { // the YAML library panics on some broken texts
		if r := recover(); r != nil {
			theme, err = nil, fmt.Errorf("no YAML that can be read: %v", r)
		}
	}()
	if err := checkAliases(data); err != nil {
		return nil, err
	}
	var f file
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&f); err != nil {
		return nil, err
	}
	if f.Name == "" {
		return nil, errors.New("theme has no name: add a line such as name: mine")
	}
	t := &Theme{Name: f.Name, About: f.About, Light: f.Light}
	set := [roleCount]bool{}
	for name, s := range f.Roles {
		r, ok := roleByName(name)
		if !ok {
			return nil, fmt.Errorf("theme %s: no role is called %q", f.Name, name)
		}
		ink, err := s.ink()
		if err != nil {
			return nil, fmt.Errorf("theme %s, role %s: %w", f.Name, name, err)
		}
		t.inks[r], set[r] = ink, true
	}
	for r, ok := range set {
		if !ok {
			return nil, fmt.Errorf("theme %s: role %s is not set", f.Name, Role(r))
		}
	}
	return t, nil
}

func (s spec) ink() (Ink, error) {
	var k Ink
	hex := strings.TrimPrefix(s.RGB, "#")
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		return k, fmt.Errorf("rgb %q is not of the form #rrggbb", s.RGB)
	}
	k.RGB = [3]uint8{uint8(n >> 16), uint8(n >> 8), uint8(n)}
	if s.C256 == nil || *s.C256 < 0 || *s.C256 > 255 {
		return k, errors.New("c256 must be 0 to 255")
	}
	k.C256 = *s.C256
	k.C16 = DefaultColor
	if s.C16 != "default" {
		c, err := strconv.Atoi(s.C16)
		if err != nil || c < 0 || c > 15 {
			return k, fmt.Errorf("c16 %q must be 0 to 15 or default", s.C16)
		}
		k.C16 = c
	}
	for word := range strings.FieldsSeq(s.Mono) {
		i := slices.Index(attrNames[:], word)
		if i < 0 {
			return k, fmt.Errorf("mono %q: attributes are %s", word, strings.Join(attrNames[:], ", "))
		}
		k.Mono |= 1 << i
	}
	return k, nil
}

var attrNames = [...]string{"bold", "faded", "italic", "underline", "reverse"}

// Builtin is every embedded theme, the default first, the others by name.
func Builtin() ([]*Theme, error) {
	all, err := Folder(embedded)
	slices.SortStableFunc(all, func(a, b *Theme) int {
		switch DefaultName {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all, err
}

// Folder reads every *.yaml of a folder, in name order. Files that cannot be
// used are reported together in the error, next to the themes that can.
func Folder(dir fs.FS) ([]*Theme, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, err
	}
	var out []*Theme
	var bad []error
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		t, err := Parse(data)
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", path.Base(name), err))
			continue
		}
		out = append(out, t)
	}
	return out, errors.Join(bad...)
}

// Find is the theme with the given name among all.
func Find(all []*Theme, name string) (*Theme, error) {
	var names []string
	for _, t := range all {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return nil, fmt.Errorf("%w %q: there are %s", ErrUnknown, name, strings.Join(names, ", "))
}

// mostAliases bounds how often a YAML text may refer to another part of itself:
// each level of such references multiplies what a reader has to hold.
const mostAliases = 16

// checkAliases refuses a text that would grow without end when it is read.
// Log profiles have the same guard in sources/serverlog: themes and sources may
// not know each other, and it is too small for a package that both may.
func checkAliases(data []byte) error {
	n := 0
	for _, t := range lexer.Tokenize(string(data)) {
		if t.Type == token.AliasType {
			n++
		}
	}
	if n > mostAliases {
		return fmt.Errorf("%d aliases (*name) in it: at most %d", n, mostAliases)
	}
	return nil
}

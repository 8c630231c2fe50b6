package tail

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"benchtop/model"
)

// Kind says what a place is.
type Kind uint8

// The kinds of places. A path counts as File until it is opened.
const (
	File  Kind = iota // a regular file, or a path that is not there yet
	FIFO              // a named pipe, or a device that is read like one
	Stdin             // standard input
	Exec              // a child command
)

// String is the word used in texts for users.
func (k Kind) String() string {
	switch k {
	case FIFO:
		return "pipe"
	case Stdin:
		return "standard input"
	case Exec:
		return "command"
	}
	return "file"
}

// Spec is one SPEC of the command line: where lines come from and what is
// known of them beforehand.
type Spec struct {
	Label   string         // "" if none was given
	Place   string         // as given: a path, "-" or "exec:COMMAND"
	Command string         // what follows "exec:"
	Format  string         // "" asks for guessing
	Zone    *time.Location // of stamps without a zone; nil if not given
	Year    int            // of stamps without a year; 0 if not given
	Start   model.Instant  // second 0 of stamps that count from a start; 0 if not given
	Kind    Kind
}

// Name is what a screen calls the source: its label, or else its place.
func (s Spec) Name() string {
	if s.Label != "" {
		return s.Label
	}
	return s.Place
}

var (
	labelPattern  = regexp.MustCompile(`^[A-Za-z0-9_.-]+=`)
	optionPattern = regexp.MustCompile(`^(format|zone|year|start)=(.*)$`)
	offsetPattern = regexp.MustCompile(`^[+-]\d\d:?\d\d$`)
	urlPattern    = regexp.MustCompile(`^https?://`)
	strayPattern  = regexp.MustCompile(`,[a-z]+=[^,/]*$`)
)

const specShape = "[LABEL=]PLACE[,format=NAME][,zone=ZONE][,year=YYYY][,start=TIME]"

// ParseSpec reads [LABEL=]PLACE[,format=NAME][,zone=ZONE][,year=YYYY][,start=TIME].
// PLACE is a path, "-" for standard input, or exec:COMMAND. A label is letters,
// digits, "_", "." and "-" only, so exec:kubectl logs -l app=x has none; options
// count only at the end and only with these names. Zone is a name of the zone
// database, "local" or an offset such as +02:00; start is RFC 3339. Whether the
// format exists is the caller's to check. Errors are one line with the next step.
func ParseSpec(text string) (Spec, error) {
	s := Spec{Place: text}
	if m := labelPattern.FindString(text); m != "" {
		s.Label, s.Place = strings.TrimSuffix(m, "="), text[len(m):]
	}
	seen := make(map[string]bool)
	for {
		i := strings.LastIndexByte(s.Place, ',')
		if i < 0 {
			break
		}
		m := optionPattern.FindStringSubmatch(s.Place[i+1:])
		if m == nil {
			break
		}
		if seen[m[1]] {
			return Spec{}, fmt.Errorf("source %q: %s= is given twice (leave one out)", text, m[1])
		}
		seen[m[1]] = true
		if err := s.set(m[1], m[2]); err != nil {
			return Spec{}, fmt.Errorf("source %q: %w", text, err)
		}
		s.Place = s.Place[:i]
	}
	if err := s.place(); err != nil {
		return Spec{}, fmt.Errorf("source %q: %w", text, err)
	}
	return s, nil
}

// place finds out what kind of place was given.
func (s *Spec) place() error {
	command, isCommand := strings.CutPrefix(s.Place, "exec:")
	switch {
	case s.Place == "":
		return fmt.Errorf("no place (give a path, - or exec:COMMAND, as in %s)", specShape)
	case s.Place[0] == '=':
		return fmt.Errorf("empty label before = (leave the = out, or write ./ before a name that begins with one)")
	case urlPattern.MatchString(s.Place):
		return fmt.Errorf("a URL is no log or stream (an endpoint is given with --metrics, a remote log with exec:ssh HOST tail -F FILE)")
	case s.Place == "-":
		s.Kind = Stdin
	case isCommand:
		s.Kind, s.Command = Exec, strings.TrimSpace(command)
		if s.Command == "" {
			return fmt.Errorf("exec: without a command (write exec:docker logs -f NAME, for example)")
		}
	}
	return nil
}

func (s *Spec) set(name, value string) error {
	if value == "" {
		return fmt.Errorf("%s= is empty (give a value or leave it out)", name)
	}
	switch name {
	case "format":
		s.Format = value
	case "zone":
		zone, err := parseZone(value)
		if err != nil {
			return err
		}
		s.Zone = zone
	case "year":
		y, err := strconv.Atoi(value)
		if err != nil || y < 1970 || y > 9999 {
			return fmt.Errorf("year=%s is no year (write four digits, such as year=2026)", value)
		}
		s.Year = y
	case "start":
		t, err := time.Parse(time.RFC3339Nano, value)
		if err != nil {
			return fmt.Errorf("start=%s is no time (write RFC 3339, such as start=2026-11-30T14:00:00Z)", value)
		}
		s.Start = model.InstantOf(t)
	}
	return nil
}

// parseZone takes a name of the zone database, "local" or an offset.
func parseZone(value string) (*time.Location, error) {
	switch {
	case strings.EqualFold(value, "local"):
		return time.Local, nil
	case value == "Z" || strings.EqualFold(value, "utc"):
		return time.UTC, nil
	case offsetPattern.MatchString(value):
		t, err := time.Parse("-0700", strings.ReplaceAll(value, ":", ""))
		if err == nil {
			_, offset := t.Zone()
			return time.FixedZone(value, offset), nil
		}
	}
	zone, err := time.LoadLocation(value)
	if err != nil {
		return nil, fmt.Errorf("zone=%s is not known here (write UTC, local, an offset such as +02:00, or a name such as Europe/Paris)", value)
	}
	return zone, nil
}

package host

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Declared is what a load generator's command line says of its run: the name of
// the tool, "" if it is not known, and the settings its flags state.
func Declared(argv []string) (name string, all []Setting) {
	for i := range argv[:min(len(argv), 8)] { // behind env, timeout, stdbuf and the like
		if t, args := identify(argv[i:]); t != nil {
			if t.Role != RoleLoad {
				return "", nil
			}
			return t.Name, t.declared(args)
		}
	}
	return "", nil
}

// declared reads the settings of a tool out of its arguments.
func (t *Tool) declared(args []string) (all []Setting) {
	for _, s := range t.settings {
		text, ok := flag(args, s.flags...)
		if v := quantity(text); ok && v > 0 && !math.IsInf(v, 0) {
			all = append(all, Setting{s.name, v * s.unit, s.flags[0]})
		}
	}
	return all
}

// quantity reads a number with what may stand behind it on a command line: a
// length of time (60s is 60), or a rate by time (50/1s, 3000/m is 50). NaN if it
// is none.
func quantity(text string) float64 {
	number, per, isRate := strings.Cut(text, "/")
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case err == nil && !isRate:
		return v
	case err == nil:
		if per != "" && (per[0] < '0' || per[0] > '9') {
			per = "1" + per
		}
		d, err := time.ParseDuration(per)
		if err != nil || d <= 0 {
			return math.NaN()
		}
		return v / d.Seconds()
	}
	d, err := time.ParseDuration(number)
	if err != nil || isRate {
		return math.NaN()
	}
	return d.Seconds()
}

package cli

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"benchtop/model"
)

// kind is what a declared key holds.
type kind int

const (
	aText kind = iota
	aNumber
	aDuration
	aSwitch
)

// key is one key that can be declared.
type key struct {
	name    string
	kind    kind
	setting string // of the model, "" if no rule asks for it
}

// loadKeys are what a load test must say of itself, in the order in which
// check and report list them; those left out are implicit.
var loadKeys = []key{
	{"target", aText, ""},
	{"concurrency", aNumber, "target_concurrency"},
	{"connections", aNumber, "client_connections"},
	{"keep_alive", aSwitch, ""},
	{"request_timeout", aDuration, "client_timeout_s"},
	{"duration", aDuration, ""},
	{"payload", aText, ""},
	{"report_json", aText, ""},
}

// configKeys are what a configuration says of itself.
var configKeys = []key{
	{"model_path", aText, ""},
	{"batch_size", aNumber, "max_batch"},
	{"threads", aNumber, ""},
	{"warmup_rounds", aNumber, ""},
	{"input_data", aText, ""},
	{"log_level", aText, ""},
}

// takeLoad reads load: as a declaration. Its key stream names load streams, as
// --load does.
func (f *runFile) takeLoad(section yaml.MapSlice) error {
	var rest yaml.MapSlice
	for _, item := range section {
		if fmt.Sprint(item.Key) != "stream" {
			rest = append(rest, item)
			continue
		}
		v, err := texts(item.Value)
		if err != nil {
			return fmt.Errorf("stream: %w", err)
		}
		f.flags["load"] = v
	}
	return f.takeDeclared(rest, loadKeys, &f.load, "stream")
}

// takeConfig reads config: as a declaration. Its key file is --config.
func (f *runFile) takeConfig(section yaml.MapSlice) error {
	var rest yaml.MapSlice
	for _, item := range section {
		switch fmt.Sprint(item.Key) {
		case "file":
			v, err := oneText(item.Value)
			if err != nil {
				return fmt.Errorf("file: %w", err)
			}
			f.flags["config"] = []string{v}
		case "env":
			if err := f.takeEnv(item.Value); err != nil {
				return err
			}
		default:
			rest = append(rest, item)
		}
	}
	return f.takeDeclared(rest, configKeys, &f.config, "env", "file")
}

// takeDeclared reads a section's keys; others are those that were read before.
func (f *runFile) takeDeclared(section yaml.MapSlice, keys []key, into *[]declared, others ...string) error {
	for _, item := range section {
		name := fmt.Sprint(item.Key)
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		if i < 0 {
			return errors.New(name + ": no such key" + near(name, append(keyNames(keys), others...)))
		}
		if err := declare(into, keys[i], item.Value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func keyNames(keys []key) []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.name)
	}
	return out
}

// takeEnv reads the environment that the file says the test has: names with
// values, or a list of NAME=VALUE. Secrets are not kept.
func (f *runFile) takeEnv(value any) error {
	add := func(name, v string) {
		if secretName.MatchString(name) {
			v = "•••"
		}
		f.config = append(f.config, declared{key{name: "env." + name}, redact(v), math.NaN()})
	}
	if section, ok := value.(yaml.MapSlice); ok {
		for _, item := range section {
			v, err := oneText(item.Value)
			if err != nil {
				return fmt.Errorf("env: %v: %w", item.Key, err)
			}
			add(fmt.Sprint(item.Key), v)
		}
		return nil
	}
	list, err := texts(value)
	if err != nil {
		return fmt.Errorf("env: %w", err)
	}
	for _, s := range list {
		name, v, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return fmt.Errorf("env: %q: want NAME=VALUE", s)
		}
		add(name, v)
	}
	return nil
}

// declare checks one value and keeps it.
func declare(into *[]declared, k key, value any) error {
	if value == nil {
		return nil // written without a value: left out
	}
	text, err := oneText(value)
	if err != nil {
		return err
	}
	d := declared{k, text, math.NaN()}
	switch k.kind {
	case aNumber:
		if d.value, err = strconv.ParseFloat(text, 64); err != nil || !(d.value >= 0) || math.IsInf(d.value, 0) {
			return fmt.Errorf("%q: want a number", text)
		}
	case aDuration:
		t, err := time.ParseDuration(text)
		if err != nil || t < 0 {
			return fmt.Errorf("%q: want a time such as 60s", text)
		}
		d.value = t.Seconds()
	case aSwitch:
		if _, err := strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%q: want true or false", text)
		}
	case aText:
	}
	*into = append(*into, d)
	return nil
}

// takeThresholds changes thresholds of the rules: each field of the model's
// struct by its name, raise_s for RaiseS.
func (f *runFile) takeThresholds(section yaml.MapSlice) error {
	th := model.DefaultThresholds()
	v := reflect.ValueOf(&th).Elem()
	var known []string
	for i := range v.NumField() {
		known = append(known, snake(v.Type().Field(i).Name))
	}
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, item := range section {
		key := fmt.Sprint(item.Key)
		i := slices.IndexFunc(known, func(k string) bool { return plain(k) == plain(key) })
		if i < 0 {
			return errors.New(key + ": no such threshold" + near(key, known))
		}
		text, err := oneText(item.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 || v.Field(i).Kind() != reflect.Float64 {
			return fmt.Errorf("%s: %q: want a number", key, text)
		}
		v.Field(i).SetFloat(x)
	}
	f.thresholds = &th
	return nil
}

// snake is a field's name as it is written in a file: RaiseServerS is
// raise_server_s, MinOK min_ok.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		up := r >= 'A' && r <= 'Z'
		if up && i > 0 {
			before := name[i-1] >= 'a' && name[i-1] <= 'z' || name[i-1] >= '0' && name[i-1] <= '9'
			after := i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' && name[i-1] >= 'A' && name[i-1] <= 'Z'
			if before || after {
				b.WriteByte('_')
			}
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// notes are what the file declares, as the run's first events.
func (f *runFile) notes(now model.Instant) []model.Note {
	if f == nil {
		return nil
	}
	var out []model.Note
	fact := func(name, text string) {
		out = append(out, model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: name, Text: redact(text)})
	}
	set := func(name, from string, v float64) {
		if name != "" && v > 0 {
			out = append(out, model.Note{At: now, Seen: now, Kind: model.NoteConfig, Name: name, Value: v, Text: "run file " + from + " (declared)"})
		}
	}
	if f.goal != "" {
		fact("goal", f.goal)
	}
	for _, d := range f.load {
		fact("load."+d.name, d.text)
		set(d.setting, "load."+d.name, d.value)
	}
	for _, d := range f.config {
		fact("config."+d.name, d.text)
		set(d.setting, "config."+d.name, d.value)
	}
	return out
}

// implicit are the load keys that nobody wrote down.
func (f *runFile) implicit() []string {
	var out []string
	for _, k := range loadKeys {
		if f == nil || !slices.ContainsFunc(f.load, func(d declared) bool { return d.name == k.name }) {
			out = append(out, k.name)
		}
	}
	return out
}

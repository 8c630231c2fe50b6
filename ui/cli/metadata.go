package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/host"
)

// keepFlags say what is written about the run's surroundings and how long it
// is kept going.
type keepFlags struct {
	code      string
	config    string
	noRedact  bool
	keepGoing bool
}

func (f *keepFlags) add(s *pflag.FlagSet) {
	s.StringVar(&f.code, "code", "", "keep the Git commit of this `DIR`, and whether it has uncommitted changes")
	s.StringVar(&f.config, "config", "", "keep this `FILE`'s path and hash with the run")
	s.BoolVar(&f.noRedact, "no-redact", false, "keep command lines and URLs as they are (default: without passwords, keys and queries)")
	s.BoolVar(&f.keepGoing, "keep-going", false, "go on recording when the terminal hangs up (benchtop attach shows it again)")
}

// metadata is the source that tells what the run was made with and what the
// machine was like before and after it. It reads files and asks git; it never
// holds up the start of a run, and what it can't find out it leaves out.
type metadata struct {
	keep keepFlags
	args []string
	env  []string
	file string // of --run-file
}

// newMetadata tells of a run that file (of --run-file, or "") describes.
func newMetadata(stdio Stdio, keep keepFlags, file string) *metadata {
	return &metadata{keep: keep, args: stdio.Args, env: stdio.Env, file: file}
}

// Name implements sources.Source.
func (m *metadata) Name() string { return "surroundings" }

// settling is how long the machine is looked at before and for its state at the
// start.
const settling = time.Second

// Run implements sources.Source.
func (m *metadata) Run(ctx context.Context, out *sources.Outlet) error {
	t := teller{out}
	before, _ := host.StartSurvey(host.Scene{}, "", "") // not here: nothing to tell
	m.tell(ctx, t)
	out.Flush()
	wait := time.NewTimer(settling)
	defer wait.Stop()
	select {
	case <-ctx.Done():
	case <-wait.C:
	}
	if before != nil {
		t.environment("check.before.", before)
	}
	out.Flush()
	during, _ := host.StartSurvey(host.Scene{}, "", "")
	<-ctx.Done()
	if during != nil {
		t.environment("check.after.", during)
	}
	return nil
}

// teller turns what was found into facts of the run.
type teller struct{ out *sources.Outlet }

func (t teller) fact(name, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if len(text) > 2000 {
		text = text[:2000] + "…"
	}
	now := sources.Now()
	t.out.Note(model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: name, Text: oneLine(text)})
}

func (t teller) environment(prefix string, s *host.Survey) {
	for _, r := range hostRows(s.End(), &host.Scene{}) {
		t.fact(prefix+r.ID, string(r.State)+": "+r.Value)
	}
}

func (m *metadata) tell(ctx context.Context, t teller) {
	t.fact("benchtop", Version())
	t.fact("flags", strings.Join(m.redacted(m.args), " "))
	if !m.keep.noRedact {
		t.fact("redacted", "command lines and URLs are kept without passwords, keys and queries")
	}
	if m.file != "" {
		t.fact("run_file", m.file)
		t.fact("run_file_sha256", fileHash(m.file))
	}
	if m.keep.config != "" {
		t.fact("config_file", m.keep.config)
		t.fact("config_sha256", fileHash(m.keep.config))
	}
	m.machine(t)
	m.server(t)
	for _, kv := range m.env {
		if name, v, ok := strings.Cut(kv, "="); ok && v != "" && mayKeep(name) {
			t.fact("env."+name, m.clean(v))
		}
	}
	if m.keep.code != "" {
		m.commit(ctx, t)
	}
}

// clean is one word without what must not be passed on.
func (m *metadata) clean(v string) string {
	if m.keep.noRedact {
		return v
	}
	return redact(v)
}

// redacted leaves out what must not be passed on.
func (m *metadata) redacted(args []string) []string {
	out := slices.Clone(args)
	if m.keep.noRedact {
		return out
	}
	for i, a := range out {
		out[i] = urlQuery.ReplaceAllString(a, "${1}?"+sources.Hidden)
	}
	return sources.RedactArgs(out)
}

// urlQuery is what of an address may hold anything at all.
var urlQuery = regexp.MustCompile(`(://[^\s?#'"]+)\?[^\s'"]*`)

// redact takes passwords, keys and queries out of one word of a command line.
func redact(s string) string {
	return sources.Redact(urlQuery.ReplaceAllString(s, "${1}?"+sources.Hidden))
}

// allowedEnv are the beginnings of environment variables that change how fast
// things run; names that look like secrets are left out all the same.
var allowedEnv = []string{
	"CUDA_", "NVIDIA_", "NCCL_", "OMP_", "MKL_", "OPENBLAS_", "KMP_", "PYTORCH_", "TORCH_", "TORCHINDUCTOR_", "TF_GPU_", "TF_XLA_", "TF_ENABLE_", "TF_FORCE_", "XLA_", "TRITON_", "TRTLLM_", "TENSORRT_",
	"VLLM_", "SGLANG_", "SGL_", "LLAMA_", "GGML_", "OLLAMA_", "LMDEPLOY_", "TGI_", "RAY_", "TOKENIZERS_", "GOMAXPROCS", "GOGC", "MALLOC_", "LD_PRELOAD", "BENCHTOP_",
}

var secretName = regexp.MustCompile(`(?i)key|token|secret|pass|auth|credential|cookie|url|uri|proxy|address|host`)

func mayKeep(name string) bool {
	return !secretName.MatchString(name) && slices.ContainsFunc(allowedEnv, func(p string) bool { return strings.HasPrefix(name, p) })
}

func fileHash(path string) string {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return "" // opening a pipe would wait for its writer
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, 1<<28)); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// machine tells the hardware and the system.
func (m *metadata) machine(t teller) {
	if name, err := os.Hostname(); err == nil {
		t.fact("host", name)
	}
	t.fact("kernel", firstLine("/proc/sys/kernel/osrelease"))
	t.fact("cpu", keyLine("/proc/cpuinfo", "model name"))
	t.fact("cpu_count", fmt.Sprint(runtime.NumCPU()))
	t.fact("mem_total", keyLine("/proc/meminfo", "MemTotal"))
	if strings.Contains(" "+keyLine("/proc/cpuinfo", "flags")+" ", " hypervisor ") {
		t.fact("virtualisation", strings.TrimSpace("yes "+firstLine("/sys/class/dmi/id/product_name")))
	}
	var disks []string
	models, _ := filepath.Glob("/sys/block/*/device/model") // the pattern is right
	for _, p := range models {
		if s := firstLine(p); s != "" {
			disks = append(disks, s)
		}
	}
	t.fact("disk", strings.Join(disks, ", "))
	t.fact("cuda", strings.TrimPrefix(firstLine("/usr/local/cuda/version.txt"), "CUDA Version "))
	t.fact("uptime_s", strings.SplitN(firstLine("/proc/uptime")+" ", " ", 2)[0])
}

func firstLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return strings.TrimSpace(string(line))
}

// keyLine is the value behind "key :" in a file of such lines.
func keyLine(path, key string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	for s := bufio.NewScanner(f); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// server tells which engine was found on this machine, and what it was started
// with.
func (m *metadata) server(t teller) {
	scene, err := host.Look("")
	if err != nil || len(scene.Servers) == 0 {
		return
	}
	s := scene.Servers[0]
	t.fact("engine", s.Tool.Name)
	t.fact("model", s.Model)
	var set []string
	for _, v := range s.Settings {
		set = append(set, fmt.Sprintf("%s=%g (%s)", v.Name, v.Value, v.Flag))
	}
	t.fact("engine_args", strings.Join(set, ", "))
	t.fact("engine_cuda_devices", s.Visible)
	t.fact("engine_place", s.Place)
}

// gitWait bounds how long git may take: a huge tree on a slow disk must not
// keep us from telling the rest.
const gitWait = 5 * time.Second

func (m *metadata) commit(ctx context.Context, t teller) {
	dir, err := filepath.Abs(m.keep.code)
	if err != nil {
		dir = m.keep.code
	}
	t.fact("code_dir", dir)
	commit, err := git(ctx, dir, "rev-parse", "HEAD")
	if err != nil {
		t.fact("code_commit", "unknown: "+err.Error())
		return
	}
	t.fact("code_commit", commit)
	dirty, err := git(ctx, dir, "status", "--porcelain", "--untracked-files=normal")
	switch {
	case err != nil:
		t.fact("code_dirty", "unknown: "+err.Error())
	case dirty == "":
		t.fact("code_dirty", "no")
	default:
		t.fact("code_dirty", fmt.Sprintf("yes: %d files", strings.Count(dirty, "\n")+1))
	}
}

// git asks about a folder without touching it: no lock, no prompt.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, gitWait)
	defer stop()
	c := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	c.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("git took longer than %s", gitWait)
	case ctx.Err() != nil:
		return "", errors.New("the run ended before git answered")
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("git is not installed")
	}
	line, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
	return "", errors.New(strings.TrimPrefix(line, "fatal: "))
}

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	shellWord  = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)
)

// TestReadmeRecipes takes each benchtop command out of the README's recipes and
// parses it as the program would: a command, flag or value that is no more
// fails here before it fails a reader.
func TestReadmeRecipes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		for _, line := range strings.Split(strings.ReplaceAll(block[1], "\\\n", " "), "\n") {
			line, _, _ = strings.Cut(line, " #")
			for _, part := range strings.Split(line, " | ") {
				words := shellWord.FindAllString(strings.TrimSpace(part), -1)
				switch {
				case len(words) > 0 && words[0] == "benchtop":
					words = words[1:]
				case len(words) > 2 && words[0] == "go" && words[1] == "run" && words[2] == ".":
					words = words[3:]
				default:
					continue
				}
				n++
				for i, w := range words {
					words[i] = strings.Trim(w, `'"`)
				}
				cmd, rest, err := newRoot(Stdio{}).Find(words)
				if err != nil {
					t.Errorf("%s: %v", part, err)
					continue
				}
				if err := cmd.ParseFlags(rest); err != nil && !strings.Contains(err.Error(), "help requested") {
					t.Errorf("%s: %v", part, err)
				}
			}
		}
	}
	if n < 15 {
		t.Errorf("want the README's recipes, found %d commands", n)
	}
}

// TestCompletions: they are made, and the shells that are here can read them.
func TestCompletions(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "--no-execute"}, "powershell": nil} {
		t.Run(shell, func(t *testing.T) {
			code, out, errs := ask(t, "completion", shell)
			if code != 0 || !strings.Contains(out, "benchtop") || len(out) < 2000 || errs != "" {
				t.Fatalf("want its text, got %d, %d bytes, %s", code, len(out), errs)
			}
			lint(t, "benchtop."+shell, out, check...)
		})
	}
}

// lint has a program look at a text, where it is here.
func lint(t *testing.T, name, text string, check ...string) {
	t.Helper()
	if len(check) == 0 {
		return
	}
	if _, err := exec.LookPath(check[0]); err != nil {
		t.Skipf("no %s here to look at it", check[0])
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(check[0], append(check[1:], path)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=80", "MANROFFOPT=", "MANPAGER=cat")
	if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), "warning") || strings.Contains(string(said), "error:") {
		t.Errorf("%v: %v\n%.2000s", check, err, said)
	}
}

// TestManualPageIsRoff has what formats manual pages look at ours.
func TestManualPageIsRoff(t *testing.T) {
	_, page, _ := ask(t, "man")
	for _, check := range [][]string{{"groff", "-man", "-Tutf8", "-ww", "-z", "-K", "utf8"}, {"mandoc", "-Tlint", "-Wwarning"}, {"man", "--warnings", "-l"}} {
		t.Run(check[0], func(t *testing.T) { lint(t, "benchtop.1", page, check...) })
	}
}

// TestHelpOnNothing is bad usage, not the whole help.
func TestHelpOnNothing(t *testing.T) {
	for _, args := range [][]string{{"completion", "tcsh"}, {"help", "nothing"}} {
		code, out, errs := ask(t, args...)
		if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, args[1]) {
			t.Errorf("%v: want 2 and one line, got %d, %q, %.100s", args, code, errs, out)
		}
	}
	for _, args := range [][]string{{"help"}, {"help", "watch"}, {"help", "completion"}, {"completion", "--help"}, {"help", "baseline", "set"}} {
		if code, out, errs := ask(t, args...); code != 0 || len(out) < 100 || errs != "" {
			t.Errorf("%v: want help, got %d, %q, %.100s", args, code, errs, out)
		}
	}
}

// TestManualPage: it goes to the stream that was given, names the commands, and
// is dated as it was told, not today.
func TestManualPage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	code, out, errs := ask(t, "man")
	if code != 0 || !strings.Contains(out, "2001-09-09") || errs != "" {
		t.Errorf("want a page of 2001-09-09, got %d, %.200s%s", code, out, errs)
	}
	for _, name := range []string{"watch", "run", "demo", "probe", "replay", "report", "compare", "check", "rounds", "runs", "attach"} {
		if !strings.Contains(out, `\fB`+name+`\fP`) {
			t.Errorf("want the command %s in it", name)
		}
	}
	if _, again, _ := ask(t, "man"); again != out {
		t.Error("want the same page again")
	}
}

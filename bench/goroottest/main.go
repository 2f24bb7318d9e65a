// Command goroottest runs the programs of $GOROOT/test whose first line is "// run", plain and
// emitted, and compares exit code, standard output and standard error.
//
//	go run ./bench/goroottest [-run regexp] [-rt dir]
//
// Lines of standard error are compared up to goroutine numbers and addresses, because stack traces have them.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"presage/internal/instrument"
	"presage/internal/plan"
)

var dirs = []string{".", "chan", "ken", "interfaces", "interface", "typeparam", "fixedbugs", "escape", "closure"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("goroottest: ")
	match := flag.String("run", "", "only files that match")
	stub := flag.String("rt", "internal/instrument/testdata/presagert", "source of the recorder")
	limit := flag.Duration("timeout", 30*time.Second, "for one run of a program")
	flag.Parse()
	re, err := regexp.Compile(*match)
	if err != nil {
		log.Fatal(err)
	}
	tmp, err := os.MkdirTemp("", "goroottest")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	t := &tester{tmp: tmp, limit: *limit, opaque: map[string]int{}}
	if t.stub, err = filepath.Abs(*stub); err != nil {
		log.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		log.Fatal(err)
	}
	t.goroot = strings.TrimSpace(string(root))
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(t.goroot, "test", dir, "*.go"))
		for _, f := range files {
			if re.MatchString(f) && runnable(f) {
				t.program(f)
			}
		}
	}
	fmt.Printf("TOTAL %d programs, %d same, %d differ, %d do not build plain; %d of %d functions emitted\n",
		t.programs, t.same, t.programs-t.same-t.unbuilt, t.unbuilt, t.emitted, t.funcs)
	for why, n := range t.opaque {
		fmt.Printf("%5d opaque: %s\n", n, why)
	}
}

// runnable reports whether the file is a whole program to be run without flags.
func runnable(name string) bool {
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first) == "// run" && !strings.Contains(rest[:min(len(rest), 600)], "//go:build")
}

type tester struct {
	tmp, stub, goroot                       string
	limit                                   time.Duration
	programs, same, unbuilt, emitted, funcs int
	opaque                                  map[string]int
}

// program runs one file both ways.
func (t *tester) program(file string) {
	t.programs++
	dir := filepath.Join(t.tmp, fmt.Sprint(t.programs))
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	write(dir, "main.go", text)
	write(dir, "go.mod", []byte("module test\n\ngo 1.26\n"))
	defer os.RemoveAll(dir)
	plain := t.build(dir, "plain")
	if plain != "" {
		t.unbuilt++
		fmt.Printf("%s: does not build plain: %s\n", file, firstLine(plain))
		return
	}
	if why := t.emit(dir); why != "" {
		fmt.Printf("%s: %s\n", file, why)
		return
	}
	if a, b := t.run(dir, "plain"), t.run(dir, "emitted"); a != b {
		fmt.Printf("%s: plain\n%s\nemitted\n%s\n", file, indent(a), indent(b))
		return
	}
	t.same++
}

func write(dir, name string, text []byte) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		log.Fatal(err)
	}
}

func (t *tester) build(dir, out string, flags ...string) string {
	cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), ".")...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return string(text)
	}
	return ""
}

func (t *tester) emit(dir string) string {
	over := filepath.Join(dir, "overlay")
	if err := os.MkdirAll(over, 0o755); err != nil {
		log.Fatal(err)
	}
	r, err := instrument.Instrument(context.Background(), instrument.Config{Config: plan.Config{Dir: dir}, OutDir: over})
	if err != nil {
		return err.Error()
	}
	for {
		replace := map[string]string{}
		for k, v := range r.Overlay {
			replace[k] = v
		}
		files, _ := filepath.Glob(filepath.Join(t.stub, "*.go"))
		for _, f := range files {
			replace[filepath.Join(t.goroot, "src/presagert", filepath.Base(f))] = f
		}
		text, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			log.Fatal(err)
		}
		write(dir, "overlay.json", text)
		out := t.build(dir, "emitted", "-overlay=overlay.json")
		if out == "" {
			break
		}
		if n, err := r.MarkOpaque(out); n == 0 || err != nil {
			return "emitted does not build: " + out
		}
	}
	t.funcs, t.emitted = t.funcs+r.Funcs, t.emitted+r.Emitted
	for _, o := range r.Opaque {
		t.opaque[o.Reason]++
	}
	return ""
}

var noise = regexp.MustCompile(`goroutine \d+|0x[0-9a-f]+|\[\d+ms\]|\+0x[0-9a-f]+`)

// run returns exit code and output. Stack traces are cut off: the arguments they show are not the same.
func (t *tester) run(dir, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), t.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, name))
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	text, _, _ := strings.Cut(errs.String(), "\ngoroutine ")
	return fmt.Sprintf("exit %d\n%s%s", cmd.ProcessState.ExitCode(), out.String(), noise.ReplaceAllString(text, "…"))
}

func firstLine(s string) string { s, _, _ = strings.Cut(s, "\n"); return s }

func indent(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > 8 {
		lines = append(lines[:4:4], append([]string{"…"}, lines[len(lines)-4:]...)...)
	}
	return "    " + strings.Join(lines, "\n    ")
}

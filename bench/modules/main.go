// Command modules checks that instrumented code behaves as plain code: for every module in
// modules.txt it runs the module's own tests plain and instrumented, and compares pass and fail test by test.
//
//	go run ./bench/modules [-dir scratch] [-only substring]
//
// Modules come through the module proxy and are copied, because the go command does not let an overlay
// replace files in the module cache. A test that fails plain is compared too: it must fail instrumented.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed modules.txt
var list string

func main() {
	log.SetFlags(0)
	log.SetPrefix("modules: ")
	dir := flag.String("dir", "", "scratch directory, kept; default: a temporary one")
	only := flag.String("only", "", "modules whose path contains this")
	stub := flag.String("rt", "internal/instrument/testdata/presagert", "source of the recorder; empty: the real one")
	flag.Parse()
	if *dir == "" {
		tmp, err := os.MkdirTemp("", "modules")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(tmp)
		*dir = tmp
	}
	if *stub != "" {
		abs, err := filepath.Abs(*stub)
		if err != nil {
			log.Fatal(err)
		}
		*stub = abs
	}
	b := &bench{dir: *dir, stub: *stub}
	if err := b.build(); err != nil {
		log.Fatal(err)
	}
	bad := 0
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] == "#" || !strings.Contains(f[0], *only) {
			continue
		}
		if err := b.module(f[0], f[1], f[2:]); err != nil {
			log.Printf("%s: %v", f[0], err)
			bad++
		}
	}
	fmt.Printf("TOTAL %d of %d functions emitted (%.2f %%), %d tests, %d differ\n",
		b.emitted, b.funcs, 100*float64(b.emitted)/float64(max(1, b.funcs)), b.tests, b.differ)
	if bad > 0 || b.differ > 0 {
		os.Exit(1)
	}
}

type bench struct {
	dir, stub                     string
	funcs, emitted, tests, differ int
}

func (b *bench) emit() string { return filepath.Join(b.dir, "emit") }

func (b *bench) build() error {
	out, err := exec.Command("go", "build", "-o", b.emit(), "presage/bench/emit").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building: %v\n%s", err, out)
	}
	return nil
}

// module tests one module both ways and prints a line for it, and one for every difference.
func (b *bench) module(path, version string, flags []string) error {
	src, err := b.fetch(path, version)
	if err != nil {
		return err
	}
	args := append([]string{"test", "-json", "-count=1"}, append(flags, "./...")...)
	plain := exec.Command("go", args...)
	plain.Dir = src
	want := results(plain)
	statFile := filepath.Join(b.dir, "stat.json")
	os.Remove(statFile)
	cmd := exec.Command(b.emit(), append([]string{"-C", src, "-rt", b.stub, "-stat", statFile}, args...)...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	got := results(cmd)
	var stat struct {
		Funcs, Emitted int
		Opaque         []struct {
			Func, File, Reason string
			Line               int
		}
	}
	text, err := os.ReadFile(statFile)
	if err != nil {
		return fmt.Errorf("not instrumented:\n%s", errors.String())
	}
	if err := json.Unmarshal(text, &stat); err != nil {
		return err
	}
	diffs := compare(want, got)
	fmt.Printf("%-40s %-24s %5d of %5d functions (%.2f %%), %4d tests, %d differ\n",
		path, version, stat.Emitted, stat.Funcs, 100*float64(stat.Emitted)/float64(max(1, stat.Funcs)), len(want), len(diffs))
	for _, d := range diffs {
		fmt.Println("   ", d)
	}
	for _, o := range stat.Opaque {
		fmt.Printf("    opaque %s %s:%d: %s\n", o.Func, filepath.Base(o.File), o.Line, o.Reason)
	}
	b.funcs, b.emitted = b.funcs+stat.Funcs, b.emitted+stat.Emitted
	b.tests, b.differ = b.tests+len(want), b.differ+len(diffs)
	return nil
}

// fetch downloads a module and copies it to a directory that can be written.
func (b *bench) fetch(path, version string) (string, error) {
	get := exec.Command("go", "mod", "download", "-json", path+"@"+version)
	get.Dir = b.dir
	out, err := get.Output()
	var info struct{ Dir, Error string }
	if json.Unmarshal(out, &info); err != nil || info.Dir == "" {
		return "", fmt.Errorf("downloading: %v %s", err, info.Error)
	}
	dst := filepath.Join(b.dir, strings.NewReplacer("/", "_", "@", "_").Replace(path))
	if _, err := os.Stat(dst); err == nil {
		return dst, nil
	}
	if err := os.CopyFS(dst, os.DirFS(info.Dir)); err != nil {
		return "", err
	}
	if out, err := exec.Command("chmod", "-R", "u+w", dst).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v %s", err, out)
	}
	return dst, b.complete(dst, path)
}

// complete makes a module of what was published without a go.mod, or with a go.sum that lacks entries of tests.
func (b *bench) complete(dst, path string) error {
	if _, err := os.Stat(filepath.Join(dst, "go.mod")); err != nil {
		init := exec.Command("go", "mod", "init", strings.TrimSuffix(path, "/"))
		init.Dir = dst
		if out, err := init.CombinedOutput(); err != nil {
			return fmt.Errorf("%v %s", err, out)
		}
	}
	tidy := exec.Command("go", "mod", "download")
	tidy.Dir = dst
	if out, err := tidy.CombinedOutput(); err != nil {
		return fmt.Errorf("%v %s", err, out)
	}
	return nil
}

// results runs go test -json and returns the outcome of every test and package.
func results(cmd *exec.Cmd) map[string]string {
	out := map[string]string{}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	in := bufio.NewScanner(stdout)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var e struct{ Action, Package, Test, ImportPath string }
		if json.Unmarshal(in.Bytes(), &e) != nil {
			continue
		}
		switch e.Action {
		case "pass", "fail", "skip", "build-fail":
			out[e.ImportPath+e.Package+" "+e.Test] = e.Action
		}
	}
	cmd.Wait()
	return out
}

func compare(want, got map[string]string) []string {
	var diffs []string
	broken := map[string]bool{} // packages that do not build plain, under this Go version
	for k, w := range want {
		if w == "build-fail" {
			pkg, _, _ := strings.Cut(strings.TrimSuffix(strings.Fields(k)[0], ".test"), "[")
			broken[pkg] = true
			fmt.Printf("    %s does not build without presage: not compared\n", pkg)
		}
	}
	for k, w := range want {
		if broken[strings.TrimSuffix(strings.Fields(k)[0], ".test")] {
			continue
		}
		if g := got[k]; g != w {
			diffs = append(diffs, fmt.Sprintf("%s: plain %s, instrumented %q", k, w, g))
		}
	}
	for k, g := range got {
		if want[k] == "" && !broken[strings.Fields(k)[0]] {
			diffs = append(diffs, fmt.Sprintf("%s: only instrumented: %s", k, g))
		}
	}
	slices.Sort(diffs)
	return diffs
}

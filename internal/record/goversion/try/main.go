// Command try applies all patches of package goversion to a GOROOT, and names those that do not
// fit.
//
//	go run ./internal/record/goversion/try [-goroot DIR] [-build]
//
// With -build, it also builds the standard library and a small program with the overlay of each
// kind of build. This finds names and types of package runtime that have changed. Exit code 1 says
// that something does not fit. docs/porting.md says how to use it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/record/goversion"
	"github.com/presage-race/presage/internal/record/recorder"
)

func main() {
	goroot := flag.String("goroot", "", "the GOROOT to try; empty: that of the go command")
	build := flag.Bool("build", false, "build the standard library and a program with the overlays")
	flag.Parse()
	ok, err := try(*goroot, *build)
	if err != nil {
		fmt.Fprintln(os.Stderr, "try:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// try reports whether everything fits.
func try(goroot string, build bool) (ok bool, err error) {
	env, err := goEnv(goroot)
	if err != nil {
		return false, err
	}
	fmt.Printf("%s in %s\n", env.GOVERSION, env.GOROOT)
	if err := goversion.Supported(env.GOVERSION, goversion.OS, goversion.Archs[0]); err != nil {
		fmt.Println("lists.txt: ", err)
	}
	ok, err = patch(env)
	if err != nil {
		return false, err
	}
	if !build {
		return ok, nil
	}
	for _, set := range goversion.Sets {
		if set == goversion.Compiler {
			continue // package compiler has tests that build it
		}
		for _, arch := range goversion.Archs {
			if set == goversion.Online && arch != "amd64" {
				continue
			}
			built, err := compile(set, env, arch)
			if err != nil {
				return false, err
			}
			ok = ok && built
		}
	}
	return ok, nil
}

type environment struct{ GOROOT, GOVERSION, GOMODCACHE string }

// goEnv asks the go command of a GOROOT.
func goEnv(goroot string) (env environment, err error) {
	cmd := exec.Command("go", "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE")
	if goroot != "" {
		cmd = exec.Command(filepath.Join(goroot, "bin", "go"), cmd.Args[1:]...)
		cmd.Env = append(os.Environ(), "GOROOT="+goroot, "GOTOOLCHAIN=local")
	}
	cmd.Dir = os.TempDir() // no go.mod chooses the version
	out, err := cmd.Output()
	if err != nil {
		return env, fmt.Errorf("asking go env: %w", err)
	}
	return env, json.Unmarshal(out, &env)
}

// patch prints the patches that do not fit, each once, and with the kinds of builds that have it.
func patch(env environment) (ok bool, err error) {
	var texts []string
	sets := map[string][]string{}
	for _, set := range goversion.Sets {
		f := goversion.NewFiles(env.GOVERSION, env.GOROOT)
		all, err := f.Try(set)
		if err != nil {
			return false, err
		}
		if set == goversion.Recorder || set == goversion.Online {
			all = append(all, f.TryCheck()...)
		}
		for _, e := range all {
			text := strings.TrimSpace(e.Error())
			if sets[text] == nil {
				texts = append(texts, text)
			}
			sets[text] = append(sets[text], string(set))
		}
	}
	for _, text := range texts {
		fmt.Printf("\n%s\n\t(%s)\n", text, strings.Join(sets[text], ", "))
	}
	fmt.Println(plural.Text(len(texts), "{{n}} patch{{|es}} do{{es|}} not fit"))
	return len(texts) == 0, nil
}

// compile builds the standard library and a program with the overlay of a set, for a processor. For
// another one than that of the machine there may be no C compiler: with gates, they are built
// without the race detector then.
func compile(set goversion.Set, env environment, arch string) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "presage-try-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	overlay, err := recorder.New(context.Background(), recorder.Config{
		GoRoot: env.GOROOT, GoVersion: env.GOVERSION, GOOS: goversion.OS, GOARCH: arch, ModCache: env.GOMODCACHE,
		Dir: dir, OutDir: filepath.Join(dir, "overlay"), Gates: set == goversion.Gates, Online: set == goversion.Online,
	})
	if err != nil {
		fmt.Printf("%s for %s: %v\n", set, arch, err)
		return false, nil
	}
	text, err := overlay.JSON(nil)
	if err != nil {
		return false, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		return false, err
	}
	program := filepath.Join(dir, "main.go")
	if err := os.WriteFile(program, []byte("package main\n\nimport _ \"presagert\"\n\nfunc main() {}\n"), 0o600); err != nil {
		return false, err
	}
	flags := append([]string{"build", "-overlay", list}, overlay.BuildFlags...)
	if set == goversion.Gates && arch == runtime.GOARCH {
		flags = append(flags, "-race")
	}
	for _, what := range [][]string{{"std"}, {"-o", filepath.Join(dir, "program"), program}} {
		cmd := exec.Command(filepath.Join(overlay.GoRoot, "bin", "go"), slices.Concat(flags, what)...)
		cmd.Dir = dir
		cmd.Env = slices.Concat(os.Environ(), []string{"GOROOT=" + overlay.GoRoot, "GOTOOLCHAIN=local", "GOARCH=" + arch}, overlay.Env)
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Printf("%s for %s: it does not build: %v\n%s", set, arch, err, out)
			return false, nil
		}
	}
	fmt.Printf("%s for %s: it builds\n", set, arch)
	return true, nil
}

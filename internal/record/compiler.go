package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/quoted"
	"github.com/presage-race/presage/internal/online/compiler"
	"github.com/presage-race/presage/internal/record/recorder"
)

// EnvCompiler names the variable that says which compiler builds a program with the recorder or the
// detector inside: auto, the default, is that of package compiler where it can be had; plain is
// that of Go.
const EnvCompiler = "PRESAGE_COMPILER"

// CompilerFlags returns the flags of go build for the compiler of package compiler, which is kept
// below cache; or why it is Go's own.
func CompilerFlags(ctx context.Context, home string, std recorder.Overlay, progress func(string)) (flags []string, plain string, err error) {
	file, plain, err := cachedCompiler(ctx, home, std, progress, func(error) {})
	if file != "" {
		flags, plain = toolexecFlag(file)
	}
	return flags, plain, err
}

// toolexecFlag has a program run in front of each tool of the go command, or says why that cannot
// be.
func toolexecFlag(file string) (flags []string, plain string) {
	word, err := quoted.Word(file)
	if err != nil {
		return nil, "the path of the cache: " + err.Error()
	}
	return []string{"-toolexec=" + word}, ""
}

// cachedCompiler returns the compiler of package compiler, or why it is Go's own. heals is called
// if that in the cache is damaged, and made anew.
func cachedCompiler(ctx context.Context, home string, std recorder.Overlay, progress func(string), heals func(damage error)) (file, plain string, err error) {
	c := compiler.Config{GoRoot: std.GoRoot, GoVersion: std.GoVersion, GOARCH: std.GOARCH, Go: std.Go, Env: std.Env}
	stop := func() {}
	file, err = c.Cached(ctx, filepath.Join(home, "compiler"), func(damage error) {
		if damage != nil {
			heals(damage)
		}
		stop = repeat(progress, fmt.Sprintf("building the compiler, once for %s: it takes one to several minutes", std.GoVersion))
	})
	stop()
	if err == nil {
		return file, "", nil
	}
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	return "", err.Error(), nil
}

// repeat reports progress once a second, until stop is called. Without a terminal, only work that
// lasts is reported.
func repeat(progress func(string), text string) (stop func()) {
	progress(text)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-quit:
				return
			case <-t.C:
				progress(text)
			}
		}
	}()
	return func() { close(quit); <-done }
}

// compilerFlags are those for the compiler that compiler returns.
func (c *Config) compilerFlags(ctx context.Context, home string, std recorder.Overlay) (flags []string, plain string, err error) {
	file, plain, err := c.compiler(ctx, home, std)
	if file != "" {
		flags, plain = toolexecFlag(file)
	}
	return flags, plain, err
}

// compilerChoice is what the user says about the compiler.
func compilerChoice() (string, error) {
	switch choice := os.Getenv(EnvCompiler); choice {
	case "", "auto":
		return "auto", nil
	case "plain":
		return choice, nil
	default:
		return "", fmt.Errorf("%s is %q, not auto or plain", EnvCompiler, choice)
	}
}

// compiler is cachedCompiler as the user wants it. Without a file, plain says why, unless the user
// chose Go's own compiler.
func (c *Config) compiler(ctx context.Context, home string, std recorder.Overlay) (file, plain string, err error) {
	choice, err := compilerChoice()
	if err != nil || choice == "plain" {
		return "", "", err
	}
	env, _, err := goEnv(ctx, c.Dir)
	if err != nil {
		return "", "", err
	}
	flags, err := env.flags()
	if err != nil {
		return "", "", err
	}
	for _, f := range append(flags, c.Flags...) {
		if name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); strings.HasPrefix(f, "-") && name == "toolexec" {
			return "", "-toolexec is given", nil
		}
	}
	file, plain, err = cachedCompiler(ctx, home, std, c.Progress, c.heals)
	if errors.Is(err, context.Canceled) {
		return "", "", fmt.Errorf("building the compiler: %w", err)
	}
	return file, plain, err
}

package main

import (
	"fmt"
	"internal/buildcfg"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// presageTool makes this compiler a program for -toolexec, whose first argument is a tool: it is
// the compiler, if that is asked for, and becomes any other.
func presageTool() {
	if len(os.Args) < 2 {
		return
	}
	os.Args = os.Args[1:]
	tool := os.Args[0]
	if filepath.Base(tool) != "compile" {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = syscall.Exec(path, os.Args, os.Environ())
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", tool, err)
		os.Exit(1)
	}
	if len(os.Args) == 2 && os.Args[1] == "-V=full" { // an identity of its own, for the build cache
		experiments := buildcfg.Experiment.String()
		if experiments != "" {
			experiments = " X:" + experiments
		}
		fmt.Printf("compile version %s%s presage-PRESAGE_ID\n", buildcfg.Version, experiments)
		os.Exit(0)
	}
}

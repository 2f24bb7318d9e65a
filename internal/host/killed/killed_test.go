//go:build unix

package killed

import (
	"os/exec"
	"strings"
	"testing"
)

func TestBy(t *testing.T) {
	for script, want := range map[string]string{"kill -9 $$": "sh was ended by a signal (killed)", "kill -15 $$": "(terminated)", "exit 1": "", "exit 137": ""} {
		cmd := exec.Command("sh", "-c", script)
		cmd.Run()
		if err := By(cmd); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
	if err := By(exec.Command("sh")); err != nil {
		t.Errorf("not run: %v", err)
	}
	cmd := exec.Command("sh", "-c", "kill -9 $$")
	cmd.Run()
	cmd.Args = []string{"/usr/bin/go", "build", "-o", "x"}
	if err := By(cmd); err == nil || !strings.HasPrefix(err.Error(), "go build was") {
		t.Error(err)
	}
}

func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"m/n: /usr/local/go/pkg/tool/linux_amd64/compile: signal: killed":                "compile, which the go command runs, was ended by a signal (killed)",
		"# m\n/go/pkg/tool/linux_amd64/link: signal: segmentation fault (core dumped)\n": "link, which the go command runs, was ended by a signal (segmentation fault)",
		"vet: signal: terminated":                            "vet, which",
		"signal: killed\nFAIL\tm\t0.1s":                      "", // a test
		"panic: test timed out":                              "",
		"./a.go:3:1: undefined: signal":                      "",
		"m: /tool/compile: exit status 2":                    "",
		"a.go:1:2: cannot use x (signal: killed) as a value": "",
	} {
		if err := Said(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every step of recording and replaying belongs to a stage, under the text that the packages say.
func TestStageOf(t *testing.T) {
	said := regexp.MustCompile(`\.Progress\("([^"]+)"`)
	n := 0
	for _, pkg := range []string{"record", "replay"} {
		files, err := filepath.Glob(filepath.Join("..", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range said.FindAllSubmatch(text, -1) {
				if n++; stageOf(string(m[1])) == "" {
					t.Errorf("%s: %q begins no stage", name, m[1])
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d progress texts found", n)
	}
	if s := stageOf("analysing"); s != "" {
		t.Errorf("analysing begins %q", s)
	}
}

package replay

import (
	"os"
	"path/filepath"
	"testing"
)

// TestEmpty: a directory with files that are no reproduction stays as it is.
func TestEmpty(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "_x")
	if err := empty(dir); err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("notes.txt")
	if empty(dir) == nil {
		t.Error("other files are removed")
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
	write(runtimeName)
	if err := empty(dir); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Error(entries, err)
	}
}

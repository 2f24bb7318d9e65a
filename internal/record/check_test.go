package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVetFailed: the packages that the output of go vet names, and no others.
func TestVetFailed(t *testing.T) {
	const out = `# example.com/vt/b
{
	"example.com/vt/b": {
		"printf": [{"posn": "b/b_test.go:7:10", "message": "format %d has arg \"x\" of wrong type"}]
	}
}
{}
# [example.com/vt/c_test]
{"example.com/vt/c_test": {"printf": []}}
{"example.com/vt/d [example.com/vt/d.test]": {"tests": []}, "example.com/other": {}}
`
	got := vetFailed([]byte(out), []string{"example.com/vt/a", "example.com/vt/b", "example.com/vt/c", "example.com/vt/d"})
	if diff := cmp.Diff([]string{"example.com/vt/b", "example.com/vt/c", "example.com/vt/d"}, got); diff != "" {
		t.Error(diff)
	}
}

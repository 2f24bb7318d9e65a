package ignore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static/ignore"
)

const source = `package m

//presage:ignore above a line
var a = 1
var b = 2 //presage:ignore behind a line
var c = 3
//presage:ignore
var d = 4 //presage:ignored as a typing error
// presage:ignore is prose
var e = "//presage:ignore in a string"
var f = ` + "`" + `
` + "`" + ` //presage:ignore behind the end of a string of several lines
var g = 7

func h() {
	x := 1 //presage:ignore behind a statement
	//presage:ignore above the end
}
`

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := ignore.Read([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	var covered []int
	for line := range strings.Count(source, "\n") + 2 {
		if line != 16 && set.Covers(file, line) {
			covered = append(covered, line)
		}
	}
	if diff := cmp.Diff([]int{4, 5, 12, 18}, covered); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	var rest []string
	for _, d := range set.Unused() {
		rest = append(rest, fmt.Sprint(d.Pos.Line, " ", d.Reason))
	}
	if diff := cmp.Diff([]string{"16 behind a statement"}, rest); diff != "" {
		t.Errorf("unused (-want +got):\n%s", diff)
	}
	want := []string{":7:1: //presage:ignore needs a reason behind it", ":8:11: presage knows no directive //presage:ignored"}
	var errs []string
	for _, e := range set.Errors {
		errs = append(errs, strings.TrimPrefix(e.String(), file))
	}
	if diff := cmp.Diff(want, errs); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if set.Covers(filepath.Join(filepath.Dir(file), "b.go"), 4) {
		t.Error("another file is covered, too")
	}
}

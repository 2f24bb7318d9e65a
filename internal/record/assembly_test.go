package record

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBodiless(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "a.go", `package a

import _ "unsafe"

func native(p *int) int

//go:linkname now runtime.nanotime
func now() int64

func goes() {}

type T struct{}

func (T) native2()
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range bodiless(file) {
		got = append(got, d.Name.Name)
	}
	if diff := cmp.Diff([]string{"native", "native2"}, got); diff != "" {
		t.Error(diff)
	}
}

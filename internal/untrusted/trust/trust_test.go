package trust

import (
	"slices"
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	good := strings.Fields("-tags=a,b --tags=a -race -race=false -count=3 -run=^Test$ -test.run=T -v -mod=vendor -mod=readonly -pgo=off -timeout=1m -shuffle=on -vet=off -trimpath")
	if refused := Flags(good); refused != nil {
		t.Errorf("refused %q", refused)
	}
	bad := strings.Fields(`-toolexec=./x --toolexec=./x -exec=./x -overlay=o.json -modfile=m -ldflags=-extld=./x -ldflags=-s -gcflags=-N -asmflags=-x
		-gccgoflags=-x -vettool=./x -pkgdir=d -compiler=gccgo -C=/tmp -o=x -mod=mod -pgo=f -cpuprofile=f -outputdir=d -coverprofile=f -trace=f -tags -run
		./x -- - x -race=./x -buildvcs=true -unknown -toolexec installsuffix=x -tags=a` + "\x00")
	if refused := Flags(bad); !slices.Equal(refused, bad) {
		t.Errorf("refused %q of %q", refused, bad)
	}
}

func TestPackage(t *testing.T) {
	for _, p := range []string{"example.com/bank", "bank", ".", "./cmd/x", "gopkg.in/yaml.v3", "example.com/a_b-c/v2", "net/http", "example.com/~x/y"} {
		if !Package(p) {
			t.Errorf("%q is refused", p)
		}
	}
	for _, p := range []string{"", "-toolexec=./x", "--", "../x", "./../x", "/tmp/x", "a@latest", "a b", "a\n", "example.com/../../x", "x=y", "file=x", "a\x1b"} {
		if Package(p) {
			t.Errorf("%q is taken", p)
		}
	}
}

func TestName(t *testing.T) {
	for _, s := range []string{"300cd7dbcefc", "300cd7dbcefc-2", "a.b", "x"} {
		if !Name(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"", ".", "..", ".x", "../x", "a/b", `a\b`, "a b", "a\x00", strings.Repeat("a", 101)} {
		if Name(s) {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestLocal(t *testing.T) {
	for path, want := range map[string]bool{".": true, "a/b": true, "a/../b": true, "..": false, "../x": false, "/x": false, "": false, "a/../../x": false} {
		if Local(path) != want {
			t.Errorf("Local(%q) = %v", path, !want)
		}
	}
}

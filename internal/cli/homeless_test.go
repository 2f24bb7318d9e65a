package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGiveModCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("PRESAGE_CACHE", cache)
	for _, c := range []struct{ home, gopath, mod, want string }{
		{"", "", "", filepath.Join(cache, "gomod")},
		{"/home/x", "", "", ""},
		{"", "/go", "", ""},
		{"", "", "/mod", "/mod"},
	} {
		t.Setenv("HOME", c.home)
		t.Setenv("GOPATH", c.gopath)
		t.Setenv("GOMODCACHE", c.mod)
		if giveModCache(); os.Getenv("GOMODCACHE") != c.want {
			t.Errorf("%+v: %s", c, os.Getenv("GOMODCACHE"))
		}
	}
}

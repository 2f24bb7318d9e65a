package recorder_test

import (
	"path/filepath"
	"testing"

	"github.com/presage-race/presage/internal/trace/format"
)

const children = `
package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println("child")
		return
	}
	self, _ := os.Executable()
	os.Chdir("/")
	for range 2 {
		out, err := exec.Command(self, "x").CombinedOutput()
		fmt.Printf("%s%v\n", out, err)
	}
}
`

// TestChildren: a child process that is instrumented records into a directory of its own.
func TestChildren(t *testing.T) {
	bin := build(t, []byte(children))
	out, dir, err := run(t, bin)
	if err != nil || out != "child\n<nil>\nchild\n<nil>\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	subs, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*"))
	if len(subs) != 3 {
		t.Errorf("%d processes: %v", len(subs), subs)
	}
	for _, sub := range subs {
		p := read(t, sub)
		if err := validate(p); err != nil {
			t.Errorf("%s: %v", sub, err)
		}
		if len(p.Streams) < 2 {
			t.Errorf("%s: %d streams", sub, len(p.Streams))
		}
	}
}

const server = `
package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"time"
)

type held struct{ n int }

func main() {
	hits := 0
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hits++
		mu.Unlock()
		fmt.Fprint(w, r.URL.Path)
	}))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			r, err := http.Get(fmt.Sprintf("%s/%d", s.URL, i))
			if err != nil {
				fmt.Println(err)
				return
			}
			b, _ := io.ReadAll(r.Body)
			r.Body.Close()
			if string(b) != fmt.Sprintf("/%d", i) {
				fmt.Printf("%s\n", b)
			}
		})
	}
	wg.Wait()
	s.Close()
	done := make(chan bool)
	func() {
		h := &held{7}
		runtime.SetFinalizer(h, func(h *held) { fmt.Println("finalizer", h.n); done <- true })
		k := &held{8}
		runtime.AddCleanup(k, func(n int) { fmt.Println("cleanup", n); done <- true }, 9)
		clear := [64]byte{}
		_ = clear
	}()
	for range 2 {
		for ok := false; !ok; {
			runtime.GC()
			select {
			case ok = <-done:
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	f, _ := os.CreateTemp("", "x")
	os.Remove(f.Name())
	f.Close()
	fmt.Println(hits)
}
`

// TestServer: the network, files, finalizers and cleanups.
func TestServer(t *testing.T) {
	bin := build(t, []byte(server))
	for _, procs := range []string{"1", "4"} {
		out, dir, err := run(t, bin, "GOMAXPROCS="+procs)
		if err != nil || out != "finalizer 7\ncleanup 9\n20\n" && out != "cleanup 9\nfinalizer 7\n20\n" {
			t.Fatalf("GOMAXPROCS=%s: %v\n%.2000s", procs, err, out)
		}
		p := read(t, dir)
		if err := validate(p); err != nil {
			t.Errorf("GOMAXPROCS=%s: %v", procs, err)
		}
		all := 0
		for _, s := range p.Streams {
			for r := range s.Records() {
				if r.Kind == format.Acquire && r.Words[0] == 0 {
					all++
				}
			}
		}
		if all < 2 {
			t.Errorf("GOMAXPROCS=%s: finalizers and cleanups acquire everything %d times", procs, all)
		}
	}
}

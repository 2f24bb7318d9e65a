// Package text has strings in memory: what they say is known from where they are, so that a branch on one is no reason for its pointer
// to stay what it was. (RECIPE, which is for Java, takes a string for an address.)
package text

import (
	"sync"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

type job struct {
	name  string
	state string
}

var (
	mu            sync.Mutex
	j             = job{"copy", "idle"}
	log           = "none"
	u, v, w, z, r int
)

func set(s string) {
	mu.Lock()
	j.state = s
	mu.Unlock()
}

func get() job {
	mu.Lock()
	defer mu.Unlock()
	return j
}

func t1() {
	v = 1 // race(v, by-value)
	w = 1 // race(w, by-path)
	z = 1
	u = 1 // race(u, by-path)
	set("busy")
}

func t2() {
	is := get()
	s := is.state
	if s != "done" { // it was "idle" as well
		r = v // race(v, by-value)
	}
	if "["+s[:2]+"]" == "[id]" { // the other way
		r = w // race(w, by-path)
	}
	if s == "busy" { // only after z = 1
		r = z
	}
	if is == (job{"copy", s}) && len(log) == 4 {
		r = u // race(u, by-path)
	}
}

// Run runs t1, then t2.
func Run() { inorder.Run(t1, t2) }

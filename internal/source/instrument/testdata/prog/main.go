// The programs of TestBehaviour: each file is a subject, registered by name, whose
// output must be the same plain and instrumented.
package main

import (
	"fmt"
	"os"
	"sort"
)

var subjects = map[string]func(){}

func main() {
	var names []string
	for n := range subjects {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Printf("== %s\n", n)
		subjects[n]()
	}
	os.Stdout.Sync()
}

// caught runs f and prints what it panics with.
func caught(what string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%s: %T %v\n", what, r, r)
			return
		}
		fmt.Printf("%s: no panic\n", what)
	}()
	f()
}

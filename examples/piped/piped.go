// Package piped has no race: what one goroutine prints, the other waits for at the other end of a pipe.
package piped

import (
	"bufio"
	"fmt"
	"os"
)

type sensor struct{ unit string }

// Run writes the unit in one goroutine and returns it in another.
func Run() (string, error) {
	s := &sensor{}
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	go func() {
		s.unit = "mm"
		fmt.Fprintln(w, "unit")
		w.Close()
	}()
	in := bufio.NewScanner(r)
	if !in.Scan() {
		return "", in.Err()
	}
	return s.unit, r.Close()
}

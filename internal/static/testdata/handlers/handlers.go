// Package handlers has literals that a library calls for requests: what they have captured is one for all calls (LI3).
package handlers

import (
	"fmt"
	"net/http"
	"sync"
)

// Routes counts visits, and names under a lock.
func Routes() http.Handler {
	mux := http.NewServeMux()
	visits, safe := 0, 0
	names := map[string]int{}
	var mu sync.Mutex
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		visits++ // want "visits" "read"
		mu.Lock()
		names[r.URL.Path]++
		safe++
		mu.Unlock()
		fmt.Fprintln(w, "hello")
	})
	mux.HandleFunc("/stats", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, visits) // want "read"
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, names, safe)
	})
	return mux
}

// Counted counts each handler's requests.
func Counted(h http.HandlerFunc) http.Handler {
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++ // want "n"
		h(w, r)
	})
}

// Command http serves JSON on loopback to clients of its own.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

type answer struct {
	Path  string
	Count int
	Items []string
}

func main() {
	var mu sync.Mutex
	counts := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		counts[r.URL.Path]++
		a := answer{Path: r.URL.Path, Count: counts[r.URL.Path]}
		mu.Unlock()
		for i := range 20 {
			a.Items = append(a.Items, fmt.Sprint("item ", i))
		}
		json.NewEncoder(w).Encode(a)
	}))
	defer s.Close()
	var wg sync.WaitGroup
	for c := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 400 {
				r, err := http.Get(fmt.Sprintf("%s/%d/%d", s.URL, c, i%10))
				if err != nil {
					panic(err)
				}
				var a answer
				if err := json.NewDecoder(r.Body).Decode(&a); err != nil || len(a.Items) != 20 {
					panic(fmt.Sprint(err, a))
				}
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		}()
	}
	wg.Wait()
	fmt.Println(len(counts))
}

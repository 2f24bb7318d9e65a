// Command http is a server on loopback and its clients, in one process: a fixed number of
// requests over a fixed number of connections, each with a body and headers both ways.
package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
)

const (
	clients  = 8
	requests = 1500 // of each client
	bodySize = 4 << 10
)

// totals is what the server has seen, by path.
type totals struct {
	mu    sync.Mutex
	count map[string]int
	bytes int
}

func (t *totals) add(path string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count[path]++
	t.bytes += n
}

func main() {
	seen := &totals{count: map[string]int{}}
	s := httptest.NewServer(handler(seen))
	defer s.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: clients, MaxConnsPerHost: clients}
	client := &http.Client{Transport: transport}
	defer transport.CloseIdleConnections()
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() { load(client, s.URL, c) })
	}
	wg.Wait()
	fmt.Println(len(seen.count), seen.bytes)
}

// handler answers with the body that it gets, and its checksum in a header.
func handler(seen *totals) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /echo/{client}/{kind}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		seen.add(r.PathValue("client")+"/"+r.PathValue("kind"), len(body))
		w.Header().Set("X-Sum", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 16))
		w.Header().Set("X-Client", r.Header.Get("X-Client"))
		w.Write(body)
	})
	return mux
}

// load makes the requests of one client, one after the other.
func load(client *http.Client, url string, c int) {
	body := make([]byte, bodySize)
	for i := range requests {
		for k := range body {
			body[k] = byte(c + i + k)
		}
		if err := post(client, fmt.Sprintf("%s/echo/%d/%d", url, c, i%10), c, body); err != nil {
			panic(err)
		}
	}
}

// post makes a request and checks the answer.
func post(client *http.Client, url string, c int, body []byte) error {
	r, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("X-Client", strconv.Itoa(c))
	a, err := client.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	got, err := io.ReadAll(a.Body)
	if err != nil {
		return err
	}
	sum := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 16)
	if !bytes.Equal(got, body) || a.Header.Get("X-Sum") != sum || a.Header.Get("X-Client") != strconv.Itoa(c) {
		return fmt.Errorf("wrong answer: %s, %v", a.Status, a.Header)
	}
	return nil
}

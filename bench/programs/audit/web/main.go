// Web serves HTTP and HTTPS on the loopback device and asks for pages, from several goroutines.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

func main() {
	for _, start := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer} {
		if err := session(start(handler())); err != nil {
			log.Fatal(err)
		}
	}
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /echo/{name}", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "name", Value: r.PathValue("name")})
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Write(b)
	})
	mux.HandleFunc("GET /form", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.FormValue("q"))
	})
	return mux
}

func session(s *httptest.Server) error {
	defer s.Close()
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range 5 {
				if errs[i] = requests(s, i); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func requests(s *httptest.Server, i int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	body := strings.Repeat(fmt.Sprint("line ", i, "\n"), 2000)
	r, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/echo/"+fmt.Sprint(i), strings.NewReader(body))
	if err != nil {
		return err
	}
	if err := ask(s, r, body); err != nil {
		return err
	}
	if r, err = http.NewRequestWithContext(ctx, "GET", s.URL+"/form?q=a+b", nil); err != nil {
		return err
	}
	return ask(s, r, "a b")
}

// ask asks a question and compares the answer.
func ask(s *httptest.Server, r *http.Request, want string) error {
	resp, err := s.Client().Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && string(b) != want {
		err = fmt.Errorf("%d bytes, %s", len(b), resp.Status)
	}
	return err
}

package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const emptyReport = `{"config":{"protocol_version":"v1.1.0","tool":"presage","dir":"/src"}}
{"summary":{"races":0}}
`

// TestViewed: only the address that presage prints has the page, by its token and by its host.
func TestViewed(t *testing.T) {
	v := &viewed{host: "127.0.0.1:1234", token: "SECRET", page: []byte("<p>page")}
	for _, test := range []struct {
		method, host, path string
		code               int
	}{
		{"GET", v.host, "/SECRET/", 200}, {"HEAD", v.host, "/SECRET/", 200}, {"GET", v.host, "/SECRET", 200},
		{"GET", "evil.example:1234", "/SECRET/", 421}, {"GET", "localhost:1234", "/SECRET/", 421}, {"GET", "127.0.0.1", "/SECRET/", 421}, {"GET", "", "/SECRET/", 421},
		{"GET", v.host, "/", 404}, {"GET", v.host, "/secret/", 404}, {"GET", v.host, "/SECRET/x", 404}, {"GET", v.host, "//SECRET/", 404},
		{"POST", v.host, "/SECRET/", 405}, {"OPTIONS", v.host, "/SECRET/", 405},
	} {
		r := httptest.NewRequest(test.method, "http://x"+test.path, nil)
		r.Host = test.host
		w := httptest.NewRecorder()
		v.ServeHTTP(w, r)
		if w.Code != test.code {
			t.Errorf("%s %s of %q: %d, want %d", test.method, test.path, test.host, w.Code, test.code)
		}
		if strings.Contains(w.Body.String(), "page\n") || (w.Body.String() == "<p>page") != (test.code == 200) {
			t.Errorf("%s %s of %q: %s", test.method, test.path, test.host, w.Body)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; script-src 'sha256-") {
			t.Errorf("policy %q", csp)
		}
		if test.code == 200 && w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", w.Header())
		}
	}
}

// TestView serves a report until the command is interrupted.
func TestView(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(name, []byte(emptyReport), 0o666); err != nil {
		t.Fatal(err)
	}
	page, err := pageOf([]string{name}, "")
	if err != nil || !bytes.HasPrefix(page, []byte("<!doctype html>")) {
		t.Fatalf("%v: %.80s", err, page)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- serve(ctx, &Env{Stdout: out, Stderr: io.Discard}, page, true) }()
	line := make([]byte, 200)
	n, err := in.Read(line)
	url := strings.TrimSpace(string(line[:n]))
	if err != nil || !regexp.MustCompile(`^http://127\.0\.0\.1:\d+/[A-Z2-7]{26}/$`).MatchString(url) {
		t.Fatalf("%v: %q", err, url)
	}
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}
	res, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || !bytes.Equal(got, page) {
		t.Errorf("%v: %.80s", err, got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := client.Get(url); err == nil {
		t.Error("it is still served")
	}
}

package netio

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

type msg struct {
	N    int
	Text string
	List []int
	M    map[string]string
}

func TestHTTPJSON(t *testing.T) {
	var mu sync.Mutex
	seen := map[int]msg{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m msg
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		mu.Lock()
		seen[m.N] = m
		mu.Unlock()
		json.NewEncoder(w).Encode(m)
	}))
	defer srv.Close()
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			b, _ := json.Marshal(msg{N: i, Text: "x", List: []int{1, 2}, M: map[string]string{"a": "b"}})
			resp, err := http.Post(srv.URL, "application/json", bytes.NewReader(b))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			var m msg
			if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || m.N != i {
				t.Error(err, m)
			}
			io.Copy(io.Discard, resp.Body)
		}()
	}
	wg.Wait()
	if len(seen) != 6 {
		t.Error(len(seen))
	}
}

func TestHTTPTimeout(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(time.Second):
		}
	}))
	defer srv.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", srv.URL, nil)
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("no error")
	}
}

func TestHTTPBigBody(t *testing.T) {
	big := strings.Repeat("0123456789", 30000)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, big)
		z.Close()
	}))
	defer srv.Close()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			resp, err := http.Get(srv.URL)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			if err != nil || len(b) != len(big) {
				t.Error(err, len(b))
			}
		})
	}
	wg.Wait()
}

func TestHTTPFile(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "f"), bytes.Repeat([]byte("abc\n"), 20000), 0o666)
	srv := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer srv.Close()
	for range 3 {
		resp, err := http.Get(srv.URL + "/f")
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if len(b) != 80000 {
			t.Error(len(b))
		}
	}
}

func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, _ := x509.ParseCertificate(der)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.Copy(c, c)
			}()
		}
	}()
	conf := &tls.Config{RootCAs: pool, ServerName: "localhost", ClientSessionCache: tls.NewLRUClientSessionCache(4)}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			c, err := tls.Dial("tcp", l.Addr().String(), conf)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			fmt.Fprintf(c, "hello %d\n", i)
			s, err := bufio.NewReader(c).ReadString('\n')
			if err != nil || s != fmt.Sprintf("hello %d\n", i) {
				t.Error(s, err)
			}
		})
	}
	wg.Wait()
}

func TestHTTP2(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	}))
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			resp, err := srv.Client().Post(srv.URL, "text/plain", strings.NewReader(strings.Repeat("x", 1000*i+1)))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			if err != nil || len(b) != 1000*i+1 || resp.ProtoMajor != 2 {
				t.Error(err, len(b), resp.Proto)
			}
		})
	}
	wg.Wait()
}

func TestNetPipe(t *testing.T) {
	a, b := net.Pipe()
	var got []byte
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, _ = io.ReadAll(b)
	}()
	buf := []byte("some words")
	for range 5 {
		a.Write(buf)
		buf[0]++
	}
	a.Close()
	<-done
	if len(got) != 50 {
		t.Error(got)
	}
}

func TestIOPipe(t *testing.T) {
	r, w := io.Pipe()
	x := 0
	go func() {
		bw := bufio.NewWriter(w)
		for i := range 10 {
			x = i
			fmt.Fprintln(bw, i)
			bw.Flush()
		}
		w.CloseWithError(errors.New("end"))
	}()
	s := bufio.NewScanner(r)
	n := 0
	for s.Scan() {
		n++
	}
	if n != 10 || x != 9 || s.Err() == nil {
		t.Error(n, x)
	}
}

// The order is that of the bytes in the pipe.
func TestOSPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	go func() {
		shared = 1
		w.Write([]byte{1})
		w.Close()
	}()
	b := make([]byte, 1)
	if _, err := io.ReadFull(r, b); err != nil {
		t.Fatal(err)
	}
	if shared != 1 {
		t.Error(shared)
	}
	r.Close()
}

func TestTCPOrder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	shared := map[string]int{}
	done := make(chan bool)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		b := make([]byte, 3)
		io.ReadFull(c, b)
		shared["b"] = shared["a"] + 1
		c.Write(b)
		close(done)
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	shared["a"] = 1
	c.Write([]byte("abc"))
	b := make([]byte, 3)
	io.ReadFull(c, b)
	if shared["b"] != 2 {
		t.Error(shared)
	}
	c.Close()
	<-done
}

func TestBuffersWritev(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan []byte)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		b, _ := io.ReadAll(c)
		got <- b
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	bufs := net.Buffers{[]byte("one"), []byte("two"), []byte("three")}
	bufs.WriteTo(c)
	c.Close()
	if string(<-got) != "onetwothree" {
		t.Error("bad")
	}
}

func TestDeadlineAndClose(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		c, err := l.Accept()
		if err == nil {
			time.Sleep(30 * time.Millisecond)
			c.Close()
		}
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	b := make([]byte, 1)
	if _, err := c.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	c.SetReadDeadline(time.Time{})
	wg.Go(func() { c.Read(b) })
	time.Sleep(2 * time.Millisecond)
	c.Close()
	wg.Wait()
	l.Close()
}

func TestExec(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			cmd := exec.Command("cat")
			cmd.Stdin = strings.NewReader(fmt.Sprint("in", i))
			var out, errb bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errb
			if err := cmd.Run(); err != nil || out.String() != fmt.Sprint("in", i) {
				t.Error(err, out.String())
			}
		})
	}
	wg.Wait()
}

func TestExecPipes(t *testing.T) {
	cmd := exec.Command("sh", "-c", "while read x; do echo got $x; done")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for i := range 5 {
			fmt.Fprintln(in, i)
		}
		in.Close()
	}()
	n := 0
	for s := bufio.NewScanner(out); s.Scan(); {
		n++
	}
	if err := cmd.Wait(); err != nil || n != 5 {
		t.Error(err, n)
	}
}

func TestExecContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "sleep", "5")
	cmd.Stdout = &out
	cmd.WaitDelay = time.Millisecond
	if err := cmd.Run(); err == nil {
		t.Error("no error")
	}
	_ = out.String()
}

func TestGzipShared(t *testing.T) {
	pr, pw := io.Pipe()
	go func() {
		z := gzip.NewWriter(pw)
		for range 100 {
			z.Write([]byte("line of text\n"))
		}
		z.Close()
		pw.Close()
	}()
	z, err := gzip.NewReader(pr)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil || len(b) != 1300 {
		t.Error(err, len(b))
	}
}

func TestHash(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 10000)
	var wg sync.WaitGroup
	sums := make([][32]byte, 4)
	for i := range sums {
		wg.Go(func() { sums[i] = sha256.Sum256(data) })
	}
	wg.Wait()
	data[0] = 'y'
	if sums[0] != sums[3] {
		t.Error("bad")
	}
}

func TestFileHandoff(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	buf := make([]byte, 4)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			buf[0] = byte(i)
			f.WriteAt(buf, int64(4*i))
			f.ReadAt(buf, int64(4*i))
		})
	}
	wg.Wait()
	f.Close()
}

func TestUDP(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	done := make(chan int)
	go func() {
		b := make([]byte, 100)
		n, a, _ := c.ReadFrom(b)
		c.WriteTo(b[:n], a)
		done <- n
	}()
	d, err := net.Dial("udp", c.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	d.Write([]byte("ping"))
	b := make([]byte, 10)
	d.SetReadDeadline(time.Now().Add(2 * time.Second))
	n, _ := d.Read(b)
	if <-done != n {
		t.Error(n)
	}
	d.Close()
}

func TestCopyBetween(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	total := 0
	done := make(chan bool)
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, c)
		total = int(n)
	}()
	f := filepath.Join(t.TempDir(), "x")
	os.WriteFile(f, make([]byte, 100000), 0o666)
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r, _ := os.Open(f)
	io.Copy(c, r)
	r.Close()
	c.Close()
	<-done
	if total != 100000 {
		t.Error(total)
	}
}

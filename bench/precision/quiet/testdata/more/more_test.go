package more

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/lzw"
	"compress/zlib"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"hash/crc32"
	"hash/fnv"
	"hash/maphash"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/quick"
	"time"
	"weak"
)

func all(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func deep(n int, b *[64]byte) int {
	var here [64]byte
	here[n%64] = b[0] + 1
	if n == 0 {
		return int(here[0])
	}
	return deep(n-1, &here) + int(here[n%64])
}

func TestStacks(t *testing.T) {
	f := filepath.Join(t.TempDir(), "x")
	os.WriteFile(f, make([]byte, 5000), 0o666)
	for range 10 {
		all(20, func(i int) {
			var b [64]byte
			deep(30*i, &b)
			r, err := os.Open(f)
			if err != nil {
				t.Error(err)
				return
			}
			var buf [512]byte
			r.Read(buf[:])
			io.ReadFull(r, buf[:100])
			time.LoadLocation("Asia/Tokyo")
			var x [8]int
			c := make(chan int)
			go func() { c <- len(x) }()
			x[0] = <-c
			r.Close()
		})
		runtime.GC()
	}
}

func TestFileGC(t *testing.T) {
	for range 5 {
		all(4, func(i int) {
			f, err := os.Create(filepath.Join(t.TempDir(), "x"))
			if err == nil {
				f.Write([]byte("abc"))
			}
			r, w, _ := os.Pipe()
			w.Write([]byte("a"))
			r.Read(make([]byte, 1))
		})
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

type ent struct {
	k int
	b []byte
}

func TestWeakCache(t *testing.T) {
	var cache sync.Map
	get := func(k int) *ent {
		for {
			if v, ok := cache.Load(k); ok {
				if p := v.(weak.Pointer[ent]).Value(); p != nil {
					return p
				}
				cache.CompareAndDelete(k, v)
			}
			e := &ent{k: k, b: make([]byte, 100)}
			w := weak.Make(e)
			if _, loaded := cache.LoadOrStore(k, w); !loaded {
				runtime.AddCleanup(e, func(k int) { cache.CompareAndDelete(k, w) }, k)
				return e
			}
		}
	}
	for range 5 {
		all(6, func(i int) {
			for k := range 10 {
				if e := get(k); e.k != k || len(e.b) != 100 {
					t.Error("bad")
				}
			}
		})
		runtime.GC()
	}
}

func TestHTTPMore(t *testing.T) {
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		f := w.(http.Flusher)
		for i := range 3 {
			fmt.Fprintf(w, "data %d\n", i)
			f.Flush()
		}
	}))
	defer back.Close()
	u, _ := url.Parse(back.URL)
	front := httptest.NewServer(httputil.NewSingleHostReverseProxy(u))
	defer front.Close()
	jar, _ := cookiejar.New(nil)
	cl := &http.Client{Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Millisecond}}
	all(4, func(i int) {
		n := 0
		var mu sync.Mutex
		tr := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { mu.Lock(); n++; mu.Unlock() }, WroteRequest: func(httptrace.WroteRequestInfo) { mu.Lock(); n++; mu.Unlock() }}
		for range 3 {
			req, _ := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), tr), "GET", front.URL, nil)
			resp, err := cl.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			s := bufio.NewScanner(resp.Body)
			for s.Scan() {
				if i == 1 {
					break
				}
			}
			resp.Body.Close()
		}
	})
}

func TestShutdownHijack(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /h/{id}", func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		rw.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
		rw.Flush()
		c.Close()
	})
	mux.Handle("/t", http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		fmt.Fprint(w, "late")
	}), 5*time.Millisecond, "timeout"))
	srv := &http.Server{Handler: mux, ReadTimeout: time.Second, IdleTimeout: time.Second}
	done := make(chan error)
	go func() { done <- srv.Serve(l) }()
	base := "http://" + l.Addr().String()
	all(3, func(i int) {
		for _, p := range []string{"/h/1", "/t", "/none"} {
			resp, err := http.Get(base + p)
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
	})
	srv.RegisterOnShutdown(func() {})
	srv.Shutdown(context.Background())
	if err := <-done; err != http.ErrServerClosed {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestResolve(t *testing.T) {
	all(3, func(i int) {
		net.DefaultResolver.LookupHost(context.Background(), "localhost")
		r := net.Resolver{PreferGo: i == 0}
		r.LookupIPAddr(context.Background(), "127.0.0.1")
		net.Interfaces()
		user.Current()
		user.Lookup("root")
		os.Hostname()
	})
}

func TestArchives(t *testing.T) {
	all(3, func(i int) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, _ := z.Create("a")
		w.Write(make([]byte, 1000))
		z.Close()
		zr, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Error(err)
			return
		}
		r, _ := zr.File[0].Open()
		io.ReadAll(r)
		r.Close()
		tw := tar.NewWriter(io.Discard)
		tw.WriteHeader(&tar.Header{Name: "x", Size: 1})
		tw.Write([]byte{1})
		tw.Close()
		var c bytes.Buffer
		fw, _ := flate.NewWriter(&c, 5)
		fw.Write(b.Bytes())
		fw.Close()
		io.ReadAll(flate.NewReader(&c))
		zw := zlib.NewWriter(&c)
		zw.Write(b.Bytes())
		zw.Close()
		lw := lzw.NewWriter(&c, lzw.LSB, 8)
		lw.Write([]byte("abc"))
		lw.Close()
		img := image.NewRGBA(image.Rect(0, 0, 10, 10))
		img.Set(1, 1, color.White)
		var p bytes.Buffer
		png.Encode(&p, img)
		png.Decode(&p)
	})
}

func TestCrypto(t *testing.T) {
	key, err := rsa.GenerateKey(rand2{}, 2048)
	if err != nil {
		t.Fatal(err)
	}
	pub, priv, _ := ed25519.GenerateKey(nil)
	blk, _ := aes.NewCipher(make([]byte, 16))
	gcm, _ := cipher.NewGCM(blk)
	data := make([]byte, 1000)
	all(3, func(i int) {
		h := sha512.Sum512(data)
		sig, err := rsa.SignPKCS1v15(rand2{}, key, 7, h[:])
		if err != nil {
			t.Error(err)
		}
		rsa.VerifyPKCS1v15(&key.PublicKey, 7, h[:], sig)
		ed25519.Verify(pub, data, ed25519.Sign(priv, data))
		n := make([]byte, 12)
		x := gcm.Seal(nil, n, data, nil)
		gcm.Open(x[:0], n, x, nil)
		m := hmac.New(sha1.New, data[:8])
		m.Write(data)
		m.Sum(nil)
		cipher.NewCTR(blk, make([]byte, 16)).XORKeyStream(make([]byte, 1000), data)
		crc32.ChecksumIEEE(data)
		crc32.Update(0, crc32.MakeTable(crc32.Castagnoli), data)
		f := fnv.New64a()
		f.Write(data)
		var mh maphash.Hash
		mh.Write(data)
		mh.Sum64()
		maphash.Comparable(maphash.MakeSeed(), "x")
		asn1.Marshal([]int{1, 2})
		pem.EncodeToMemory(&pem.Block{Type: "x", Bytes: data})
	})
	data[3]++
}

type rand2 struct{}

func (rand2) Read(p []byte) (int, error) { return rand_(p) }

func rand_(p []byte) (int, error) { return randReader.Read(p) }

var randReader io.Reader = rand1{}

type rand1 struct{}

func (rand1) Read(p []byte) (int, error) { return randRead(p) }

func TestGoTools(t *testing.T) {
	src := "package p\nimport \"fmt\"\nfunc F[T any](x T) { fmt.Println(x, len([]int{1})) }\n"
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "source", nil)
	var mu sync.Mutex
	all(3, func(i int) {
		f, err := parser.ParseFile(fset, fmt.Sprint(i), "package p\nfunc F[T any](x T) T { return x }\nvar X = F(1)\n", parser.ParseComments)
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		conf := types.Config{Importer: imp}
		conf.Check("p", fset, []*ast.File{f}, nil)
		mu.Unlock()
		conf2 := types.Config{}
		conf2.Check("p", fset, []*ast.File{f}, nil)
		format.Source([]byte(src))
	})
}

func TestMisc(t *testing.T) {
	fsys := fstest.MapFS{"a/b": {Data: []byte("x")}}
	all(3, func(i int) {
		mime.TypeByExtension(".html")
		mime.AddExtensionType(fmt.Sprint(".q", i), "text/x")
		html.UnescapeString("&lt;a&gt;&eacute;")
		fsys.ReadFile("a/b")
		fsys.Glob("a/*")
		quick.Check(func(a, b int) bool { return a+b == b+a }, nil)
		_ = rand.IntN(5)
		r := rand.New(rand.NewPCG(1, 2))
		_ = r.Float64() + r.NormFloat64()
		io.Copy(io.MultiWriter(io.Discard, new(bytes.Buffer)), io.TeeReader(strings.NewReader("abc"), io.Discard))
		time.AfterFunc(0, func() {}).Stop()
		_ = runtime.NumGoroutine()
		runtime.Stack(make([]byte, 10000), i == 0)
		debug.ReadBuildInfo()
		runtime.Callers(0, make([]uintptr, 10))
		runtime.GOMAXPROCS(2 + i%2)
	})
}

func TestReflectSelect(t *testing.T) {
	a, b := make(chan *ent, 1), make(chan *ent)
	quit := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		cases := []reflect.SelectCase{
			{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a)},
			{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(b)},
			{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(quit)},
		}
		for {
			i, v, ok := reflect.Select(cases)
			if i == 2 || !ok {
				return
			}
			v.Interface().(*ent).k++
		}
	})
	for i := range 5 {
		e := &ent{k: i}
		e.k++
		if i%2 == 0 {
			a <- e
		} else {
			b <- e
		}
	}
	close(quit)
	wg.Wait()
}

func TestSpin(t *testing.T) {
	var lock atomic.Uint32
	var flags atomic.Uint64
	n := 0
	s := []string{}
	all(4, func(i int) {
		for range 5 {
			for !lock.CompareAndSwap(0, 1) {
				runtime.Gosched()
			}
			n++
			s = append(s, fmt.Sprint(i))
			lock.Store(0)
			flags.Or(1 << i)
			flags.And(^uint64(1 << i))
		}
	})
	if n != 20 {
		t.Error(n)
	}
	c := sync.NewCond(new(sync.RWMutex).RLocker())
	done := make(chan bool)
	ready := make(chan bool)
	x := 0
	go func() {
		c.L.Lock()
		close(ready)
		c.Wait()
		x++
		c.L.Unlock()
		close(done)
	}()
	<-ready
	for stop := false; !stop; {
		c.Broadcast()
		select {
		case <-done:
			stop = true
		case <-time.After(time.Millisecond):
		}
	}
	x++
}

func TestTimers(t *testing.T) {
	all(4, func(i int) {
		tm := time.NewTimer(time.Hour)
		go func() { tm.Reset(time.Millisecond) }()
		<-tm.C
		tm.Stop()
		tm.Reset(time.Microsecond)
		time.Sleep(time.Millisecond)
		_ = len(tm.C)
		select {
		case <-tm.C:
		case <-time.After(time.Second):
		}
		ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Millisecond))
		stop := context.AfterFunc(ctx, func() {})
		<-ctx.Done()
		stop()
		cancel()
		_ = context.WithoutCancel(ctx).Err()
	})
}

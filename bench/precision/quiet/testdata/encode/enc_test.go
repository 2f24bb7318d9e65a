package encode

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"expvar"
	"flag"
	"fmt"
	"html/template"
	"io"
	"log"
	"log/slog"
	"math/big"
	"mime/multipart"
	"net"
	"net/rpc"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	ttemplate "text/template"
	"time"
	"unicode/utf8"
)

type rec struct {
	ID    int            `json:"id" xml:"id,attr"`
	Name  string         `json:"name"`
	Tags  []string       `json:"tags,omitempty"`
	Inner *rec           `json:"inner,omitempty"`
	M     map[string]int `json:"m,omitempty" xml:"-"`
	Any   any            `json:"any" xml:"-"`
	T     time.Time      `json:"t"`
}

func all(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func value(i int) rec {
	return rec{ID: i, Name: "n" + strconv.Itoa(i), Tags: []string{"a", "b"}, Inner: &rec{ID: 1}, M: map[string]int{"x": i}, Any: i}
}

func TestJSON(t *testing.T) {
	shared := value(7)
	all(5, func(i int) {
		b, err := json.Marshal(shared)
		if err != nil {
			t.Error(err)
		}
		var r rec
		if err := json.Unmarshal(b, &r); err != nil || r.ID != 7 {
			t.Error(err)
		}
		json.MarshalIndent(map[string]any{"a": []any{1, "x", nil}, "b": shared}, "", " ")
		var x any
		json.Unmarshal(b, &x)
	})
	shared.Name = "after"
}

func TestGob(t *testing.T) {
	type g struct {
		A int
		B string
		C map[string][]byte
	}
	all(5, func(i int) {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(g{i, "x", map[string][]byte{"k": {1}}}); err != nil {
			t.Error(err)
		}
		var x g
		if err := gob.NewDecoder(&b).Decode(&x); err != nil || x.A != i {
			t.Error(err)
		}
	})
}

func TestXMLCSV(t *testing.T) {
	all(4, func(i int) {
		b, err := xml.Marshal(value(i))
		if err != nil {
			t.Error(err)
		}
		var r rec
		xml.Unmarshal(b, &r)
		w := csv.NewWriter(io.Discard)
		w.Write([]string{"a", "b,c"})
		w.Flush()
		csv.NewReader(strings.NewReader("a,b\n1,2\n")).ReadAll()
	})
}

func TestTemplate(t *testing.T) {
	tt := ttemplate.Must(ttemplate.New("x").Parse(`{{range $i, $x := .Tags}}{{$i}}={{$x | printf "%q"}} {{end}}{{.Name}} {{with .Inner}}{{.ID}}{{end}}`))
	ht := template.Must(template.New("x").Parse(`<a href="{{.Name}}">{{.Any}}</a><script>var x = {{.M}}</script>`))
	all(5, func(i int) {
		var b bytes.Buffer
		if err := tt.Execute(&b, value(i)); err != nil {
			t.Error(err)
		}
		if err := ht.Execute(&b, value(i)); err != nil {
			t.Error(err)
		}
	})
}

func TestRegexp(t *testing.T) {
	re := regexp.MustCompile(`(\w+)@(\w+)\.com`)
	slow := regexp.MustCompile(`(a+)+b|c[^d]*e`)
	all(5, func(i int) {
		s := fmt.Sprintf("x%d@example.com, y@z.com", i)
		re.FindAllStringSubmatch(s, -1)
		re.ReplaceAllString(s, "$2 at $1")
		slow.MatchString(strings.Repeat("a", 200))
		regexp.MustCompile(`\d+`).FindString(s)
	})
}

func TestLogs(t *testing.T) {
	var mu sync.Mutex
	var b bytes.Buffer
	l := log.New(&b, "p ", log.LstdFlags|log.Lshortfile)
	s := slog.New(slog.NewTextHandler(&lw{mu: &mu, w: &b}, nil)).With("a", 1).WithGroup("g")
	j := slog.New(slog.NewJSONHandler(&lw{mu: &mu, w: &b}, &slog.HandlerOptions{AddSource: true}))
	l.SetOutput(&lw{mu: &mu, w: &b})
	old := slog.Default()
	slog.SetDefault(j)
	defer slog.SetDefault(old)
	all(5, func(i int) {
		l.Printf("%d", i)
		s.Info("x", "i", i, "v", value(i))
		slog.Warn("y", slog.Group("z", "k", time.Second))
		log.Println("through slog")
		l.SetPrefix(fmt.Sprint(i))
		_ = l.Prefix()
	})
	if b.Len() == 0 {
		t.Error("empty")
	}
}

type lw struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l *lw) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func TestFmt(t *testing.T) {
	w := &lw{mu: new(sync.Mutex), w: new(bytes.Buffer)}
	x := value(3)
	all(5, func(i int) {
		fmt.Fprintf(w, "%d %+v %#v %T %v %x\n", i, x, x.Tags, x, errors.Join(io.EOF, fmt.Errorf("w: %w", os.ErrNotExist)), "s")
		var a int
		var s string
		fmt.Sscanf("12 ab", "%d %s", &a, &s)
		fmt.Sscan("1", &a)
	})
	tw := tabwriter.NewWriter(w, 0, 8, 1, ' ', 0)
	fmt.Fprintln(tw, "a\tb")
	tw.Flush()
}

func TestReflect(t *testing.T) {
	x := value(1)
	all(4, func(i int) {
		v := reflect.ValueOf(x)
		for k := range v.NumField() {
			_ = v.Field(k).Interface()
		}
		reflect.DeepEqual(x, value(1))
		m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[string](), reflect.TypeFor[int]()))
		m.SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(i))
		for it := m.MapRange(); it.Next(); {
			_ = it.Key().String()
		}
		f := reflect.MakeFunc(reflect.TypeFor[func(int) int](), func(a []reflect.Value) []reflect.Value { return a })
		f.Call([]reflect.Value{reflect.ValueOf(i)})
		reflect.StructOf([]reflect.StructField{{Name: "A" + strconv.Itoa(i), Type: reflect.TypeFor[int]()}})
		reflect.ValueOf(&x).MethodByName("None")
		c := reflect.MakeChan(reflect.TypeFor[chan int](), 1)
		c.Send(reflect.ValueOf(i))
		c.Recv()
		reflect.Swapper([]int{1, 2})(0, 1)
	})
	x.ID = 2
}

type fd struct{}
type fconn struct{ n int }
type fstmt struct{ c *fconn }
type frows struct{ i int }
type ftx struct{}

func (fd) Open(string) (driver.Conn, error)            { return &fconn{}, nil }
func (c *fconn) Prepare(q string) (driver.Stmt, error) { c.n++; return &fstmt{c}, nil }
func (c *fconn) Close() error                          { c.n = -1; return nil }
func (c *fconn) Begin() (driver.Tx, error)             { c.n++; return ftx{}, nil }
func (ftx) Commit() error                              { return nil }
func (ftx) Rollback() error                            { return nil }
func (s *fstmt) Close() error                          { s.c.n++; return nil }
func (s *fstmt) NumInput() int                         { return -1 }
func (s *fstmt) Exec([]driver.Value) (driver.Result, error) {
	s.c.n++
	return driver.RowsAffected(1), nil
}
func (s *fstmt) Query([]driver.Value) (driver.Rows, error) { s.c.n++; return &frows{}, nil }
func (r *frows) Columns() []string                         { return []string{"a"} }
func (r *frows) Close() error                              { return nil }
func (r *frows) Next(d []driver.Value) error {
	if r.i++; r.i > 3 {
		return io.EOF
	}
	d[0] = int64(r.i)
	return nil
}

func TestSQL(t *testing.T) {
	sql.Register("fake", fd{})
	db, err := sql.Open("fake", "")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(2)
	db.SetConnMaxLifetime(time.Millisecond)
	st, err := db.Prepare("q")
	if err != nil {
		t.Fatal(err)
	}
	all(6, func(i int) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		rows, err := db.QueryContext(ctx, "q", i)
		if err != nil {
			t.Error(err)
			return
		}
		for rows.Next() {
			var a int
			rows.Scan(&a)
		}
		rows.Close()
		st.Exec(i)
		tx, err := db.BeginTx(ctx, nil)
		if err == nil {
			tx.Exec("x")
			tx.Commit()
		}
		var a int
		db.QueryRow("x").Scan(&a)
	})
	st.Close()
	db.Close()
}

func TestBig(t *testing.T) {
	x, _ := new(big.Int).SetString(strings.Repeat("123456789", 40), 10)
	all(4, func(i int) {
		y := new(big.Int).Mul(x, x)
		y.Exp(big.NewInt(3), big.NewInt(int64(100+i)), x)
		_ = y.String()
		new(big.Float).SetInt(x).Text('g', 10)
	})
}

func TestCodecs(t *testing.T) {
	data := bytes.Repeat([]byte{1, 2, 3}, 100)
	all(4, func(i int) {
		base64.StdEncoding.EncodeToString(data)
		hex.EncodeToString(data)
		binary.Read(bytes.NewReader(data), binary.LittleEndian, new(struct{ A, B uint32 }))
		binary.Write(io.Discard, binary.BigEndian, uint64(1))
		bytes.Index(data, []byte{3, 1})
		bytes.Equal(data, data[:len(data)-1])
		bytes.Count(data, []byte{1})
		strings.NewReplacer("a", "b", "cc", "d").Replace("abcc")
		url.Parse("http://a/b?c=d")
		utf8.Valid(data)
	})
	data[0] = 5
}

var replacer = strings.NewReplacer("a", "b", "<", "&lt;")

func TestReplacer(t *testing.T) {
	all(4, func(i int) { replacer.Replace("a<b"); replacer.WriteString(io.Discard, "xa") })
}

func TestMultipart(t *testing.T) {
	r, w := io.Pipe()
	m := multipart.NewWriter(w)
	go func() {
		for i := range 3 {
			p, _ := m.CreateFormField(fmt.Sprint("f", i))
			io.WriteString(p, "v")
		}
		m.Close()
		w.Close()
	}()
	mr := multipart.NewReader(r, m.Boundary())
	for {
		p, err := mr.NextPart()
		if err != nil {
			break
		}
		io.ReadAll(p)
	}
}

type Arith int

func (a *Arith) Mul(args *[2]int, reply *int) error { *reply = args[0] * args[1]; return nil }

func TestRPC(t *testing.T) {
	s := rpc.NewServer()
	s.Register(new(Arith))
	a, b := net.Pipe()
	go s.ServeConn(a)
	c := rpc.NewClient(b)
	all(4, func(i int) {
		var r int
		if err := c.Call("Arith.Mul", &[2]int{i, 3}, &r); err != nil || r != 3*i {
			t.Error(err, r)
		}
	})
	call := c.Go("Arith.Mul", &[2]int{2, 3}, new(int), nil)
	<-call.Done
	if *call.Reply.(*int) != 6 {
		t.Error("bad")
	}
	c.Close()
}

func TestExpvarFlag(t *testing.T) {
	m := expvar.NewMap("m").Init()
	all(4, func(i int) {
		m.Add(fmt.Sprint(i%2), 1)
		m.AddFloat("f", 1.5)
		expvar.Do(func(kv expvar.KeyValue) {
			if kv.Key == "m" {
				_ = kv.Value.String()
			}
		})
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		n := fs.Int("n", 1, "")
		fs.Parse([]string{"-n", "3"})
		_ = *n
	})
}

func TestTime(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		loc = time.UTC
	}
	all(4, func(i int) {
		n := time.Now().In(loc)
		n.Format(time.RFC1123)
		time.Parse(time.RFC3339, "2020-01-02T03:04:05Z")
		n.Local().Zone()
		time.ParseDuration("1h2s")
		time.LoadLocation("America/New_York")
	})
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	all(4, func(i int) {
		p := filepath.Join(dir, fmt.Sprint(i))
		os.WriteFile(p, []byte("x"), 0o666)
		os.ReadFile(p)
		os.ReadDir(dir)
		filepath.WalkDir(dir, func(string, os.DirEntry, error) error { return nil })
		os.Stat(p)
		os.Getenv("HOME")
		os.CreateTemp(dir, "x*")
		os.Environ()
		os.Getwd()
		root, err := os.OpenRoot(dir)
		if err == nil {
			root.Stat(fmt.Sprint(i))
			root.Close()
		}
	})
}

func TestParallel(t *testing.T) {
	var mu sync.Mutex
	n := 0
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() { mu.Lock(); n++; mu.Unlock(); t.Log("cleaned") })
			t.Log("a", i)
			x := 0
			t.Run("sub", func(t *testing.T) { t.Helper(); x++; t.Logf("%d", x) })
			x++
			if i == 3 {
				t.Skip("no")
			}
			done := make(chan bool)
			go func() { t.Log("from another"); _ = t.Name(); close(done) }()
			<-done
			<-func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()
			_ = t.Context().Err()
		})
	}
}

func TestSetenv(t *testing.T) {
	t.Setenv("A_B", "c")
	t.Chdir(t.TempDir())
	all(3, func(int) { _ = os.Getenv("A_B"); t.Attr("k", "v"); fmt.Fprintln(t.Output(), "x") })
}

func FuzzSeed(f *testing.F) {
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) { t.Parallel(); _ = strings.ToUpper(s) })
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
		}
	})
}

func TestBenchmark(t *testing.T) {
	testing.AllocsPerRun(2, func() {})
	f := testing.Benchmark(func(b *testing.B) { b.SkipNow() })
	_ = f
}

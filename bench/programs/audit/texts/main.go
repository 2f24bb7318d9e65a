// Texts formats, searches, compresses and hashes texts, in goroutines that share templates and
// expressions.
package main

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	htmltemplate "html/template"
	"io"
	"log"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"
	"unicode"
)

var (
	text = template.Must(template.New("text").Parse("{{range $i, $x := .}}{{if $i}}, {{end}}{{printf \"%05.2f\" $x}}{{end}}\n"))
	html = htmltemplate.Must(htmltemplate.New("html").Parse("<p title=\"{{.}}\">{{.}}</p><script>var x = {{.}};</script>"))
	word = regexp.MustCompile(`(\w+)\s*=\s*(\d+)`)
)

func main() {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 3 {
				s, err := formatted(i*10 + j)
				if err != nil {
					log.Fatal(err)
				}
				if err := compressed(s); err != nil {
					log.Fatal(err)
				}
				counted(s)
			}
		})
	}
	wg.Wait()
}

func formatted(n int) (string, error) {
	var b strings.Builder
	if err := text.Execute(&b, []float64{float64(n), 1.5, -2e10}); err != nil {
		return "", err
	}
	if err := html.Execute(&b, fmt.Sprint("a<b> & ", n)); err != nil {
		return "", err
	}
	w := tabwriter.NewWriter(&b, 0, 8, 1, ' ', 0)
	for i := range 10 {
		fmt.Fprintf(w, "k%d = %d\t%v\t%+v\t%q\t%x\n", i, n*i, []int{i, n}, struct{ A, B any }{i, "x"}, "é", n)
	}
	err := w.Flush()
	return word.ReplaceAllString(strings.Repeat(b.String(), 5), "$2:$1"), err
}

func compressed(s string) error {
	var b bytes.Buffer
	for _, w := range []io.WriteCloser{gzip.NewWriter(&b), must(flate.NewWriter(&b, flate.BestCompression))} {
		if _, err := io.WriteString(w, s); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	in := bufio.NewReader(&b)
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	z.Multistream(false)
	for _, r := range []io.Reader{z, flate.NewReader(in)} {
		out, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if string(out) != s {
			return fmt.Errorf("%d bytes, not %d", len(out), len(s))
		}
	}
	return nil
}

func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

func counted(s string) {
	counts := map[string]int{}
	in := bufio.NewScanner(strings.NewReader(s))
	in.Split(bufio.ScanWords)
	for in.Scan() {
		counts[strings.Map(unicode.ToLower, in.Text())]++
	}
	keys := slices.Collect(maps.Keys(counts))
	sort.Strings(keys)
	h := fnv.New64a()
	m, x := md5.New(), sha256.New()
	for _, k := range keys {
		fmt.Fprintf(io.MultiWriter(h, m, x), "%s %d\n", k, counts[k])
	}
	sum := crc32.ChecksumIEEE(m.Sum(x.Sum(nil)))
	for k := range counts {
		if sum%2 == 0 {
			delete(counts, k)
		}
	}
	clear(counts)
	counts[fmt.Sprint(sum)] = int(h.Sum64())
}

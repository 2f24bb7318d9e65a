// Command template has a text/template.Template whose delimiters two goroutines set.
package main

import (
	"sync"
	"text/template"
)

func main() {
	t := template.New("t")
	var wg sync.WaitGroup
	wg.Go(func() { t.Delims("[[", "]]") })
	wg.Go(func() { t.Delims("<<", ">>") })
	wg.Wait()
}

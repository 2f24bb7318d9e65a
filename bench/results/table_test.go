package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFill(t *testing.T) {
	dir := t.TempDir()
	figures := `what: a title
command: run it
asked: 0 lost
date: 2026-11-28
load: quiet
BenchmarkA/small_one/x=1 1 1234567 events 0 lost-races 2.5 cpu-s 0.5 race-cpu-s
BenchmarkA/big/x=1 1 99.74 %-found 8 cpu-s 1 race-cpu-s 12.3456 MB
BenchmarkA/big/x=2 1 1 cpu-s 1 race-cpu-s
`
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(figures), 0o644); err != nil {
		t.Fatal(err)
	}
	page := `before
<!-- rows a.txt -->
what was there
<!-- end -->
between
<!-- table a.txt /x:1 | CPU=cpu-s | x=cpu-s over race-cpu-s | MB=MB -->
<!-- end -->
`
	want := `before
<!-- rows a.txt -->
| what | asked | measured | when | command |
|---|---|---|---|---|
| a title | 0 lost | **1,234,567 events, 0 lost races, 2.5 cpu s, 0.5 race cpu s** | 2026-11-28, quiet | ` + "`run it`" + ` |
| a title | 0 lost | **99.74 % found, 8 cpu s, 1 race cpu s, 12.3456 MB** | 2026-11-28, quiet | ` + "`run it`" + ` |
| a title | 0 lost | **1 cpu s, 1 race cpu s** | 2026-11-28, quiet | ` + "`run it`" + ` |
<!-- end -->
between
<!-- table a.txt /x:1 | CPU=cpu-s | x=cpu-s over race-cpu-s | MB=MB -->
| | CPU | x | MB |
|---|---:|---:|---:|
| small one | 2.5 | 5 | |
| big | 8 | 8 | 12.3 |
| geometric mean | | **6.32** | |

    run it    # 2026-11-28, quiet
<!-- end -->
`
	for range 2 { // filled twice, it stays
		got, err := fill(page, dir)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		page = got
	}
	for _, bad := range []string{"<!-- rows a.txt -->", "<!-- rows a.txt -->\n<!-- rows a.txt -->\n<!-- end -->", "<!-- rows none.txt -->\n<!-- end -->", "<!-- plot a.txt -->\n<!-- end -->", "<!-- table a.txt * | CPU -->\n<!-- end -->"} {
		if _, err := fill(bad, dir); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

package bubble

import (
	"strings"
	"testing"
)

const source = `//go:build !windows

package x_test

import (
	"fmt"
	"os"
	"testing"
)

func helper() {}

func TestRace(t *testing.T) {
	t.Parallel()
	const text = ` + "`a\n\tb\n`" + `
	done := make(chan bool)
	go func() { helper(); done <- true }()
	switch len(text) {
	case 5:
		helper()
	}
	fmt.Println(<-done)
}

func TestSub(t *testing.T) {
	t.Run("a", func(t *testing.T) {})
}

func TestInline(t *testing.T) {
	if true { t.Parallel() }
}

func TestShort(t *testing.T) {}

func TestShadow(t *testing.T) {
	for _, time := range []int{1} {
		helper(time)
	}
}

func BenchmarkX(b *testing.B) {
	helper()
}

var _ = os.Args
`

func race(function string, a, b []Place) *Race {
	return &Race{File: "x_test.go", Function: function, Name: "TestNew", A: Access{"x.go:1", a}, B: Access{"x.go:2", b}}
}

func at(line, col int) []Place { return []Place{{"x.go", 1, 1}, {"x_test.go", line, col}} }

// TestCandidates: the body of the test, with its own strings and imports, and each order of the two
// statements.
func TestCandidates(t *testing.T) {
	list, err := Candidates(race("TestRace", at(19, 20), at(22, 9)), []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 7 {
		t.Fatalf("%d candidates", len(list))
	}
	const want = `//go:build !windows

package x_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestNew is TestRace in a bubble of testing/synctest. There, time.Sleep
// orders nothing. go test -race reports a data race.
func TestNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = ` + "`a\n\tb\n`" + `
		done := make(chan bool)
		go func() { time.Sleep(time.Minute); helper(); done <- true }()
		switch len(text) {
		case 5:
			time.Sleep(2 * time.Minute) // before the access at x.go:2
			helper()
		}
		fmt.Println(<-done)
	})
}
`
	if got := string(list[5].Text); got != want {
		t.Errorf("got:\n%s", got)
	}
	for _, c := range list {
		lines := strings.Split(string(c.Text), "\n")
		for line, text := range map[int]string{16: "b", 19: "go func()", 22: "helper()", 24: "fmt.Println(<-done)"} {
			if n := c.LineOf(line); n == 0 || !strings.HasPrefix(strings.TrimSpace(lines[n-1]), text) {
				t.Errorf("line %d is line %d", line, n)
			}
		}
		if c.LineOf(14) != 0 || c.LineOf(12) != 0 || c.LineOf(0) != 0 {
			t.Error("a line that is left out is somewhere")
		}
	}
	if c := list[0]; strings.Contains(string(c.Text), "Sleep(") {
		t.Error("the first candidate waits")
	}
}

// TestOneSide: only one access is below the body of the test, or both are below one statement.
func TestOneSide(t *testing.T) {
	for _, c := range []struct {
		a, b []Place
		n    int
	}{
		{at(22, 9), []Place{{"x.go", 5, 1}}, 3},
		{[]Place{{"x.go", 5, 1}}, at(22, 9), 3},
		{at(22, 9), at(22, 9), 3},
	} {
		list, err := Candidates(race("TestRace", c.a, c.b), []byte(source))
		if err != nil || len(list) != c.n {
			t.Errorf("%v and %v: %d candidates, %v", c.a, c.b, len(list), err)
		}
	}
}

// TestNone: what has no plain test, and why.
func TestNone(t *testing.T) {
	for function, why := range map[string]string{
		"TestSub":    "calls t.Run",
		"TestInline": "calls t.Parallel",
		"TestShort":  "stands on one line",
		"TestShadow": "a variable named time",
		"BenchmarkX": "is not a test",
		"TestGone":   "has no function",
		"TestRace":   "neither access is below a call",
	} {
		_, err := Candidates(race(function, []Place{{"x.go", 5, 1}}, []Place{{"x.go", 6, 1}}), []byte(source))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", function, err)
		}
	}
	if _, err := Candidates(race("TestRace", at(19, 20), nil), []byte("package")); err == nil {
		t.Error("no error for a file that is no Go code")
	}
}

// TestAlias: the test needs the names that it uses, too, of packages that have others in the file.
func TestAlias(t *testing.T) {
	src := strings.Replace(source, `"os"`, "\"os\"\n\ttm \"time\"", 1)
	src = strings.Replace(src, "helper()\n\t}", "tm.Sleep(1)\n\t}", 1)
	list, err := Candidates(race("TestRace", at(20, 20), at(23, 9)), []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(list[5].Text); !strings.Contains(text, "\ttm \"time\"\n") || !strings.Contains(text, "\t\"time\"\n") {
		t.Errorf("it has not both names of package time:\n%s", text)
	}
}

// TestOldTimers: the test has the timers that a bubble needs.
func TestOldTimers(t *testing.T) {
	r := race("TestRace", at(19, 20), at(22, 9))
	r.OldTimers = true
	list, err := Candidates(r, []byte(source))
	if err != nil || !strings.Contains(string(list[0].Text), "//go:debug asynctimerchan=0\n\npackage") {
		t.Errorf("%v", err)
	}
}

// TestNames: an import is kept by the name of its package, which need not be in its path.
func TestNames(t *testing.T) {
	src := strings.Replace(source, `"os"`, "\"example.com/go-redis/v9\"\n\t. \"strings\"\n\tz \"example.com/y\"\n\t\"example.com/w\"", 1)
	src = strings.NewReplacer("helper()\n\t}", "redis.Do(z.X)\n\t}", "var _ = os.Args", "").Replace(src)
	r := race("TestRace", at(22, 20), at(25, 9))
	r.Packages = map[string]string{"example.com/go-redis/v9": "redis", "example.com/w": "w"}
	list, err := Candidates(r, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	text := string(list[0].Text)
	for _, want := range []string{"\t\"example.com/go-redis/v9\"\n", "\tz \"example.com/y\"\n", "\t. \"strings\"\n", "\t\"fmt\"\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no import %s", want)
		}
	}
	if strings.Contains(text, "example.com/w") || strings.Contains(text, "\"time\"") {
		t.Errorf("imports that nothing uses:\n%s", text)
	}
}

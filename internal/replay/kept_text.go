package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// A kept schedule is a text in four sections, each of which ends in a sum:
//
//	presage schedule 1                              the version of the form; 2, if an access is one of outside code
//	id 4f1d2c3b5a69
//	race "captured last"                            the variable
//	go go1.26.8                                     with which it was kept
//	test example.com/bank                           or run, and what
//	dir .                                           of the command, below the root of the module
//	build -tags=x                                   a flag of the go command; may be repeated, as may the next four
//	flag -run=^Test$                                a flag of the test
//	arg x                                           an argument of the program
//	opaque example.com/bank.F                       a function that the compiler does not take with hooks
//	access example.com/bank store "captured last" 2   how many like an access of the race its package has
//	apart                                           the accesses need not be next to each other
//	seed 0x1f2e3d                                   of random numbers
//	child 0x5ac3 0                                  the hash of the arguments of a child process, and which of those with these it is
//	source bank_test.go 0d9f4cfa11aae1c2            a file that the schedule goes through, with its hash
//	tree 7c1e5d0b92a4f386                           the hash of all Go source below the root: whether anything has changed
//	sum 12ab34cd56ef7890
//
//	func example.com/bank.Test.func1 example.com/bank bank_test.go
//		g1 +2 store last "captured last" | last = 1     a gate: lines below the function's, instruction, expression, object | the line
//		-  +3 call mu.Lock() "" | mu.Lock() one that no step passes; it is here so that the others
//	    can be identified when the function changes
//	outside g5 strings.(*Builder).grow strings/builder.go 67 write | b.buf = buf   where outside code makes an access of the race
//	sum …
//
//	goroutine 1 number 1 first                      the runtime's number in the recorded run
//	goroutine 2 number 7 of 1 at g3 0               the first that goroutine 1 starts at g3
//	goroutine 3 number 8 of 1 by net/http.f 0       the first that code without gates starts for goroutine 1, to run f
//	goroutine 4 number 9 runtime time.goFunc        started by the runtime
//	sum …
//
//	step 1 goroutine 1 g3 go o1
//	step 2 goroutine 2 g1 write o2 after 3 nth 5 held  its goroutine passes g1 three times between its last step and this one, and five times in all
//	step 3 goroutine 1 g4 recv o3 case 2            a select takes this case (step.choice)
//	stop goroutine 1 g5 lock o3                     where a goroutine waits that has no more steps
//	feed goroutine 1 g6 0 0x1f                      the first value that a call records
//	sum …
//	end
//
// Words with spaces are quoted as in Go. Empty lines, and those that begin with #, count for
// nothing. A sum is of all lines before it.
const (
	keptVersion   = 1
	keptOutside   = 2 // of a schedule with an access of outside code
	latestVersion = keptOutside
)

// The words of a step's flags. stops is not among them: it has a line of its own.
var flagWords = []flagWord{{early, "early"}, {parks, "parks"}, {mark, "mark"}, {held, "held"}}

type flagWord struct {
	flag uint8
	word string
}

// summer writes lines, or reads them, with the sums of the sections.
type summer struct{ sum [sha256.Size]byte }

func (s *summer) add(line string) {
	h := sha256.New()
	h.Write(s.sum[:])
	h.Write([]byte(strings.TrimRight(line, " \t\r")))
	h.Sum(s.sum[:0])
}

func (s *summer) String() string { return hex.EncodeToString(s.sum[:8]) }

// Format writes a kept schedule.
func (k *Kept) Format() []byte {
	var b bytes.Buffer
	var sum summer
	line := func(words ...string) {
		text := strings.Join(words, " ")
		sum.add(text)
		b.WriteString(text + "\n")
	}
	end := func() { b.WriteString("sum " + sum.String() + "\n\n") }
	version := keptVersion
	if len(k.places) > 0 {
		version = keptOutside
	}
	line("presage schedule", strconv.Itoa(version))
	b.WriteString("# Kept by presage replay -keep " + k.ID + ". Replay it with: presage replay FILE\n")
	b.WriteString("# It exits with 3 if the race is still there, with 0 if the schedule is no longer feasible.\n")
	k.formatHead(line)
	end()
	for i := range k.funcs {
		k.funcs[i].format(line)
	}
	for _, p := range k.places {
		line("outside", gateName(p.number), word(p.fn), word(p.file), strconv.Itoa(p.line), p.kind().String(), "|", p.text)
	}
	end()
	for i, g := range k.who {
		line(g.words(i + 1)...)
	}
	end()
	for i := range k.steps {
		line(append([]string{"step", strconv.Itoa(i + 1)}, k.steps[i].words()...)...)
	}
	for i := range k.stops {
		line(append([]string{"stop"}, k.stops[i].words()...)...)
	}
	for _, f := range k.feeds {
		line("feed", "goroutine", strconv.Itoa(f.who), gateName(f.gate), strconv.Itoa(f.n), hex0x(f.value))
	}
	end()
	b.Truncate(b.Len() - 1)
	b.WriteString("end\n")
	return b.Bytes()
}

func (k *Kept) formatHead(line func(...string)) {
	line("id", word(k.ID))
	line("race", word(k.Object))
	line("go", word(k.GoVersion))
	line(map[bool]string{true: "test", false: "run"}[k.Test], word(k.Package))
	line("dir", word(k.Dir))
	for _, l := range []struct {
		name string
		list []string
	}{{"build", k.Build}, {"flag", k.Flags}, {"arg", k.Args}, {"opaque", k.opaque}} {
		for _, s := range l.list {
			line(l.name, word(s))
		}
	}
	for _, a := range k.accesses {
		line("access", word(a.pkg), word(a.kind), word(a.object), strconv.Itoa(a.count))
	}
	if k.apart {
		line("apart")
	}
	if k.seed != 0 {
		line("seed", hex0x(k.seed))
	}
	if k.child != 0 {
		line("child", hex0x(k.child), strconv.Itoa(k.nth))
	}
	for _, s := range k.sources {
		line("source", word(s.file), s.hash)
	}
	line("tree", k.tree)
}

func (f *outline) format(line func(...string)) {
	line("func", word(f.name), word(f.pkg), word(f.file))
	for i := range f.gates {
		g := &f.gates[i]
		name := "-"
		if g.number > 0 {
			name = gateName(g.number)
		}
		line("\t"+name, fmt.Sprintf("%+d", g.line), word(g.kind), word(g.expr), word(g.object), "|", g.text)
	}
}

func hex0x(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }

func gateName(n int) string { return "g" + strconv.Itoa(n) }

func (g *keptGoroutine) words(n int) []string {
	out := []string{"goroutine", strconv.Itoa(n), "number", strconv.FormatUint(g.number, 10)}
	switch {
	case g.parent < 0:
		return append(out, "first")
	case g.parent == 0:
		return append(out, "runtime", word(g.name))
	case g.gate > 0:
		return append(out, "of", strconv.Itoa(g.parent), "at", gateName(g.gate), strconv.Itoa(g.ordinal))
	}
	return append(out, "of", strconv.Itoa(g.parent), "by", word(g.name), strconv.Itoa(g.ordinal))
}

func (s *keptStep) words() []string {
	out := []string{"goroutine", strconv.Itoa(s.who), gateName(s.gate), s.kind.String(), "o" + strconv.Itoa(s.object)}
	for _, n := range s.numbers() {
		if *n.value > 0 {
			out = append(out, n.word, strconv.FormatUint(*n.value, 10))
		}
	}
	for _, f := range flagWords {
		if s.flags&f.flag != 0 {
			out = append(out, f.word)
		}
	}
	return out
}

type numberWord struct {
	word  string
	value *uint64
}

// numbers are those of a step that are written where they are not 0.
func (s *keptStep) numbers() []numberWord {
	return []numberWord{{"after", &s.skip}, {"nth", &s.nth}, {"case", &s.choice}}
}

// word is s as one word of a line.
func word(s string) string {
	if s == "" || s == "|" || strings.ContainsAny(s, " \t\"`\\#") || strconv.Quote(s) != `"`+s+`"` {
		return strconv.Quote(s)
	}
	return s
}

package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"presage/internal/trace/format"
)

// A kept schedule is a text in four sections, each of which ends in a sum:
//
//	presage schedule 1                              the version of the form
//	id 4f1d2c3b5a69
//	race "captured last"                            the variable
//	go go1.26.8                                     with which it was kept
//	test example.com/bank                           or run, and what
//	dir .                                           of the command, below the root of the module
//	build -tags=x                                   a flag of the go command; may be repeated, as may the next four
//	flag -run=^Test$                                a flag of the test
//	arg x                                           an argument of the program
//	opaque example.com/bank.F                       a function that the compiler does not take with hooks
//	access example.com/bank store "captured last" 2 how many like an access of the race its package has
//	apart                                           the accesses need not be next to each other
//	seed 0x1f2e3d                                   of random numbers
//	child 0x5ac3 0                                  the hash of the arguments of a child process, and which of those with these it is
//	source bank_test.go 0d9f4cfa11aae1c2            a file that the schedule goes through, with its hash
//	tree 7c1e5d0b92a4f386                           the hash of all Go source below the root: whether anything has changed
//	sum 12ab34cd56ef7890
//
//	func example.com/bank.Test.func1 example.com/bank bank_test.go
//		g1 +2 store last "captured last" | last = 1     a gate: lines below the function's, instruction, expression, object | the line
//		-  +3 call mu.Lock() "" | mu.Lock()             one that no step passes; it is here so that the others can be told when the function changes
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
// Words with spaces are quoted as in Go. Empty lines, and those that begin with #, count for nothing. A sum is of all lines before it.
const keptVersion = 1

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
	line("presage schedule", strconv.Itoa(keptVersion))
	b.WriteString("# Kept by presage replay -keep " + k.ID + ". Replay it with: presage replay FILE\n")
	b.WriteString("# It exits with 3 if the race is still there, with 0 if the schedule is no longer feasible.\n")
	k.formatHead(line)
	end()
	for i := range k.funcs {
		k.funcs[i].format(line)
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

// words takes a line apart, up to a |.
func words(line string) (out []string, err error) {
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" || line == "|" || strings.HasPrefix(line, "| ") {
			return out, nil
		}
		if line[0] == '"' {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a quotation that does not end")
			}
			s, _ := strconv.Unquote(q)
			out, line = append(out, s), line[len(q):]
			continue
		}
		n := strings.IndexAny(line, " \t\r")
		if n < 0 {
			n = len(line)
		}
		out, line = append(out, line[:n]), line[n:]
	}
}

// The sections, as errors name them.
var sections = []string{"the lines of the head", "the functions and their gates", "the goroutines", "the steps"}

// ParseKept reads a kept schedule. What was altered since it was written is an error, which names the section.
func ParseKept(name string, data []byte) (*Kept, error) {
	p := keptParser{kept: &Kept{}}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if t := strings.TrimSpace(line); t == "" || t[0] == '#' {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	switch {
	case p.lines == 0:
		return nil, fmt.Errorf("%s is empty: not a kept schedule", name)
	case !p.ended:
		return nil, fmt.Errorf("%s is cut off in %s: it has no line \"end\"", name, sections[min(p.section, 3)])
	}
	if err := p.kept.consistent(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p.kept, nil
}

type keptParser struct {
	kept    *Kept
	sum     summer
	section int
	lines   int
	ended   bool
}

func (p *keptParser) line(line string) error {
	w, err := words(line)
	if err != nil {
		return err
	}
	p.lines++
	switch {
	case p.lines == 1:
		return p.version(w, line)
	case p.ended:
		return fmt.Errorf("a line behind the end")
	case len(w) == 1 && w[0] == "end" && p.section == len(sections):
		p.ended = true
		return nil
	case p.section == len(sections):
		return fmt.Errorf("%q stands where the file should end", line)
	case w[0] == "sum":
		if len(w) != 2 || w[1] != p.sum.String() {
			return fmt.Errorf("%s are not as presage wrote them: the sum is not that of the lines above", sections[p.section])
		}
		p.section++
		return nil
	}
	p.sum.add(line)
	var ok bool
	switch p.section {
	case 0:
		ok = p.head(w)
	case 1:
		ok, err = p.function(w, line)
	case 2:
		ok, err = p.goroutine(w)
	case 3:
		ok, err = p.step(w)
	}
	if !ok && err == nil {
		err = fmt.Errorf("%q is not a line of %s", strings.TrimSpace(line), sections[p.section])
	}
	return err
}

func (p *keptParser) version(w []string, line string) error {
	if len(w) != 3 || w[0] != "presage" || w[1] != "schedule" {
		return fmt.Errorf("not a kept schedule: it does not begin with \"presage schedule\"")
	}
	if w[2] != strconv.Itoa(keptVersion) {
		return fmt.Errorf("a kept schedule of version %s: this presage reads version %d", w[2], keptVersion)
	}
	p.sum.add(line)
	return nil
}

func (p *keptParser) head(w []string) bool {
	k := p.kept
	switch {
	case len(w) == 1 && w[0] == "apart":
		k.apart = true
		return true
	case len(w) == 3 && w[0] == "source":
		k.sources = append(k.sources, source{w[1], w[2]})
		return true
	case len(w) == 3 && w[0] == "child":
		n, err := strconv.Atoi(w[2])
		k.nth = n
		return hexadecimal(w[1], &k.child) && err == nil
	case len(w) == 5 && w[0] == "access":
		n, ok := number(w[4], "")
		k.accesses = append(k.accesses, access{w[1], w[2], w[3], n})
		return ok
	case len(w) != 2:
		return false
	}
	switch w[0] {
	case "seed":
		return hexadecimal(w[1], &k.seed)
	case "tree":
		k.tree = w[1]
	case "id":
		k.ID = w[1]
	case "race":
		k.Object = w[1]
	case "go":
		k.GoVersion = w[1]
	case "test", "run":
		k.Test, k.Package = w[0] == "test", w[1]
	case "dir":
		k.Dir = w[1]
	case "build":
		k.Build = append(k.Build, w[1])
	case "flag":
		k.Flags = append(k.Flags, w[1])
	case "arg":
		k.Args = append(k.Args, w[1])
	case "opaque":
		k.opaque = append(k.opaque, w[1])
	default:
		return false
	}
	return true
}

func (p *keptParser) function(w []string, line string) (bool, error) {
	k := p.kept
	if w[0] == "func" && len(w) == 4 {
		k.funcs = append(k.funcs, outline{name: w[1], pkg: w[2], file: w[3]})
		return true, nil
	}
	if len(w) != 5 || len(k.funcs) == 0 {
		return false, nil
	}
	n, ok := number(w[0], "g")
	if w[0] != "-" && !ok {
		return false, nil
	}
	at, err := strconv.Atoi(w[1])
	if err != nil {
		return false, nil
	}
	_, text, _ := strings.Cut(line, " | ")
	f := &k.funcs[len(k.funcs)-1]
	f.gates = append(f.gates, outlined{number: n, line: at, kind: w[2], expr: w[3], object: w[4], text: strings.TrimSpace(text)})
	return true, nil
}

func hexadecimal(s string, to *uint64) bool {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64)
	*to = v
	return err == nil
}

// number reads a number with something before it.
func number(s, prefix string) (int, bool) {
	s, ok := strings.CutPrefix(s, prefix)
	n, err := strconv.Atoi(s)
	return n, ok && err == nil && n > 0 && n < 1<<31
}

func (p *keptParser) goroutine(w []string) (bool, error) {
	k := p.kept
	if len(w) < 5 || w[0] != "goroutine" || w[2] != "number" {
		return false, nil
	}
	if want := strconv.Itoa(len(k.who) + 1); w[1] != want {
		return false, fmt.Errorf("goroutine %s stands where goroutine %s should", w[1], want)
	}
	var g keptGoroutine
	var err error
	if g.number, err = strconv.ParseUint(w[3], 10, 64); err != nil {
		return false, nil
	}
	ok := false
	switch w = w[4:]; {
	case len(w) == 1 && w[0] == "first":
		g.parent, ok = -1, len(k.who) == 0
	case len(w) == 2 && w[0] == "runtime":
		g.name, ok = w[1], true
	case len(w) == 5 && w[0] == "of":
		if g.parent, ok = number(w[1], ""); !ok || g.parent > len(k.who) {
			return false, fmt.Errorf("there is no goroutine %s before goroutine %d", w[1], len(k.who)+1)
		}
		if g.ordinal, err = strconv.Atoi(w[4]); err != nil || g.ordinal < 0 {
			return false, nil
		}
		switch w[2] {
		case "at":
			g.gate, ok = number(w[3], "g")
		case "by":
			g.name = w[3]
		default:
			ok = false
		}
	}
	k.who = append(k.who, g)
	return ok, nil
}

func (p *keptParser) step(w []string) (bool, error) {
	k := p.kept
	switch {
	case w[0] == "step" && len(w) > 1:
		if want := strconv.Itoa(len(k.steps) + 1); w[1] != want {
			return false, fmt.Errorf("step %s stands where step %s should: a step was left out, or two were swapped", w[1], want)
		}
		s, ok := stepOf(w[2:])
		k.steps = append(k.steps, s)
		return ok, nil
	case w[0] == "stop":
		s, ok := stepOf(w[1:])
		s.flags |= stops
		k.stops = append(k.stops, s)
		return ok, nil
	case w[0] == "feed" && len(w) == 6 && w[1] == "goroutine":
		var f keptFeed
		var ok1, ok2 bool
		var err error
		f.who, ok1 = number(w[2], "")
		f.gate, ok2 = number(w[3], "g")
		f.n, err = strconv.Atoi(w[4])
		ok := ok1 && ok2 && err == nil && f.n >= 0 && hexadecimal(w[5], &f.value)
		k.feeds = append(k.feeds, f)
		return ok, nil
	}
	return false, nil
}

// stepOf reads what stands behind the number of a step.
func stepOf(w []string) (s keptStep, ok bool) {
	if len(w) < 5 || w[0] != "goroutine" {
		return s, false
	}
	var ok1, ok2, ok3 bool
	s.who, ok1 = number(w[1], "")
	s.gate, ok2 = number(w[2], "g")
	s.object, ok3 = number(w[4], "o")
	for kind := range format.Max {
		if kind.Valid() && kind.String() == w[3] {
			s.kind = kind
		}
	}
	if !ok1 || !ok2 || !ok3 || s.kind == format.Invalid {
		return s, false
	}
	for w = w[5:]; len(w) > 0; w = w[1:] {
		if i := slices.IndexFunc(s.numbers(), func(n numberWord) bool { return n.word == w[0] }); i >= 0 && len(w) > 1 {
			n, err := strconv.ParseUint(w[1], 10, 62)
			if err != nil {
				return s, false
			}
			*s.numbers()[i].value = n
			w = w[1:]
			continue
		}
		i := slices.IndexFunc(flagWords, func(f flagWord) bool { return f.word == w[0] })
		if i < 0 {
			return s, false
		}
		s.flags |= flagWords[i].flag
	}
	return s, true
}

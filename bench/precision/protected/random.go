package protected

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A random program has one to three objects, each reached along some path: a variable, a field, a
// map, an interface, a library. The store section has one to four operations. The look section may
// have operations too, and assigns a random predicate to ok. What the predicate is worth is not
// known here: check runs the program, and drops it unless the predicate is false before the store
// and true after it.

// generate returns n random programs. Program i of a seed is the same whatever n is.
func generate(n int, seed uint64) []*program {
	kinds, err := readObjects(objectText)
	if err != nil {
		panic(err) // TestObjects
	}
	var all []*program
	for i := range n {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(i))), kinds: kinds, declared: map[string]bool{}}
		g.program = &program{family: "random", name: fmt.Sprintf("s%d-%d", seed, i), text: map[string]string{}}
		g.generate()
		all = append(all, g.program)
	}
	return all
}

// generator makes one program.
type generator struct {
	*rand.Rand
	*program
	kinds    []*object
	objects  []*instance
	declared map[string]bool
	count    int // of names
}

// instance is an object of a program.
type instance struct {
	*object
	path string // the expression that reaches it
}

func (g *generator) generate() {
	for range 1 + (1+g.IntN(5))/2 {
		g.addObject()
	}
	main := g.objects[0]
	must := main.ops[g.IntN(len(main.ops))]
	if known := main.known(); len(known) > 0 && g.IntN(2) == 0 {
		must = known[g.IntN(len(known))]
	}
	number := 100 + g.IntN(9000)
	ok := g.predicate(main, must, number)
	store := []string{main.fill(must.do, number)}
	if known := main.known(); strings.Contains(ok, "was") && len(known) > 0 {
		// more that a comparison may see
		store = append(store, main.fill(known[g.IntN(len(known))].do, number))
	}
	for range g.IntN(4) {
		store = slices.Insert(store, g.IntN(len(store)+1), g.anyOp(g.beside()))
	}
	var look []string
	for range max(0, g.IntN(5)-2) {
		look = append(look, g.anyOp(g.beside()))
	}
	g.raced()
	g.nestLocks(&store, &look, &ok)
	g.add("store", g.wrap(strings.Join(store, "\n")))
	g.add("look", g.wrap(strings.Join(append(look, "ok = "+ok), "\n")))
	if g.IntN(4) == 0 {
		g.add("third", g.wrap(g.anyOp(g.beside())))
	}
}

// known are the operations after which something is known to be true.
func (o *object) known() []op {
	return slices.DeleteFunc(slices.Clone(o.ops), func(p op) bool { return p.after == "" })
}

// name returns a name that the program does not have yet.
func (g *generator) name(prefix string) string {
	g.count++
	return fmt.Sprint(prefix, g.count)
}

// beside returns an object, seldom the one that the predicate is about.
func (g *generator) beside() *instance {
	if len(g.objects) == 1 || g.IntN(5) == 0 {
		return g.objects[0]
	}
	return g.objects[1+g.IntN(len(g.objects)-1)]
}

func (g *generator) anyOp(o *instance) string {
	return o.fill(o.ops[g.IntN(len(o.ops))].do, 100+g.IntN(9000))
}

// fill puts the object and a number into a text.
func (o *instance) fill(text string, number int) string {
	return strings.ReplaceAll(replaceWord(text, o.path), "#", fmt.Sprint(number))
}

// replaceWord replaces the word O.
func replaceWord(text, path string) string {
	var b strings.Builder
	letter := func(i int) bool {
		if i < 0 || i >= len(text) {
			return false
		}
		c := text[i] | 0x20
		return 'a' <= c && c <= 'z' || text[i] == '_'
	}
	for i := range len(text) {
		if text[i] == 'O' && !letter(i-1) && !letter(i+1) {
			b.WriteString(path)
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// addObject adds an object and the expression for it.
func (g *generator) addObject() {
	k := g.kinds[g.IntN(len(g.kinds))]
	for _, r := range k.requires {
		if !slices.Contains(g.requires, r) {
			g.requires = append(g.requires, r)
		}
	}
	if !g.declared[k.name] {
		g.declared[k.name] = true
		for _, line := range k.imports {
			g.add("import", line)
		}
		for _, line := range k.declare {
			g.add("declare", line)
		}
	}
	v := g.name("o")
	g.add("setup", fmt.Sprintf("%s := %s", v, k.make))
	path := g.reach(v, k.typ)
	g.add("setup", "_ = "+v)
	if strings.HasPrefix(path, "p") {
		rest := strings.TrimLeft(path[1:], "0123456789")
		g.add("setup", "_ = "+strings.TrimSuffix(path, rest))
	}
	g.objects = append(g.objects, &instance{k, path})
}

// reach returns an expression for a variable, along a random path.
func (g *generator) reach(v, typ string) string {
	p := g.name("p")
	set := func(format string, arg ...any) { g.add("setup", fmt.Sprintf(format, arg...)) }
	switch g.IntN(12) {
	case 0:
		set("%s := struct {\nn int\nv %s\n}{1, %s}", p, typ, v)
		return p + ".v"
	case 1:
		set("%s := map[string]%s{\"k\": %s}", p, typ, v)
		return p + "[\"k\"]"
	case 2:
		set("%s := []%s{%s, %s}", p, typ, v, v)
		return p + "[1]"
	case 3:
		g.add("declare", fmt.Sprintf("var %s %s", p, typ))
		set("%s = %s", p, v)
		return p
	case 4:
		set("var %s any = %s", p, v)
		return fmt.Sprintf("%s.(%s)", p, typ)
	case 5:
		set("%s := func() %s { return %s }", p, typ, v)
		return p + "()"
	case 6:
		set("%s := context.WithValue(context.Background(), %d, %s)", p, g.count, v)
		return fmt.Sprintf("%s.Value(%d).(%s)", p, g.count, typ)
	case 7:
		set("%s := list.New()\n%s.PushBack(%s)", p, p, v)
		return fmt.Sprintf("%s.Front().Value.(%s)", p, typ)
	case 8:
		set("%s := new(atomic.Value)\n%s.Store(%s)", p, p, v)
		return fmt.Sprintf("%s.Load().(%s)", p, typ)
	}
	return v
}

// predicate returns an expression that must.do of an object may make true.
func (g *generator) predicate(o *instance, must op, number int) string {
	if must.after != "" && g.IntN(3) > 0 {
		ok := o.fill(must.after, number)
		if g.IntN(4) == 0 && len(o.numbers) > 0 {
			ok = fmt.Sprintf("%s && %s", ok, g.compare(o))
		}
		return ok
	}
	if len(o.same)+len(o.numbers) == 0 {
		if must.after != "" {
			return o.fill(must.after, number)
		}
		return "false" // nothing shows: check drops the program
	}
	return g.compare(o)
}

// compare returns an expression that compares a value of the object with the one at the beginning.
func (g *generator) compare(o *instance) string {
	was := g.name("was")
	i := g.IntN(len(o.same) + len(o.numbers))
	if i >= len(o.same) && g.IntN(2) == 0 {
		is := o.fill(o.numbers[i-len(o.same)], 0)
		g.add("setup", fmt.Sprintf("%s := %s", was, is))
		return fmt.Sprintf("%s %s %s", is, [...]string{">", ">", ">", "<"}[g.IntN(4)], was)
	}
	is := o.fill(slices.Concat(o.same, o.numbers)[i], 0)
	switch g.IntN(4) {
	case 0:
		is = fmt.Sprintf("fmt.Sprint(%s)", is)
	case 1:
		is = fmt.Sprintf("crc32.ChecksumIEEE([]byte(fmt.Sprint(%s)))", is)
	}
	g.add("setup", fmt.Sprintf("%s := %s", was, is))
	return fmt.Sprintf("%s != %s", is, was)
}

// raced chooses the variable that is raced on.
func (g *generator) raced() {
	v := g.name("v")
	switch g.IntN(8) {
	case 0:
		g.add("setup", v+" := 0")
		g.add("shared", v)
	case 1:
		g.add("declare", fmt.Sprintf("var %s struct{ a, b int }", v))
		g.add("shared", v+".b")
	case 2:
		g.add("setup", v+" := make([]int, 4)")
		g.add("shared", v+"[3]")
	case 3:
		g.add("setup", fmt.Sprintf("%s := &struct{ n int }{}", v))
		g.add("shared", v+".n")
	}
}

// nestLocks puts both sections into critical sections of another lock, some of the time.
func (g *generator) nestLocks(store, look *[]string, ok *string) {
	if g.IntN(5) != 0 {
		return
	}
	m := g.name("m")
	if g.IntN(2) == 0 {
		g.add("setup", fmt.Sprintf("var %s sync.Mutex", m))
		*look = append(*look, m+".Lock()")
		*ok += fmt.Sprintf("\n%s.Unlock()", m)
	} else {
		g.add("setup", fmt.Sprintf("var %s sync.RWMutex", m))
		*look = append(*look, m+".RLock()")
		*ok += fmt.Sprintf("\n%s.RUnlock()", m)
	}
	*store = slices.Concat([]string{m + ".Lock()"}, *store, []string{m + ".Unlock()"})
}

// wrap puts statements into something that executes them once.
func (g *generator) wrap(s string) string {
	v := g.name("w")
	switch g.IntN(14) {
	case 0:
		return fmt.Sprintf("func() {\n%s\n}()", s)
	case 1:
		return fmt.Sprintf("func() {\ndefer func() {\n%s\n}()\n}()", s)
	case 2:
		return fmt.Sprintf("new(sync.Once).Do(func() {\n%s\n})", s)
	case 3:
		g.add("declare", fmt.Sprintf("type %s interface{ Do() }\ntype %sf func()\nfunc (f %sf) Do() { f() }", v, v, v))
		return fmt.Sprintf("%s(%sf(func() {\n%s\n})).Do()", v, v, s)
	case 4:
		g.add("declare", fmt.Sprintf("func %s(f func()) { f() }", v))
		return fmt.Sprintf("%s(func() {\n%s\n})", v, s)
	case 5:
		return fmt.Sprintf("for range 1 {\n%s\n}", s)
	case 6:
		return fmt.Sprintf("strings.Map(func(r rune) rune {\n%s\nreturn r\n}, \"a\")", s)
	case 7:
		return fmt.Sprintf("reflect.ValueOf(func() {\n%s\n}).Call(nil)", s)
	case 8:
		g.add("declare", fmt.Sprintf("func %s[T any](v T, f func(T)) { f(v) }", v))
		return fmt.Sprintf("%s(1, func(int) {\n%s\n})", v, s)
	case 9:
		return fmt.Sprintf("sync.OnceFunc(func() {\n%s\n})()", s)
	}
	return s
}

package cli

import (
	"go/build"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/typo"
)

// goArgs is a command line of test or run, taken apart: presage's own flags, the
// go command's flags, packages, and the arguments of the program.
type goArgs struct {
	options
	dir      string   // -C
	flags    []string // of the go command, each in one argument
	packages []string
	// of the program; for test, from -args, or the first flag that go test does not know, on
	args  []string
	help  bool
	given [][2]string // presage's own flags, with their values
}

// options are presage's own flags.
type options struct {
	json       bool
	forms      forms // of the report
	out        string
	instrument []string
	exclude    []string
	only       []string
	reach      string // how what calls of left-out packages can reach is found
	level      string
	window     int
	budget     int
	effort     int
	missing    string // analyze: the assumption about calls of excluded code
	quiet      bool
	time       time.Duration // for what comes behind the tests; 0: defaultTime
	// for replays of what is found; 0: none, confirmRest: what -time leaves
	confirm  time.Duration
	disk     disk.Share // what the recording may take of the disk
	memory   disk.Share // and the analysis of memory
	suppress suppressFlags
	static   string // the tier of the static lens's warnings to mark; "": none
	online   onlineFlags
	after    string // a shell command for the end; "": none
	exitCode int    // if races were found
}

// ownFlags are presage's own flags.
var ownFlags = strings.Fields(`
	json format o instrument exclude only reach disk level window budget effort time memory confirm static baseline write-baseline new ignore online halt on-race filter after exitcode q`)

// boolFlags are the flags of go build, go test and presage that take no value from
// the next argument; valueFlags are those that do.
var (
	boolFlags = strings.Fields(`
		a n race msan asan cover work x v linkshared modcacherw trimpath buildvcs i c json short failfast benchmem fullpath artifacts q confirm static write-baseline online halt
		test.v test.short test.failfast test.benchmem test.fullpath test.paniconexit0`)
	valueFlags = strings.Fields(`
		C asmflags buildmode compiler covermode coverpkg gccgoflags gcflags installsuffix ldflags mod modfile overlay p pgo pkgdir tags toolexec
		bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile exec fuzz fuzzminimizetime fuzztime list memprofile
		memprofilerate mutexprofile mutexprofilefraction outputdir parallel run shuffle skip timeout trace vet
		test.bench test.benchtime test.count test.cpu test.list test.parallel test.run test.skip test.timeout
		o format instrument exclude only reach disk level window budget effort time memory baseline new ignore on-race filter after exitcode`)
)

// A covered package would be neither recorded nor known to be unrecorded: what is
// predicted about the others would be false.
const noCover = "the go command builds covered packages from their original sources, without the recorder; run go test with it beside presage"

// refused are flags that leave nothing to record, or that presage uses itself.
var refused = map[string]string{
	"race":    "presage takes the place of -race; run go test -race beside it",
	"msan":    "presage cannot record a program built with -msan",
	"asan":    "presage cannot record a program built with -asan",
	"overlay": "presage builds with an overlay of its own",
	"c":       "presage records a run; -c has none",
	"n":       "presage records a run; -n has none",

	"cover":        noCover,
	"covermode":    noCover,
	"coverpkg":     noCover,
	"coverprofile": noCover,
}

// parseGo takes the arguments of test (or run) apart.
func parseGo(argv []string, test bool) (*goArgs, error) {
	g := &goArgs{options: options{level: levelPath, confirm: confirmRest, exitCode: exitRaces}}
	g, err := g.parse(argv, test)
	if err == nil && slices.ContainsFunc(g.flags, func(f string) bool { return f == "-v" || f == "-v=true" }) {
		g.forms.verbose(g.json)
	}
	return g, err
}

func (g *goArgs) parse(argv []string, test bool) (*goArgs, error) {
	for i := 0; i < len(argv); i++ {
		arg := argv[i]
		if test && (arg == "-args" || arg == "--args") {
			g.args = argv[i:]
			break
		}
		if !test && arg == "--" || len(arg) < 2 || arg[0] != '-' {
			rest, err := g.operands(argv[i:], test)
			if err != nil || rest == 0 {
				return g, err
			}
			i += rest - 1
			continue
		}
		name, value, inline := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if near := misspelt(name); test && near != "" {
			return nil, usagef("flag -%s: neither presage test nor go test has one of that name; did you mean -%s? A flag of the test binary itself comes after -args", name, near)
		}
		if test && !known(name) { // go test leaves it, and what follows, to the test binary
			g.args = argv[i:]
			break
		}
		if !test && !known(name) {
			return nil, usagef("flag %s: neither presage run nor go build has one of that name; what is for the program comes after the package", arg)
		}
		next := ""
		if i+1 < len(argv) {
			next = argv[i+1]
		}
		used, err := g.flag(arg, name, value, inline, next, i+1 < len(argv))
		if err != nil {
			return nil, err
		}
		i += used
	}
	return g, nil
}

// misspelt returns the flag of presage that an unknown one is, with a letter more, less or another
// one, or two letters in the wrong order; "" if there is none.
func misspelt(flag string) string {
	if known(flag) {
		return ""
	}
	for _, own := range ownFlags {
		if len(own) > 3 && (typo.Distance(flag, own) == 1 || swapped(flag, own)) {
			return own
		}
	}
	return ""
}

// swapped reports whether a is b with two neighbouring letters in the wrong order.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[:i] == b[:i] && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
			return a != b
		}
	}
	return false
}

func known(flag string) bool {
	return flag == "h" || flag == "help" || slices.Contains(boolFlags, flag) || slices.Contains(valueFlags, flag)
}

// operands takes packages and, for run, the arguments of the program. It returns how
// many it took; for run that is the end: 0.
func (g *goArgs) operands(argv []string, test bool) (int, error) {
	if test {
		g.packages = append(g.packages, argv[0])
		return 1, nil
	}
	n := 0
	for n < len(argv) && strings.HasSuffix(argv[n], ".go") { // as in go run a.go b.go
		n++
	}
	if n == 0 && argv[0] != "--" {
		n = 1
		if path, _, ok := strings.Cut(argv[0], "@"); ok && !build.IsLocalImport(path) && !filepath.IsAbs(path) {
			return 0, usagef("%s: presage records programs of the module in the directory, not of a version apart from it; in a module, go get %[1]s, and then presage run -instrument %[2]s %[2]s", argv[0], path)
		}
	}
	g.packages, g.args = argv[:n], argv[n:]
	if len(g.args) > 0 && g.args[0] == "--" {
		g.args = g.args[1:]
	}
	return 0, nil
}

// flag takes one flag and returns how many further arguments it used.
func (g *goArgs) flag(arg, name, value string, inline bool, next string, hasNext bool) (int, error) {
	if name == "h" || name == "help" {
		g.help = true
		return 0, nil
	}
	if why := refused[name]; why != "" && value != "false" {
		return 0, usagef("flag -%s: %s", name, why)
	}
	used := 0
	if !inline && slices.Contains(valueFlags, name) {
		if !hasNext {
			return 0, usagef("flag -%s needs a value", name)
		}
		value, used = next, 1
	}
	if v := meant(name, next); !inline && v != "" {
		return 0, apart(name, next, v)
	}
	own, err := g.own(name, value, inline)
	if own {
		g.given = append(g.given, [2]string{name, value})
	}
	if own || err != nil {
		if own && err == nil && predicts[name] && !(name == "confirm" && value == "off") {
			g.online.without = name
		}
		return used, err
	}
	if used == 1 { // one argument each, so that a value is not taken for a flag
		arg += "=" + value
	}
	g.flags = append(g.flags, arg)
	if name == "C" {
		g.dir = value
	}
	return used, nil
}

// meant returns the value of a flag of presage, whose value is optional, if the argument next to
// the flag is one. It is "" for a package. The argument all is a pattern of the go command.
func meant(flag, next string) string {
	switch {
	case next == "all" || !slices.Contains(ownFlags, flag) || !slices.Contains(boolFlags, flag):
		return ""
	case flag == "confirm":
		if _, err := confirmValue(next, true); err == nil {
			return next
		}
	case flag == "static":
		if _, err := staticValue(next, true); err == nil {
			return next
		}
	default:
		return booleans[next]
	}
	return ""
}

// own takes the flag if it is one of presage's.
func (g *goArgs) own(name, value string, inline bool) (own bool, err error) {
	switch name {
	case "json":
		if g.json, err = boolValue(name, value, inline); err == nil {
			err = g.forms.check(g.json)
		}
	case "format":
		if err = g.forms.Set(value); err == nil {
			err = g.forms.check(g.json)
		}
	case "q":
		g.quiet, err = boolValue(name, value, inline)
	case "o":
		g.out = value
	case "instrument":
		g.instrument = append(g.instrument, value)
	case "exclude":
		g.exclude = append(g.exclude, value)
	case "only":
		g.only = append(g.only, value)
	case "reach":
		if !slices.Contains(record.Reaches, record.Reach(value)) {
			return true, usagef("flag -reach: %q is none of %s", value, record.ReachNames())
		}
		g.reach = value
	case "disk":
		g.disk, err = shareValue(name, value)
	case "level":
		if err := checkLevel("-level", value); err != nil {
			return true, err
		}
		g.level = value
	case "window":
		g.window, err = intValue(name, value)
	case "budget":
		g.budget, err = intValue(name, value)
	case "effort":
		g.effort, err = intValue(name, value)
	case "memory":
		g.memory, err = shareValue(name, value)
	case "time":
		if g.time, err = timeValue(value); err != nil {
			return true, usagef("flag -time: %v", err)
		}
	case "static":
		g.static, err = staticValue(value, inline)
	case "confirm":
		g.confirm, err = confirmValue(value, inline)
	case "baseline":
		err = givenValue(name, value, &g.suppress.baseline)
	case "new":
		err = givenValue(name, value, &g.suppress.since)
	case "ignore":
		err = g.suppress.ignore.Set(value)
	case "after":
		err = givenValue(name, value, &g.after)
	case "exitcode":
		if g.exitCode, err = strconv.Atoi(value); err != nil || g.exitCode < 0 || g.exitCode > 125 {
			return true, usagef("flag -exitcode: %q is no number from 0 to 125", value)
		}
	case "write-baseline":
		g.suppress.write, err = boolValue(name, value, inline)
	case "online":
		g.online.on, err = boolValue(name, value, inline)
	case "halt":
		g.online.halt, err = boolValue(name, value, inline)
	case "filter":
		if g.online.filter = value; value != filterTree && value != filterNone {
			return true, usagef("flag -filter: %q is neither tree nor none", value)
		}
	case "on-race":
		g.online.command = value
	default:
		return false, nil
	}
	return true, err
}

// confirmRest is all of the time that is left (CM3).
const confirmRest time.Duration = math.MaxInt64

func confirmValue(value string, inline bool) (time.Duration, error) {
	if !inline || value == "on" {
		return confirmRest, nil
	}
	if value == "off" {
		return 0, nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return 0, usagef("flag -confirm: %q is neither on, off nor a time such as 2m", value)
	}
	return d, nil
}

func boolValue(name, value string, inline bool) (bool, error) {
	if !inline {
		return true, nil
	}
	b, err := strconv.ParseBool(value)
	if err != nil {
		return false, usagef("flag -%s: %q is not a boolean", name, value)
	}
	return b, nil
}

// givenValue is a value that must not be empty.
func givenValue(name, value string, to *string) error {
	if *to = value; value == "" {
		return usagef("flag -%s: it is empty", name)
	}
	return nil
}

func shareValue(name, value string) (disk.Share, error) {
	s, err := disk.ParseShare(value)
	if err != nil {
		return s, usagef("flag -%s: %v", name, err)
	}
	return s, nil
}

func intValue(name, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, usagef("flag -%s: %q is not a positive number", name, value)
	}
	return n, nil
}

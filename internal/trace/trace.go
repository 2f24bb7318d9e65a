package trace

import "github.com/presage-race/presage/internal/trace/format"

// What an event is made of stands in package format, which imports nothing: detectors that may run
// inside the program know these types and no more.
type (
	GoID  = format.GoID
	Addr  = format.Addr
	Site  = format.Site
	Event = format.Event
)

// Meta explains a trace: where it came from and what its numbers stand for.
type Meta struct {
	Source    string `json:"source"` // "presage", or the format it was converted from
	GoVersion string `json:"go_version,omitempty"`
	GOOS      string `json:"goos,omitempty"`
	GOARCH    string `json:"goarch,omitempty"`
	// the program under test and its arguments
	Command []string `json:"command,omitempty"`
	Dir     string   `json:"dir,omitempty"` // where it was built
	// those of go list: -tags, -mod, -modfile
	BuildFlags []string `json:"build_flags,omitempty"`
	// what go list needs besides in the environment: GOWORK
	BuildEnv []string `json:"build_env,omitempty"`
	Packages []string `json:"packages,omitempty"`
	// of Packages, those whose tests were built
	Tested []string `json:"tested,omitempty"`
	// those that the command named in place of a package, which has the path command-line-arguments
	GoFiles []string `json:"gofiles,omitempty"`
	// packages left out: Obj of a MethodBegin counts them from 1
	Missing    []MissingPackage `json:"missing,omitempty"`
	Files      []File           `json:"files,omitempty"`
	Funcs      []Func           `json:"funcs,omitempty"`      // index: FuncID
	Sites      []SiteInfo       `json:"sites,omitempty"`      // index: Site; entry 0 is empty
	Goroutines []Goroutine      `json:"goroutines,omitempty"` // index: GoID
	// named objects, for traces whose objects have names
	Objects  []Object  `json:"objects,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`

	// Variables is what package initialisation left in package-level variables, or parts of them;
	// by address, not overlapping. Of those that the trace accesses it has those accessed only
	// after event VariablesAt, of the others those that are small.
	Variables   []Memory `json:"variables,omitempty"`
	VariablesAt int64    `json:"variables_at,omitempty"`

	// Globals are the addresses of package-level variables of instrumented packages, also of those
	// that the trace does not access.
	Globals []Global `json:"globals,omitempty"`

	// Channels are channels to which package-level variables pointed before event VariablesAt, by
	// address. They were empty and open, and the trace has no operation on them up to there.
	Channels []Channel `json:"channels,omitempty"`

	// Functions and Conds are function values and Conds to which package-level variables pointed
	// before event VariablesAt, by address.
	Functions []Function `json:"functions,omitempty"`
	Conds     []Cond     `json:"conds,omitempty"`

	// Texts is what string constants say, where an address and a length in the trace may be those
	// of one: read-only data, by address, not overlapping.
	Texts []Memory `json:"texts,omitempty"`

	// Keys is the version of the keys of sites, 0 without them.
	Keys int `json:"keys,omitempty"`

	Process *Process `json:"process,omitempty"`

	// Unhooked says that some outside code is compiled without access hooks, by Go's own compiler:
	// its accesses are not in the trace.
	Unhooked bool `json:"unhooked,omitempty"`

	// TestPackage is the package whose tests the process ran; "": it ran none.
	TestPackage string `json:"test_package,omitempty"`

	// Outside says where, in Files, Funcs and Sites, those of outside code begin, of which accesses
	// alone are recorded; nil: there are none.
	Outside *Outside `json:"outside,omitempty"`
}

// Outside is the lengths of the tables without outside code.
type Outside struct {
	Files int `json:"files"`
	Funcs int `json:"funcs"`
	Sites int `json:"sites"`
}

// MissingPackage is a package of which nothing was traced but the calls into it.
type MissingPackage struct {
	Path string `json:"path"`
}

// Process is what a replay needs to know of the process that was recorded.
type Process struct {
	Seed  uint64 `json:"seed,omitempty"`  // of its random numbers; 0: they were the runtime's own
	Args  uint64 `json:"args,omitempty"`  // hash of its arguments without its name
	Child bool   `json:"child,omitempty"` // another recorded process started it
	// which of the child processes with these arguments, from 0, in the order of their starts
	Nth int `json:"nth,omitempty"`
}

// Global is a package-level variable.
type Global struct {
	Name string `json:"name"` // its package's path, a dot and its name
	Addr Addr   `json:"addr"`
	Size uint64 `json:"size,omitempty"`
	// Own says that only instrumented code accesses it, once its package is initialised.
	Own bool `json:"own,omitempty"`
	// Watched says that the trace has the first write of each byte by outside code after event
	// VariablesAt, except what calls write that begin with an Observe of StateC or FlagNoValue.
	Watched bool `json:"watched,omitempty"`
}

// Channel is a channel that package initialisation has made.
type Channel struct {
	Addr Addr   `json:"addr"`
	Cap  uint64 `json:"cap,omitempty"`
}

// Function is a function value without captured variables. Or sync.OnceFunc or the like has made
// it: then it has a Once, and the first call runs the function value at Runs.
type Function struct {
	Addr Addr   `json:"addr"`
	Func FuncID `json:"func"` // not with a Once
	Once Addr   `json:"once,omitempty"`
	Runs Addr   `json:"runs,omitempty"`
}

// Cond is a sync.Cond that package initialisation has made.
type Cond struct {
	Addr   Addr `json:"addr"`
	Lock   Addr `json:"lock"`             // a Mutex or an RWMutex
	Shared bool `json:"shared,omitempty"` // it is locked for reading
}

// Memory is the content of some memory.
type Memory struct {
	Addr Addr   `json:"addr"`
	Data []byte `json:"data"`
}

// File is a source file of the program, with the hash it had when it was recorded.
type File struct {
	Name string `json:"name"`
	Hash string `json:"hash,omitempty"` // hex SHA-256 of the content
}

// FuncID is an index into Meta.Funcs.
type FuncID uint32

// Func is a function of the instrumented packages.
type Func struct {
	Name   string `json:"name"` // as in a Go stack trace
	Pkg    string `json:"pkg"`
	File   int32  `json:"file"`
	Line   int32  `json:"line"`
	Opaque string `json:"opaque,omitempty"` // why it was left as written; "": it was instrumented
	// the package and name of the declared function that a literal is in, without the marks of
	// pointer receivers and type parameters; "": Name
	Outer string `json:"outer,omitempty"`
}

// SiteInfo says what stands at a site.
type SiteInfo struct {
	Func  FuncID `json:"func"`
	Block int32  `json:"block"` // index of the basic block
	// index of the instruction in the block; -1 for the block itself
	Instr  int32  `json:"instr"`
	File   int32  `json:"file"`             // index into Meta.Files, -1 if unknown
	Line   int32  `json:"line"`             //
	Col    int32  `json:"col"`              //
	Expr   string `json:"expr,omitempty"`   // the expression accessed, as in the source: c.balance
	Defers bool   `json:"defers,omitempty"` // of a function: it may defer calls of outside code
	// of a call of outside code: it touches no memory that the program can have; of a go statement:
	// the goroutine runs none before an instrumented function
	Apart bool `json:"apart,omitempty"`
	// the variable, field or element type: (*Account).balance
	Object string `json:"object,omitempty"`
	// tells accesses of one function, kind and object apart, however the source is edited elsewhere
	Key string `json:"key,omitempty"`
	// the position's name in the trace it was converted from
	Name string `json:"name,omitempty"`
}

// Goroutine describes one goroutine of the trace.
type Goroutine struct {
	Name   string `json:"name,omitempty"` // its name in the trace it was converted from
	Parent GoID   `json:"parent"`
	Site   Site   `json:"site,omitempty"`   // the go statement
	Func   string `json:"func,omitempty"`   // the function it runs
	RunID  uint64 `json:"run_id,omitempty"` // the runtime's own number
	Test   string `json:"test,omitempty"`   // the test that it runs from its start
}

// Object gives a name to an address or synchronisation object.
type Object struct {
	Addr Addr   `json:"addr"`
	Name string `json:"name"`
}

// Warning is a counted statement of what the trace does not hold.
type Warning struct {
	Code  string `json:"code"` // stable, kebab-case
	Count int    `json:"count"`
	Text  string `json:"text"`
}

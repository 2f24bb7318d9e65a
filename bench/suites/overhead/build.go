package overhead

import "github.com/presage-race/presage/internal/record"

// A build is how a subject is built and run.
type build struct {
	name     string
	flags    []string // after the verb
	recorded bool     // by presage, in place of the go command
	env      []string
	limit    cost // of the mean, in times of -race
}

var (
	plain = build{name: "plain"}
	race  = build{name: "-race", flags: []string{"-race"}}
)

// recordings returns the recorded builds that a value of -compiler stands for, none if it is
// unknown.
func recordings(compiler string) []build {
	edited := build{name: "edited", recorded: true, env: []string{record.EnvCompiler + "=auto"}, limit: cost{cpu: 1.0, wall: 1.2}}
	gc := build{name: "gc", recorded: true, env: []string{record.EnvCompiler + "=plain"}, limit: cost{cpu: 1.6, wall: 1.2}}
	switch compiler {
	case "edited":
		return []build{edited}
	case "plain":
		return []build{gc}
	case "both":
		return []build{edited, gc}
	}
	return nil
}

package recorder

import "embed"

//go:embed all:_gates
var gates embed.FS

// EnvGates names the environment variable that holds the schedule of a program that was built with
// gates.
const EnvGates = "PRESAGE_GATES"

// ReproductionFile is the file of GOROOT, as an overlay with gates has it, that names the schedule
// of a program which is built without presage.
const ReproductionFile = "src/runtime/presage_reproduction.go"

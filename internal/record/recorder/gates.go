package recorder

import "embed"

//go:embed all:_gates
var gates embed.FS

// EnvGates names the environment variable that holds the schedule of a program that was built with
// gates.
const EnvGates = "PRESAGE_GATES"

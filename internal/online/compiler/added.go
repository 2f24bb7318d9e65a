package compiler

// added are new files of the compiler, by their names in _src.
var added = map[string]string{
	"_src/ssa/presage.go":    "internal/ssa/presage.go",
	"_src/base/presage.go":   "internal/base/presage.go",
	"_src/walk/presage.go":   "internal/walk/presage.go",
	"_src/ir/presage.go":     "internal/ir/presage.go",
	"_src/ssagen/presage.go": "internal/ssagen/presage.go",
	"_src/main/presage.go":   "presage.go",
}

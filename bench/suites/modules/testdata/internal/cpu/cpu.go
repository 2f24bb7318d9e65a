// Package cpu has what copied packages use of internal/cpu.
package cpu

// Name returns "": the processor is not known.
func Name() string { return "" }

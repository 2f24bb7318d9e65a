package checks

// Calls of functions in assembly. The comment in front of each function says which calls it has: in package math/big, which the
// compiler knows, and in any other.

func addVV(z, x, y []uint) (c uint)
func lshVU(z, x []uint, s uint) (c uint)
func rshVU(z *[]uint, x uint) (c uint)
func other(p *int, n int) int
func numbers(a, b int) int
func text(s string) int

// hooks: writerange readrange readrange call | cut call returned
func add(z, x, y []uint) uint { return addVV(z, x, y) }

// hooks: writerange readrange call | cut call returned
func shift(z, x []uint) uint { return lshVU(z[1:], x, 1) }

// hooks: cut call returned
func otherArguments(z *[]uint) uint { return rshVU(z, 1) }

// hooks: cut call returned
func callsOther(p *int) int { return other(p, 1) + 1 }

// hooks: call
func callsNumbers() int { return numbers(1, 2) }

// hooks: call
func callsText(s string) int { return text(s) }

// hooks: cut call returned
func nosplit(p *int) int { return other(p, 1) }

var indirect = other

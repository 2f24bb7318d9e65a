package cases

import (
	"bytes"
	"iter"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Function values of code outside (F16).

type account struct{ balance int }
type other struct{ n int8 }

// want: write ~ int state=* dynamic
func ranges(f iter.Seq[int]) {
	f(func(int) bool { return true })
}

// want: read int | write ~ int state=*
func collected() []int { return slices.Collect(slices.Values([]int{1})) }

// want: write ~ int state=*
func collect(f iter.Seq[int]) []int { return slices.Collect(f) }

// want: read uint8
func byMethod(b *bytes.Buffer) bool {
	return slices.ContainsFunc([]byte("a"), func(byte) bool { return b == nil })
}

// want: write in bool,in math/big.nat,int,math/big.Int,uint
func byMethodValue(n *big.Int) bool { return slices.ContainsFunc([]int{1}, n.ProbablyPrime) }

// want: write string
func byFunction(s []string) { slices.SortFunc(s, strings.Compare) }

// want: write account,in int
func swaps(s []account) func(i, j int) { return reflect.Swapper(s) }

// want: none | write ~
func cleanup(t *testing.T, b *bytes.Buffer) { t.Cleanup(b.Reset); t.Run("", func(*testing.T) {}) }

// want: read uint8
func plain(b []byte) bool { return slices.ContainsFunc(b, func(c byte) bool { return c == 1 }) }

// want: read other,in int8
func others(s []other) iter.Seq[other] { return slices.Values(s) }

// want: write ~ other,in int8 state=*
func pull(f iter.Seq[other]) { iter.Pull(f) }

// want: write ~ other,in int8 state=* dynamic
func pulled(next func() (other, bool)) { next() }

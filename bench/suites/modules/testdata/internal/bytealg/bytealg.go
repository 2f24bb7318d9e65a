// Package bytealg has the functions of internal/bytealg without assembly: without Index, which no
// caller may use as MaxLen is 0.
package bytealg

import (
	"bytes"
	"strings"
)

const (
	MaxBruteForce = 0
	PrimeRK       = 16777619
)

var MaxLen int

func Compare(a, b []byte) int                  { return bytes.Compare(a, b) }
func CompareString(a, b string) int            { return strings.Compare(a, b) }
func Count(b []byte, c byte) int               { return bytes.Count(b, []byte{c}) }
func CountString(s string, c byte) int         { return strings.Count(s, string([]byte{c})) }
func Equal(a, b []byte) bool                   { return string(a) == string(b) }
func IndexByte(b []byte, c byte) int           { return bytes.IndexByte(b, c) }
func IndexByteString(s string, c byte) int     { return strings.IndexByte(s, c) }
func LastIndexByte(b []byte, c byte) int       { return bytes.LastIndexByte(b, c) }
func LastIndexByteString(s string, c byte) int { return strings.LastIndexByte(s, c) }
func MakeNoZero(n int) []byte                  { return make([]byte, n) }

func Index(a, b []byte) int       { panic("MaxLen is 0") }
func IndexString(a, b string) int { panic("MaxLen is 0") }
func Cutover(n int) int           { panic("MaxLen is 0") }

func HashStrRev[T string | []byte](sep T) (hash, pow uint32) {
	pow = 1
	for i := len(sep) - 1; i >= 0; i-- {
		hash, pow = hash*PrimeRK+uint32(sep[i]), pow*PrimeRK
	}
	return hash, pow
}

func IndexRabinKarp[T string | []byte](s, sep T) int { return strings.Index(string(s), string(sep)) }
func LastIndexRabinKarp[T string | []byte](s, sep T) int {
	return strings.LastIndex(string(s), string(sep))
}

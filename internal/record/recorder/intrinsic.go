package recorder

// intrinsicPatches give a body to functions of the standard library that exist as compiler
// intrinsics alone. The compiler replaces a call of such a function by instructions, and the
// body that the source has panics. Where intrinsics are off (setFlags) the call is compiled as
// written. A body does not change a package in which intrinsics are on.
//
// TestIntrinsics has the list of such functions, with what becomes of each.
var intrinsicPatches = map[string][]patch{
	"go1.26": {
		{"crypto/internal/constanttime/constant_time.go", "\tpanic(\"unreachable; must be intrinsicified\")\n", "\tif b { return 1 }; return 0\n", 1},
	},
}

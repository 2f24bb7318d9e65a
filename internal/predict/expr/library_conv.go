package expr

import "strconv"

// conversions are those of strconv. Where a text cannot be read, the value is what the function
// returns beside the error.
var conversions = table{
	"strconv.Atoi":             errs1(strconv.Atoi),
	"strconv.CanBackquote":     of1(strconv.CanBackquote),
	"strconv.FormatBool":       of1(strconv.FormatBool),
	"strconv.FormatFloat":      of4(strconv.FormatFloat).if_(formats).panics(),
	"strconv.FormatInt":        of2(strconv.FormatInt).if_(base).panics(),
	"strconv.FormatUint":       of2(strconv.FormatUint).if_(base).panics(),
	"strconv.Itoa":             of1(strconv.Itoa),
	"strconv.ParseBool":        errs1(strconv.ParseBool),
	"strconv.ParseFloat":       errs2(strconv.ParseFloat).if_(bitSize),
	"strconv.ParseInt":         errs3(strconv.ParseInt),
	"strconv.ParseUint":        errs3(strconv.ParseUint),
	"strconv.Quote":            of1(strconv.Quote).ascii(),
	"strconv.QuoteRune":        of1(strconv.QuoteRune).ascii(),
	"strconv.QuoteRuneToASCII": of1(strconv.QuoteRuneToASCII),
	"strconv.QuoteToASCII":     of1(strconv.QuoteToASCII),
	"strconv.Unquote":          errs1(strconv.Unquote),
}

// base reports whether a number can be written to the base of the second argument.
func base(a []Value) bool { return a[1].Word >= 2 && a[1].Word <= 36 }

// formats reports whether a float can be written: a format that there is, of a width that there is,
// with a precision that is not absurd.
func formats(a []Value) bool {
	switch byte(a[1].Word) {
	case 'b', 'e', 'E', 'f', 'g', 'G', 'x', 'X':
	default:
		return false
	}
	prec := int64(a[2].Word)
	return prec >= -1 && prec <= 1024 && (a[3].Word == 32 || a[3].Word == 64)
}

func bitSize(a []Value) bool { return a[1].Word == 32 || a[1].Word == 64 }

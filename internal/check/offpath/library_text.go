package offpath

import (
	"maps"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Functions of strings.

func init() {
	maps.Copy(library, textLibrary)
	maps.Copy(library, printLibrary)
}

var textLibrary = map[string]func(c *std){
	"strings.Clone":         func(c *std) { c.givesText(c.str()) },
	"strings.Compare":       func(c *std) { c.givesInt(strings.Compare(c.str(), c.str())) },
	"strings.Contains":      func(c *std) { c.givesBool(strings.Contains(c.str(), c.str())) },
	"strings.ContainsAny":   func(c *std) { c.givesBool(strings.ContainsAny(c.utf8(), c.utf8())) },
	"strings.ContainsRune":  func(c *std) { c.givesBool(strings.ContainsRune(c.utf8(), c.validRune())) },
	"strings.Count":         func(c *std) { c.givesInt(strings.Count(c.utf8(), c.utf8())) },
	"strings.EqualFold":     func(c *std) { c.givesBool(strings.EqualFold(c.ascii(), c.ascii())) },
	"strings.HasPrefix":     func(c *std) { c.givesBool(strings.HasPrefix(c.str(), c.str())) },
	"strings.HasSuffix":     func(c *std) { c.givesBool(strings.HasSuffix(c.str(), c.str())) },
	"strings.Index":         func(c *std) { c.givesInt(strings.Index(c.str(), c.str())) },
	"strings.IndexAny":      func(c *std) { c.givesInt(strings.IndexAny(c.utf8(), c.utf8())) },
	"strings.IndexByte":     func(c *std) { c.givesInt(strings.IndexByte(c.str(), c.byte())) },
	"strings.IndexRune":     func(c *std) { c.givesInt(strings.IndexRune(c.utf8(), c.validRune())) },
	"strings.LastIndex":     func(c *std) { c.givesInt(strings.LastIndex(c.str(), c.str())) },
	"strings.LastIndexAny":  func(c *std) { c.givesInt(strings.LastIndexAny(c.utf8(), c.utf8())) },
	"strings.LastIndexByte": func(c *std) { c.givesInt(strings.LastIndexByte(c.str(), c.byte())) },
	"strings.Repeat": func(c *std) {
		s, n := c.str(), c.int()
		if c.must(n >= 0 && (s == "" || n <= maxText && len(s)*n <= maxText)) {
			c.givesText(strings.Repeat(s, n))
		}
	},
	"strings.Replace":    func(c *std) { c.givesText(strings.Replace(c.utf8(), c.utf8(), c.utf8(), c.int())) },
	"strings.ReplaceAll": func(c *std) { c.givesText(strings.ReplaceAll(c.utf8(), c.utf8(), c.utf8())) },
	//lint:ignore SA1019 programs call it
	"strings.Title":       func(c *std) { c.givesText(strings.Title(c.ascii())) },
	"strings.ToLower":     func(c *std) { c.givesText(strings.ToLower(c.ascii())) },
	"strings.ToTitle":     func(c *std) { c.givesText(strings.ToTitle(c.ascii())) },
	"strings.ToUpper":     func(c *std) { c.givesText(strings.ToUpper(c.ascii())) },
	"strings.ToValidUTF8": func(c *std) { c.givesText(strings.ToValidUTF8(c.str(), c.str())) },
	"strings.Trim":        func(c *std) { c.givesText(strings.Trim(c.utf8(), c.utf8())) },
	"strings.TrimLeft":    func(c *std) { c.givesText(strings.TrimLeft(c.utf8(), c.utf8())) },
	"strings.TrimPrefix":  func(c *std) { c.givesText(strings.TrimPrefix(c.str(), c.str())) },
	"strings.TrimRight":   func(c *std) { c.givesText(strings.TrimRight(c.utf8(), c.utf8())) },
	"strings.TrimSpace":   func(c *std) { c.givesText(strings.TrimSpace(c.ascii())) },
	"strings.TrimSuffix":  func(c *std) { c.givesText(strings.TrimSuffix(c.str(), c.str())) },
	"strings.CutPrefix":   func(c *std) { s, ok := strings.CutPrefix(c.str(), c.str()); c.givesText(s); c.givesBool(ok) },
	"strings.CutSuffix":   func(c *std) { s, ok := strings.CutSuffix(c.str(), c.str()); c.givesText(s); c.givesBool(ok) },
	"strings.Cut": func(c *std) {
		before, after, ok := strings.Cut(c.str(), c.str())
		c.givesText(before)
		c.givesText(after)
		c.givesBool(ok)
	},

	"strconv.Atoi":         func(c *std) { n, err := strconv.Atoi(c.str()); c.givesInt(n); c.givesError(err) },
	"strconv.CanBackquote": func(c *std) { c.givesBool(strconv.CanBackquote(c.str())) },
	"strconv.FormatBool":   func(c *std) { c.givesText(strconv.FormatBool(c.word() == 1)) },
	"strconv.FormatFloat": func(c *std) {
		x, format, prec, size := c.float(), c.byte(), c.int(), c.int()
		ok := strings.ContainsRune("beEfgGxX", rune(format)) && prec >= -1 && prec <= 1024
		if c.must(ok && (size == 32 || size == 64)) {
			c.givesText(strconv.FormatFloat(x, format, prec, size))
		}
	},
	"strconv.FormatInt": func(c *std) {
		if x, base := int64(c.word()), c.int(); c.must(2 <= base && base <= 36) {
			c.givesText(strconv.FormatInt(x, base))
		}
	},
	"strconv.FormatUint": func(c *std) {
		if x, base := c.word(), c.int(); c.must(2 <= base && base <= 36) {
			c.givesText(strconv.FormatUint(x, base))
		}
	},
	"strconv.Itoa":      func(c *std) { c.givesText(strconv.Itoa(c.int())) },
	"strconv.ParseBool": func(c *std) { b, err := strconv.ParseBool(c.str()); c.givesBool(b); c.givesError(err) },
	"strconv.ParseFloat": func(c *std) {
		if s, size := c.str(), c.int(); c.need(size == 32 || size == 64) {
			x, err := strconv.ParseFloat(s, size)
			c.givesFloat(x)
			c.givesError(err)
		}
	},
	"strconv.ParseInt": func(c *std) {
		n, err := strconv.ParseInt(c.str(), c.int(), c.int())
		c.givesInt(int(n))
		c.givesError(err)
	},
	"strconv.ParseUint": func(c *std) {
		n, err := strconv.ParseUint(c.str(), c.int(), c.int())
		c.givesUint(n)
		c.givesError(err)
	},
	"strconv.Quote":            func(c *std) { c.givesText(strconv.Quote(c.ascii())) },
	"strconv.QuoteRune":        func(c *std) { c.givesText(strconv.QuoteRune(c.asciiRune())) },
	"strconv.QuoteRuneToASCII": func(c *std) { c.givesText(strconv.QuoteRuneToASCII(c.rune())) },
	"strconv.QuoteToASCII":     func(c *std) { c.givesText(strconv.QuoteToASCII(c.str())) },
	"strconv.Unquote":          func(c *std) { s, err := strconv.Unquote(c.str()); c.givesText(s); c.givesError(err) },

	"unicode.IsControl": func(c *std) { c.givesBool(unicode.IsControl(c.asciiRune())) },
	"unicode.IsDigit":   func(c *std) { c.givesBool(unicode.IsDigit(c.asciiRune())) },
	"unicode.IsGraphic": func(c *std) { c.givesBool(unicode.IsGraphic(c.asciiRune())) },
	"unicode.IsLetter":  func(c *std) { c.givesBool(unicode.IsLetter(c.asciiRune())) },
	"unicode.IsLower":   func(c *std) { c.givesBool(unicode.IsLower(c.asciiRune())) },
	"unicode.IsMark":    func(c *std) { c.givesBool(unicode.IsMark(c.asciiRune())) },
	"unicode.IsNumber":  func(c *std) { c.givesBool(unicode.IsNumber(c.asciiRune())) },
	"unicode.IsPrint":   func(c *std) { c.givesBool(unicode.IsPrint(c.asciiRune())) },
	"unicode.IsPunct":   func(c *std) { c.givesBool(unicode.IsPunct(c.asciiRune())) },
	"unicode.IsSpace":   func(c *std) { c.givesBool(unicode.IsSpace(c.asciiRune())) },
	"unicode.IsSymbol":  func(c *std) { c.givesBool(unicode.IsSymbol(c.asciiRune())) },
	"unicode.IsTitle":   func(c *std) { c.givesBool(unicode.IsTitle(c.asciiRune())) },
	"unicode.IsUpper":   func(c *std) { c.givesBool(unicode.IsUpper(c.asciiRune())) },
	"unicode.ToLower":   func(c *std) { c.givesRune(unicode.ToLower(c.asciiRune())) },
	"unicode.ToTitle":   func(c *std) { c.givesRune(unicode.ToTitle(c.asciiRune())) },
	"unicode.ToUpper":   func(c *std) { c.givesRune(unicode.ToUpper(c.asciiRune())) },

	"unicode/utf8.DecodeLastRuneInString": func(c *std) { r, n := utf8.DecodeLastRuneInString(c.str()); c.givesRune(r); c.givesInt(n) },
	"unicode/utf8.DecodeRuneInString":     func(c *std) { r, n := utf8.DecodeRuneInString(c.str()); c.givesRune(r); c.givesInt(n) },
	"unicode/utf8.FullRuneInString":       func(c *std) { c.givesBool(utf8.FullRuneInString(c.str())) },
	"unicode/utf8.RuneCountInString":      func(c *std) { c.givesInt(utf8.RuneCountInString(c.str())) },
	"unicode/utf8.RuneLen":                func(c *std) { c.givesInt(utf8.RuneLen(c.rune())) },
	"unicode/utf8.RuneStart":              func(c *std) { c.givesBool(utf8.RuneStart(c.byte())) },
	"unicode/utf8.ValidRune":              func(c *std) { c.givesBool(utf8.ValidRune(c.rune())) },
	"unicode/utf8.ValidString":            func(c *std) { c.givesBool(utf8.ValidString(c.str())) },
}

package expr

//lint:file-ignore SA1019,SA1030 programs call these as well

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// calls are calls of functions of the library, and what compiled Go makes of them. They need not
// have all: TestLibrary of package witness compares each with compiled Go, on random arguments.
// Here is what those rarely reach.
var calls = []struct {
	name string
	args []Value
	want []Value
}{
	{`fmt.Sprint`, in("i64 str u8 bool f64", -5, "a", byte(7), true, 0.1), out(fmt.Sprint(-5, "a", byte(7), true, 0.1))},
	{`fmt.Sprint`, in("i64 i8", 1, int8(-2)), out(fmt.Sprint(1, int8(-2)))},
	{`fmt.Sprint`, in(""), out("")},
	{`fmt.Sprintln`, in("str f32 u16 i16", "a", float32(0.1), uint16(3), int16(-3)), out(fmt.Sprintln("a", float32(0.1), uint16(3), int16(-3)))},
	{`fmt.Sprintf`, in("i32 str u64 u32", "%05d|%-4s|%x%%|%+d", int32(-42), "é", uint64(255), uint32(9)), out(fmt.Sprintf("%05d|%-4s|%x%%|%+d", int32(-42), "é", uint64(255), uint32(9)))},
	{`fmt.Sprintf`, in("f64 bool i64", "%6.2f %t %c", 3.14159, false, 65), out(fmt.Sprintf("%6.2f %t %c", 3.14159, false, 65))},
	{`math.Abs`, in(-2.5), out(math.Abs(-2.5))},
	{`math.Ceil`, in(1.2), out(math.Ceil(1.2))},
	{`math.Floor`, in(-1.2), out(math.Floor(-1.2))},
	{`math.Round`, in(2.5), out(math.Round(2.5))},
	{`math.RoundToEven`, in(2.5), out(math.RoundToEven(2.5))},
	{`math.Sqrt`, in(2.0), out(math.Sqrt(2.0))},
	{`math.Trunc`, in(-1.7), out(math.Trunc(-1.7))},
	{`math.IsNaN`, in(1.0), out(math.IsNaN(1.0))},
	{`math.Signbit`, in(-1.0), out(math.Signbit(-1.0))},
	{`math.Inf`, in(-1), out(math.Inf(-1))},
	{`math.IsInf`, in(1.0, 1), out(math.IsInf(1.0, 1))},
	{`math.Modf`, in(-3.25), out(math.Modf(-3.25))},
	{`math.Copysign`, in(7.5, -2.0), out(math.Copysign(7.5, -2.0))},
	{`math.Max`, in(7.5, -2.0), out(math.Max(7.5, -2.0))},
	{`math.Min`, in(7.5, -2.0), out(math.Min(7.5, -2.0))},
	{`math.Mod`, in(7.5, -2.0), out(math.Mod(7.5, -2.0))},
	{`math.Float64bits`, in(1.5), out(math.Float64bits(1.5))},
	{`math.Float64frombits`, in(uint64(1) << 62), out(math.Float64frombits(uint64(1) << 62))},
	{`math.Float32bits`, in(float32(1.5)), out(math.Float32bits(float32(1.5)))},
	{`math.Float32frombits`, in(uint32(1) << 30), out(math.Float32frombits(uint32(1) << 30))},
	{`math/bits.Len`, in(uint(0x5a) << 1), out(bits.Len(uint(0x5a) << 1))},
	{`math/bits.Len64`, in(uint64(0x5a) << 1), out(bits.Len64(uint64(0x5a) << 1))},
	{`math/bits.Len32`, in(uint32(0x5a) << 1), out(bits.Len32(uint32(0x5a) << 1))},
	{`math/bits.Len16`, in(uint16(0x5a) << 1), out(bits.Len16(uint16(0x5a) << 1))},
	{`math/bits.Len8`, in(uint8(0x5a) << 1), out(bits.Len8(uint8(0x5a) << 1))},
	{`math/bits.OnesCount`, in(uint(0x5a) << 1), out(bits.OnesCount(uint(0x5a) << 1))},
	{`math/bits.OnesCount64`, in(uint64(0x5a) << 1), out(bits.OnesCount64(uint64(0x5a) << 1))},
	{`math/bits.OnesCount32`, in(uint32(0x5a) << 1), out(bits.OnesCount32(uint32(0x5a) << 1))},
	{`math/bits.OnesCount16`, in(uint16(0x5a) << 1), out(bits.OnesCount16(uint16(0x5a) << 1))},
	{`math/bits.OnesCount8`, in(uint8(0x5a) << 1), out(bits.OnesCount8(uint8(0x5a) << 1))},
	{`math/bits.LeadingZeros`, in(uint(0x5a) << 1), out(bits.LeadingZeros(uint(0x5a) << 1))},
	{`math/bits.LeadingZeros64`, in(uint64(0x5a) << 1), out(bits.LeadingZeros64(uint64(0x5a) << 1))},
	{`math/bits.LeadingZeros32`, in(uint32(0x5a) << 1), out(bits.LeadingZeros32(uint32(0x5a) << 1))},
	{`math/bits.LeadingZeros16`, in(uint16(0x5a) << 1), out(bits.LeadingZeros16(uint16(0x5a) << 1))},
	{`math/bits.LeadingZeros8`, in(uint8(0x5a) << 1), out(bits.LeadingZeros8(uint8(0x5a) << 1))},
	{`math/bits.TrailingZeros`, in(uint(0x5a) << 1), out(bits.TrailingZeros(uint(0x5a) << 1))},
	{`math/bits.TrailingZeros64`, in(uint64(0x5a) << 1), out(bits.TrailingZeros64(uint64(0x5a) << 1))},
	{`math/bits.TrailingZeros32`, in(uint32(0x5a) << 1), out(bits.TrailingZeros32(uint32(0x5a) << 1))},
	{`math/bits.TrailingZeros16`, in(uint16(0x5a) << 1), out(bits.TrailingZeros16(uint16(0x5a) << 1))},
	{`math/bits.TrailingZeros8`, in(uint8(0x5a) << 1), out(bits.TrailingZeros8(uint8(0x5a) << 1))},
	{`math/bits.Reverse`, in(uint(0x5a) << 1), out(bits.Reverse(uint(0x5a) << 1))},
	{`math/bits.Reverse64`, in(uint64(0x5a) << 1), out(bits.Reverse64(uint64(0x5a) << 1))},
	{`math/bits.Reverse32`, in(uint32(0x5a) << 1), out(bits.Reverse32(uint32(0x5a) << 1))},
	{`math/bits.Reverse16`, in(uint16(0x5a) << 1), out(bits.Reverse16(uint16(0x5a) << 1))},
	{`math/bits.Reverse8`, in(uint8(0x5a) << 1), out(bits.Reverse8(uint8(0x5a) << 1))},
	{`math/bits.ReverseBytes`, in(uint(0x5a) << 1), out(bits.ReverseBytes(uint(0x5a) << 1))},
	{`math/bits.ReverseBytes64`, in(uint64(0x5a) << 1), out(bits.ReverseBytes64(uint64(0x5a) << 1))},
	{`math/bits.ReverseBytes32`, in(uint32(0x5a) << 1), out(bits.ReverseBytes32(uint32(0x5a) << 1))},
	{`math/bits.ReverseBytes16`, in(uint16(0x5a) << 1), out(bits.ReverseBytes16(uint16(0x5a) << 1))},
	{`math/bits.RotateLeft`, in(uint(0x5b), -3), out(bits.RotateLeft(uint(0x5b), -3))},
	{`math/bits.RotateLeft64`, in(uint64(0x5b), -3), out(bits.RotateLeft64(uint64(0x5b), -3))},
	{`math/bits.RotateLeft32`, in(uint32(0x5b), -3), out(bits.RotateLeft32(uint32(0x5b), -3))},
	{`math/bits.RotateLeft16`, in(uint16(0x5b), -3), out(bits.RotateLeft16(uint16(0x5b), -3))},
	{`math/bits.RotateLeft8`, in(uint8(0x5b), -3), out(bits.RotateLeft8(uint8(0x5b), -3))},
	{`math/bits.Mul64`, in(uint64(1)<<63, uint64(6)), out(bits.Mul64(uint64(1)<<63, uint64(6)))},
	{`math/bits.Add64`, in(^uint64(0), uint64(6), uint64(1)), out(bits.Add64(^uint64(0), uint64(6), uint64(1)))},
	{`math/bits.Sub64`, in(uint64(3), uint64(6), uint64(1)), out(bits.Sub64(uint64(3), uint64(6), uint64(1)))},
	{`(time.Duration).Nanoseconds`, in(-90061 * time.Millisecond), out(time.Duration.Nanoseconds(-90061 * time.Millisecond))},
	{`(time.Duration).Microseconds`, in(-90061 * time.Millisecond), out(time.Duration.Microseconds(-90061 * time.Millisecond))},
	{`(time.Duration).Milliseconds`, in(-90061 * time.Millisecond), out(time.Duration.Milliseconds(-90061 * time.Millisecond))},
	{`(time.Duration).Seconds`, in(-90061 * time.Millisecond), out(time.Duration.Seconds(-90061 * time.Millisecond))},
	{`(time.Duration).Minutes`, in(-90061 * time.Millisecond), out(time.Duration.Minutes(-90061 * time.Millisecond))},
	{`(time.Duration).Hours`, in(-90061 * time.Millisecond), out(time.Duration.Hours(-90061 * time.Millisecond))},
	{`(time.Duration).Abs`, in(-90061 * time.Millisecond), out(time.Duration.Abs(-90061 * time.Millisecond))},
	{`(time.Duration).String`, in(-90061 * time.Millisecond), out(time.Duration.String(-90061 * time.Millisecond))},
	{`(time.Duration).Truncate`, in(90561*time.Millisecond, time.Second), out(time.Duration.Truncate(90561*time.Millisecond, time.Second))},
	{`(time.Duration).Round`, in(90561*time.Millisecond, time.Second), out(time.Duration.Round(90561*time.Millisecond, time.Second))},
	{`(time.Month).String`, in(time.May), out(time.Month.String(time.May))},
	{`(time.Month).String`, in(time.Month(13)), out(time.Month.String(time.Month(13)))},
	{`(time.Weekday).String`, in(time.Friday), out(time.Weekday.String(time.Friday))},
	{`time.ParseDuration`, in("1h15m30.918s"), out(time.ParseDuration("1h15m30.918s"))},
	{`time.ParseDuration`, in("1 hour"), out(time.ParseDuration("1 hour"))},
	{`strings.Clone`, in("abc"), out(strings.Clone("abc"))},
	{`strings.Compare`, in("a", "b"), out(strings.Compare("a", "b"))},
	{`strings.Compare`, in("b", "a"), out(strings.Compare("b", "a"))},
	{`strings.Contains`, in("abcab", "ab"), out(strings.Contains("abcab", "ab"))},
	{`strings.Contains`, in("", ""), out(strings.Contains("", ""))},
	{`strings.Contains`, in("xyz", "é"), out(strings.Contains("xyz", "é"))},
	{`strings.HasPrefix`, in("abcab", "ab"), out(strings.HasPrefix("abcab", "ab"))},
	{`strings.HasPrefix`, in("", ""), out(strings.HasPrefix("", ""))},
	{`strings.HasPrefix`, in("xyz", "é"), out(strings.HasPrefix("xyz", "é"))},
	{`strings.HasSuffix`, in("abcab", "ab"), out(strings.HasSuffix("abcab", "ab"))},
	{`strings.HasSuffix`, in("", ""), out(strings.HasSuffix("", ""))},
	{`strings.HasSuffix`, in("xyz", "é"), out(strings.HasSuffix("xyz", "é"))},
	{`strings.Index`, in("abcab", "ab"), out(strings.Index("abcab", "ab"))},
	{`strings.Index`, in("", ""), out(strings.Index("", ""))},
	{`strings.Index`, in("xyz", "é"), out(strings.Index("xyz", "é"))},
	{`strings.LastIndex`, in("abcab", "ab"), out(strings.LastIndex("abcab", "ab"))},
	{`strings.LastIndex`, in("", ""), out(strings.LastIndex("", ""))},
	{`strings.LastIndex`, in("xyz", "é"), out(strings.LastIndex("xyz", "é"))},
	{`strings.TrimPrefix`, in("abcab", "ab"), out(strings.TrimPrefix("abcab", "ab"))},
	{`strings.TrimPrefix`, in("", ""), out(strings.TrimPrefix("", ""))},
	{`strings.TrimPrefix`, in("xyz", "é"), out(strings.TrimPrefix("xyz", "é"))},
	{`strings.TrimSuffix`, in("abcab", "ab"), out(strings.TrimSuffix("abcab", "ab"))},
	{`strings.TrimSuffix`, in("", ""), out(strings.TrimSuffix("", ""))},
	{`strings.TrimSuffix`, in("xyz", "é"), out(strings.TrimSuffix("xyz", "é"))},
	{`strings.CutPrefix`, in("abcab", "ab"), out(strings.CutPrefix("abcab", "ab"))},
	{`strings.CutPrefix`, in("", ""), out(strings.CutPrefix("", ""))},
	{`strings.CutPrefix`, in("xyz", "é"), out(strings.CutPrefix("xyz", "é"))},
	{`strings.CutSuffix`, in("abcab", "ab"), out(strings.CutSuffix("abcab", "ab"))},
	{`strings.CutSuffix`, in("", ""), out(strings.CutSuffix("", ""))},
	{`strings.CutSuffix`, in("xyz", "é"), out(strings.CutSuffix("xyz", "é"))},
	{`strings.Count`, in("abcab", "ab"), out(strings.Count("abcab", "ab"))},
	{`strings.Count`, in("", ""), out(strings.Count("", ""))},
	{`strings.Count`, in("xyz", "é"), out(strings.Count("xyz", "é"))},
	{`strings.ContainsAny`, in("abcab", "ab"), out(strings.ContainsAny("abcab", "ab"))},
	{`strings.ContainsAny`, in("", ""), out(strings.ContainsAny("", ""))},
	{`strings.ContainsAny`, in("xyz", "é"), out(strings.ContainsAny("xyz", "é"))},
	{`strings.IndexAny`, in("abcab", "ab"), out(strings.IndexAny("abcab", "ab"))},
	{`strings.IndexAny`, in("", ""), out(strings.IndexAny("", ""))},
	{`strings.IndexAny`, in("xyz", "é"), out(strings.IndexAny("xyz", "é"))},
	{`strings.LastIndexAny`, in("abcab", "ab"), out(strings.LastIndexAny("abcab", "ab"))},
	{`strings.LastIndexAny`, in("", ""), out(strings.LastIndexAny("", ""))},
	{`strings.LastIndexAny`, in("xyz", "é"), out(strings.LastIndexAny("xyz", "é"))},
	{`strings.Trim`, in("abcab", "ab"), out(strings.Trim("abcab", "ab"))},
	{`strings.Trim`, in("", ""), out(strings.Trim("", ""))},
	{`strings.Trim`, in("xyz", "é"), out(strings.Trim("xyz", "é"))},
	{`strings.TrimLeft`, in("abcab", "ab"), out(strings.TrimLeft("abcab", "ab"))},
	{`strings.TrimLeft`, in("", ""), out(strings.TrimLeft("", ""))},
	{`strings.TrimLeft`, in("xyz", "é"), out(strings.TrimLeft("xyz", "é"))},
	{`strings.TrimRight`, in("abcab", "ab"), out(strings.TrimRight("abcab", "ab"))},
	{`strings.TrimRight`, in("", ""), out(strings.TrimRight("", ""))},
	{`strings.TrimRight`, in("xyz", "é"), out(strings.TrimRight("xyz", "é"))},
	{`strings.ContainsRune`, in("chicken", 'k'), out(strings.ContainsRune("chicken", 'k'))},
	{`strings.ContainsRune`, in("chicken", 'é'), out(strings.ContainsRune("chicken", 'é'))},
	{`strings.IndexRune`, in("chicken", 'k'), out(strings.IndexRune("chicken", 'k'))},
	{`strings.IndexRune`, in("chicken", 'é'), out(strings.IndexRune("chicken", 'é'))},
	{`strings.IndexByte`, in("golang", byte('g')), out(strings.IndexByte("golang", byte('g')))},
	{`strings.LastIndexByte`, in("golang", byte('g')), out(strings.LastIndexByte("golang", byte('g')))},
	{`strings.Cut`, in("key=value=1", "="), out(strings.Cut("key=value=1", "="))},
	{`strings.Cut`, in("key", "="), out(strings.Cut("key", "="))},
	{`strings.EqualFold`, in("Go", "GO"), out(strings.EqualFold("Go", "GO"))},
	{`strings.EqualFold`, in("Go", "Ga"), out(strings.EqualFold("Go", "Ga"))},
	{`strings.Repeat`, in("ab", 3), out(strings.Repeat("ab", 3))},
	{`strings.Repeat`, in("", 1<<40), out(strings.Repeat("", 1<<40))},
	{`strings.Repeat`, in("a", 0), out(strings.Repeat("a", 0))},
	{`strings.Replace`, in("oink oink oink", "k", "ky", 2), out(strings.Replace("oink oink oink", "k", "ky", 2))},
	{`strings.Replace`, in("abc", "", "-", -1), out(strings.Replace("abc", "", "-", -1))},
	{`strings.ReplaceAll`, in("oink oink", "oink", "moo"), out(strings.ReplaceAll("oink oink", "oink", "moo"))},
	{`strings.Title`, in(" Go is_A lang-uage\t"), out(strings.Title(" Go is_A lang-uage\t"))},
	{`strings.ToLower`, in(" Go is_A lang-uage\t"), out(strings.ToLower(" Go is_A lang-uage\t"))},
	{`strings.ToTitle`, in(" Go is_A lang-uage\t"), out(strings.ToTitle(" Go is_A lang-uage\t"))},
	{`strings.ToUpper`, in(" Go is_A lang-uage\t"), out(strings.ToUpper(" Go is_A lang-uage\t"))},
	{`strings.TrimSpace`, in(" Go is_A lang-uage\t"), out(strings.TrimSpace(" Go is_A lang-uage\t"))},
	{`strings.ToValidUTF8`, in("a\xffb", "?"), out(strings.ToValidUTF8("a\xffb", "?"))},
	{`strconv.Atoi`, in("-42"), out(strconv.Atoi("-42"))},
	{`strconv.Atoi`, in("x"), out(strconv.Atoi("x"))},
	{`strconv.Atoi`, in("99999999999999999999"), out(strconv.Atoi("99999999999999999999"))},
	{`strconv.CanBackquote`, in("a`b"), out(strconv.CanBackquote("a`b"))},
	{`strconv.FormatBool`, in(true), out(strconv.FormatBool(true))},
	{`strconv.FormatFloat`, in(0.1, byte('g'), -1, 64), out(strconv.FormatFloat(0.1, byte('g'), -1, 64))},
	{`strconv.FormatFloat`, in(0.1, byte('f'), -1, 32), out(strconv.FormatFloat(0.1, byte('f'), -1, 32))},
	{`strconv.FormatFloat`, in(1e300, byte('e'), 3, 64), out(strconv.FormatFloat(1e300, byte('e'), 3, 64))},
	{`strconv.FormatFloat`, in(math.NaN(), byte('g'), -1, 64), out(strconv.FormatFloat(math.NaN(), byte('g'), -1, 64))},
	{`strconv.FormatInt`, in(int64(-255), 16), out(strconv.FormatInt(int64(-255), 16))},
	{`strconv.FormatUint`, in(^uint64(0), 36), out(strconv.FormatUint(^uint64(0), 36))},
	{`strconv.Itoa`, in(-7), out(strconv.Itoa(-7))},
	{`strconv.ParseBool`, in("T"), out(strconv.ParseBool("T"))},
	{`strconv.ParseBool`, in("yes"), out(strconv.ParseBool("yes"))},
	{`strconv.ParseFloat`, in("1e-3", 64), out(strconv.ParseFloat("1e-3", 64))},
	{`strconv.ParseFloat`, in("0.1", 32), out(strconv.ParseFloat("0.1", 32))},
	{`strconv.ParseFloat`, in("1e999", 64), out(strconv.ParseFloat("1e999", 64))},
	{`strconv.ParseInt`, in("-0x1f", 0, 64), out(strconv.ParseInt("-0x1f", 0, 64))},
	{`strconv.ParseInt`, in("300", 10, 8), out(strconv.ParseInt("300", 10, 8))},
	{`strconv.ParseInt`, in("1", 1, 64), out(strconv.ParseInt("1", 1, 64))},
	{`strconv.ParseUint`, in("z", 36, 64), out(strconv.ParseUint("z", 36, 64))},
	{`strconv.ParseUint`, in("-1", 10, 64), out(strconv.ParseUint("-1", 10, 64))},
	{`strconv.Quote`, in("a\"\n\x01"), out(strconv.Quote("a\"\n\x01"))},
	{`strconv.QuoteRune`, in('\''), out(strconv.QuoteRune('\''))},
	{`strconv.QuoteRuneToASCII`, in('é'), out(strconv.QuoteRuneToASCII('é'))},
	{`strconv.QuoteToASCII`, in("é\xff"), out(strconv.QuoteToASCII("é\xff"))},
	{`strconv.Unquote`, in("`a`"), out(strconv.Unquote("`a`"))},
	{`strconv.Unquote`, in("a"), out(strconv.Unquote("a"))},
	{`unicode.IsControl`, in('a'), out(unicode.IsControl('a'))},
	{`unicode.IsControl`, in('\t'), out(unicode.IsControl('\t'))},
	{`unicode.IsControl`, in('+'), out(unicode.IsControl('+'))},
	{`unicode.IsDigit`, in('a'), out(unicode.IsDigit('a'))},
	{`unicode.IsDigit`, in('\t'), out(unicode.IsDigit('\t'))},
	{`unicode.IsDigit`, in('+'), out(unicode.IsDigit('+'))},
	{`unicode.IsGraphic`, in('a'), out(unicode.IsGraphic('a'))},
	{`unicode.IsGraphic`, in('\t'), out(unicode.IsGraphic('\t'))},
	{`unicode.IsGraphic`, in('+'), out(unicode.IsGraphic('+'))},
	{`unicode.IsLetter`, in('a'), out(unicode.IsLetter('a'))},
	{`unicode.IsLetter`, in('\t'), out(unicode.IsLetter('\t'))},
	{`unicode.IsLetter`, in('+'), out(unicode.IsLetter('+'))},
	{`unicode.IsLower`, in('a'), out(unicode.IsLower('a'))},
	{`unicode.IsLower`, in('\t'), out(unicode.IsLower('\t'))},
	{`unicode.IsLower`, in('+'), out(unicode.IsLower('+'))},
	{`unicode.IsMark`, in('a'), out(unicode.IsMark('a'))},
	{`unicode.IsMark`, in('\t'), out(unicode.IsMark('\t'))},
	{`unicode.IsMark`, in('+'), out(unicode.IsMark('+'))},
	{`unicode.IsNumber`, in('a'), out(unicode.IsNumber('a'))},
	{`unicode.IsNumber`, in('\t'), out(unicode.IsNumber('\t'))},
	{`unicode.IsNumber`, in('+'), out(unicode.IsNumber('+'))},
	{`unicode.IsPrint`, in('a'), out(unicode.IsPrint('a'))},
	{`unicode.IsPrint`, in('\t'), out(unicode.IsPrint('\t'))},
	{`unicode.IsPrint`, in('+'), out(unicode.IsPrint('+'))},
	{`unicode.IsPunct`, in('a'), out(unicode.IsPunct('a'))},
	{`unicode.IsPunct`, in('\t'), out(unicode.IsPunct('\t'))},
	{`unicode.IsPunct`, in('+'), out(unicode.IsPunct('+'))},
	{`unicode.IsSpace`, in('a'), out(unicode.IsSpace('a'))},
	{`unicode.IsSpace`, in('\t'), out(unicode.IsSpace('\t'))},
	{`unicode.IsSpace`, in('+'), out(unicode.IsSpace('+'))},
	{`unicode.IsSymbol`, in('a'), out(unicode.IsSymbol('a'))},
	{`unicode.IsSymbol`, in('\t'), out(unicode.IsSymbol('\t'))},
	{`unicode.IsSymbol`, in('+'), out(unicode.IsSymbol('+'))},
	{`unicode.IsTitle`, in('a'), out(unicode.IsTitle('a'))},
	{`unicode.IsTitle`, in('\t'), out(unicode.IsTitle('\t'))},
	{`unicode.IsTitle`, in('+'), out(unicode.IsTitle('+'))},
	{`unicode.IsUpper`, in('a'), out(unicode.IsUpper('a'))},
	{`unicode.IsUpper`, in('\t'), out(unicode.IsUpper('\t'))},
	{`unicode.IsUpper`, in('+'), out(unicode.IsUpper('+'))},
	{`unicode.ToLower`, in('a'), out(unicode.ToLower('a'))},
	{`unicode.ToLower`, in('\t'), out(unicode.ToLower('\t'))},
	{`unicode.ToLower`, in('+'), out(unicode.ToLower('+'))},
	{`unicode.ToTitle`, in('a'), out(unicode.ToTitle('a'))},
	{`unicode.ToTitle`, in('\t'), out(unicode.ToTitle('\t'))},
	{`unicode.ToTitle`, in('+'), out(unicode.ToTitle('+'))},
	{`unicode.ToUpper`, in('a'), out(unicode.ToUpper('a'))},
	{`unicode.ToUpper`, in('\t'), out(unicode.ToUpper('\t'))},
	{`unicode.ToUpper`, in('+'), out(unicode.ToUpper('+'))},
	{`unicode/utf8.DecodeRuneInString`, in("éa"), out(utf8.DecodeRuneInString("éa"))},
	{`unicode/utf8.DecodeRuneInString`, in("\xc3"), out(utf8.DecodeRuneInString("\xc3"))},
	{`unicode/utf8.DecodeRuneInString`, in(""), out(utf8.DecodeRuneInString(""))},
	{`unicode/utf8.DecodeLastRuneInString`, in("éa"), out(utf8.DecodeLastRuneInString("éa"))},
	{`unicode/utf8.DecodeLastRuneInString`, in("\xc3"), out(utf8.DecodeLastRuneInString("\xc3"))},
	{`unicode/utf8.DecodeLastRuneInString`, in(""), out(utf8.DecodeLastRuneInString(""))},
	{`unicode/utf8.FullRuneInString`, in("éa"), out(utf8.FullRuneInString("éa"))},
	{`unicode/utf8.FullRuneInString`, in("\xc3"), out(utf8.FullRuneInString("\xc3"))},
	{`unicode/utf8.FullRuneInString`, in(""), out(utf8.FullRuneInString(""))},
	{`unicode/utf8.RuneCountInString`, in("éa"), out(utf8.RuneCountInString("éa"))},
	{`unicode/utf8.RuneCountInString`, in("\xc3"), out(utf8.RuneCountInString("\xc3"))},
	{`unicode/utf8.RuneCountInString`, in(""), out(utf8.RuneCountInString(""))},
	{`unicode/utf8.ValidString`, in("éa"), out(utf8.ValidString("éa"))},
	{`unicode/utf8.ValidString`, in("\xc3"), out(utf8.ValidString("\xc3"))},
	{`unicode/utf8.ValidString`, in(""), out(utf8.ValidString(""))},
	{`unicode/utf8.RuneLen`, in('é'), out(utf8.RuneLen('é'))},
	{`unicode/utf8.RuneLen`, in(rune(-1)), out(utf8.RuneLen(rune(-1)))},
	{`unicode/utf8.ValidRune`, in('é'), out(utf8.ValidRune('é'))},
	{`unicode/utf8.ValidRune`, in(rune(-1)), out(utf8.ValidRune(rune(-1)))},
	{`unicode/utf8.RuneStart`, in(byte(0x80)), out(utf8.RuneStart(byte(0x80)))},
	{`cmp.Compare[i8]`, in(int8(-1), int8(1)), out(cmp.Compare(int8(-1), int8(1)))},
	{`cmp.Compare[i16]`, in(int16(-1), int16(1)), out(cmp.Compare(int16(-1), int16(1)))},
	{`cmp.Compare[i32]`, in(int32(-1), int32(1)), out(cmp.Compare(int32(-1), int32(1)))},
	{`cmp.Compare[i64]`, in(int64(-1), int64(1)), out(cmp.Compare(int64(-1), int64(1)))},
	{`cmp.Compare[u8]`, in(uint8(200), uint8(1)), out(cmp.Compare(uint8(200), uint8(1)))},
	{`cmp.Compare[u16]`, in(uint16(200), uint16(1)), out(cmp.Compare(uint16(200), uint16(1)))},
	{`cmp.Compare[u32]`, in(uint32(200), uint32(1)), out(cmp.Compare(uint32(200), uint32(1)))},
	{`cmp.Compare[u64]`, in(uint64(200), uint64(1)), out(cmp.Compare(uint64(200), uint64(1)))},
	{`cmp.Compare[f32]`, in(float32(-1), float32(1)), out(cmp.Compare(float32(-1), float32(1)))},
	{`cmp.Compare[f32]`, in(float32(math.NaN()), float32(1)), out(cmp.Compare(float32(math.NaN()), float32(1)))},
	{`cmp.Compare[f64]`, in(float64(-1), float64(1)), out(cmp.Compare(float64(-1), float64(1)))},
	{`cmp.Compare[f64]`, in(float64(math.NaN()), float64(1)), out(cmp.Compare(float64(math.NaN()), float64(1)))},
	{`cmp.Compare[str]`, in("b", "a"), out(cmp.Compare("b", "a"))},
	{`cmp.Less[i8]`, in(int8(-1), int8(1)), out(cmp.Less(int8(-1), int8(1)))},
	{`cmp.Less[i16]`, in(int16(-1), int16(1)), out(cmp.Less(int16(-1), int16(1)))},
	{`cmp.Less[i32]`, in(int32(-1), int32(1)), out(cmp.Less(int32(-1), int32(1)))},
	{`cmp.Less[i64]`, in(int64(-1), int64(1)), out(cmp.Less(int64(-1), int64(1)))},
	{`cmp.Less[u8]`, in(uint8(200), uint8(1)), out(cmp.Less(uint8(200), uint8(1)))},
	{`cmp.Less[u16]`, in(uint16(200), uint16(1)), out(cmp.Less(uint16(200), uint16(1)))},
	{`cmp.Less[u32]`, in(uint32(200), uint32(1)), out(cmp.Less(uint32(200), uint32(1)))},
	{`cmp.Less[u64]`, in(uint64(200), uint64(1)), out(cmp.Less(uint64(200), uint64(1)))},
	{`cmp.Less[f32]`, in(float32(-1), float32(1)), out(cmp.Less(float32(-1), float32(1)))},
	{`cmp.Less[f32]`, in(float32(math.NaN()), float32(1)), out(cmp.Less(float32(math.NaN()), float32(1)))},
	{`cmp.Less[f64]`, in(float64(-1), float64(1)), out(cmp.Less(float64(-1), float64(1)))},
	{`cmp.Less[f64]`, in(float64(math.NaN()), float64(1)), out(cmp.Less(float64(math.NaN()), float64(1)))},
	{`cmp.Less[str]`, in("b", "a"), out(cmp.Less("b", "a"))},
}

func in(list ...any) []Value { return out(list...) }

// out are values as the library has them; a nil error comes as nil.
func out(list ...any) (vals []Value) {
	for _, x := range list {
		switch x := x.(type) {
		case bool:
			vals = append(vals, give(x))
		case int:
			vals = append(vals, give(x))
		case int8:
			vals = append(vals, give(x))
		case int16:
			vals = append(vals, give(x))
		case int32:
			vals = append(vals, give(x))
		case int64:
			vals = append(vals, give(x))
		case uint:
			vals = append(vals, give(x))
		case uint8:
			vals = append(vals, give(x))
		case uint16:
			vals = append(vals, give(x))
		case uint32:
			vals = append(vals, give(x))
		case uint64:
			vals = append(vals, give(x))
		case float32:
			vals = append(vals, give(x))
		case float64:
			vals = append(vals, give(x))
		case string:
			vals = append(vals, give(x))
		case time.Duration:
			vals = append(vals, give(int64(x)))
		case time.Month:
			vals = append(vals, give(int(x)))
		case time.Weekday:
			vals = append(vals, give(int(x)))
		case nil:
			vals = append(vals, give(true))
		case error:
			vals = append(vals, give(false))
		default:
			panic("no such value")
		}
	}
	return vals
}

// TestLibrary: a function of the library is what it is in compiled Go.
func TestLibrary(t *testing.T) {
	missing := maps.Clone(Library)
	for _, c := range calls {
		delete(missing, c.name)
		f := Library[c.name]
		for i, want := range c.want {
			got, ok := Functions[ResultName(c.name, i)](c.args)
			if nan := isNaN(f.Result(i), want.Word); ok == nan || ok && got != want {
				t.Errorf("result %d of %s(%v) is %v, %v; want %v", i, c.name, c.args, got, ok, want)
			}
		}
		if f.Count() != len(c.want) {
			t.Errorf("%s has %d results, not %d", c.name, len(c.want), f.Count())
		}
	}
	if len(missing) > 0 {
		t.Errorf("no test of %v", slices.Sorted(maps.Keys(missing)))
	}
}

// TestNoValue: what is not the same everywhere, or too large, or panics, has no value (TE4).
func TestNoValue(t *testing.T) {
	long := strings.Repeat("a", MaxText+1)
	for _, c := range []struct {
		name string
		args []Value
	}{
		{"strings.ToUpper", in("é")}, {"strings.ToLower", in("\xff")}, {"strings.EqualFold", in("k", "\u212a")}, {"strings.TrimSpace", in("\u3000")},
		{"unicode.IsLetter", in('é')}, {"unicode.ToUpper", in(rune(-1))}, {"strconv.Quote", in("é")}, {"strings.IndexRune", in("a", rune(0xd800))}, {"strings.Count", in("\xff", "")},
		{"strings.Index", in(long, "a")}, {"strings.ReplaceAll", in("aaaa", "a", long[:2000])},
		{"strings.Repeat", in("a", -1)}, {"strings.Repeat", in("ab", MaxText)}, {"strings.Repeat", in("a", math.MaxInt)},
		{"strconv.FormatInt", in(int64(1), 1)}, {"strconv.FormatUint", in(uint64(1), 37)}, {"strconv.FormatFloat", in(1.0, byte('d'), -1, 64)},
		{"strconv.FormatFloat", in(1.0, byte('f'), 1<<40, 64)}, {"strconv.FormatFloat", in(1.0, byte('f'), -1, 16)}, {"strconv.ParseFloat", in("1", 16)},
		{"math/bits.Add64", in(uint64(1), uint64(1), uint64(2))}, {"math.Sqrt", in(-1.0)}, {"strings.Index", in("a")},
		{"fmt.Sprintf", in("i64", "%q", 1)}, {"fmt.Sprintf", in("i64", "%T", 1)}, {"fmt.Sprintf", in("i64", "%#x", 1)}, {"fmt.Sprintf", in("i64 i64", "%*d", 1, 2)},
		{"fmt.Sprintf", in("i64", "%s", 1)}, {"fmt.Sprintf", in("i64", "é%d", 1)}, {"fmt.Sprintf", in("", "%d")}, {"fmt.Sprintf", in("str", "%5000s", "a")},
		{"fmt.Sprint", in("i64", 1, 2)}, {"fmt.Sprint", in("i64 i64", 1)}, {"fmt.Sprint", in("any", 1)}, {"fmt.Sprint", nil},
	} {
		if v, ok := Functions[c.name](c.args); ok {
			t.Errorf("%s(%v) is %v", c.name, c.args, v)
		}
	}
}

// TestListed: docs/theory/values.md has a row for each package with functions in the library, and
// the file that the row links has their names.
func TestListed(t *testing.T) {
	const dir = "../../../docs/theory/"
	text, err := os.ReadFile(dir + "values.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]string{} // by package
	for _, row := range regexp.MustCompile(`(?m)^\| (\S+) \| \[\S+\]\((\S+)\) \|`).FindAllStringSubmatch(string(text), -1) {
		table, err := os.ReadFile(dir + row[2])
		if tables[row[1]] != "" || err != nil {
			t.Fatalf("the row of %s: twice, or %v", row[1], err)
		}
		tables[row[1]] = string(table)
	}
	seen := map[string]bool{}
	for name := range Library {
		base, _, _ := strings.Cut(name, "[")
		pkg := strings.TrimPrefix(base, "(")
		slash := strings.LastIndexByte(pkg, '/') + 1
		pkg = pkg[:slash+strings.IndexByte(pkg[slash:], '.')]
		seen[pkg] = true
		if !strings.Contains(tables[pkg], `"`+base+`"`) && !strings.Contains(tables[pkg], `"`+base+`[`) {
			t.Errorf("%s is not in the file that values.md links for %s", base, pkg)
		}
	}
	if listed := slices.Sorted(maps.Keys(tables)); !slices.Equal(listed, slices.Sorted(maps.Keys(seen))) {
		t.Errorf("values.md has rows of %v; the library has functions of %v", listed, slices.Sorted(maps.Keys(seen)))
	}
}

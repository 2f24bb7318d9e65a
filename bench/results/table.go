package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// read calls take for each benchmark of a file.
func read(name string, take func(*benchfmt.Result) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := benchfmt.NewReader(f, name)
	for r.Scan() {
		switch x := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return x
		case *benchfmt.Result:
			if err := take(x); err != nil {
				return err
			}
		}
	}
	return r.Err()
}

// rows returns a row for each benchmark of a file, with all its figures.
func rows(name string) (string, error) {
	var b strings.Builder
	b.WriteString("| what | asked | measured | when | command |\n|---|---|---|---|---|\n")
	err := read(name, func(r *benchfmt.Result) error {
		for _, key := range []string{"what", "asked", "command", "date", "load"} {
			if r.GetConfig(key) == "" {
				return fmt.Errorf("%s: %s has no line %q", name, r.Name, key+":")
			}
		}
		var all []string
		for _, v := range r.Values {
			x, unit := untidy(v)
			all = append(all, number(x)+" "+strings.ReplaceAll(unit, "-", " "))
		}
		fmt.Fprintf(&b, "| %s | %s | **%s** | %s | `%s` |\n", r.GetConfig("what"), r.GetConfig("asked"),
			strings.Join(all, ", "), when(r), short(r.GetConfig("command")))
		return nil
	})
	return b.String(), err
}

// when returns the date, and whether the machine was quiet.
func when(r *benchfmt.Result) string {
	if r.GetConfig("load") == "quiet" {
		return r.GetConfig("date") + ", quiet"
	}
	return r.GetConfig("date")
}

// short returns a command of bench without what all of them begin with.
func short(command string) string {
	return strings.ReplaceAll(command, "go -C bench run ./", "bench ")
}

// column is a unit of a table, or the ratio of two.
type column struct {
	title, unit, over string
	logs              float64 // sum of the logarithms of its ratios
	n                 int
}

// table returns a row for each benchmark that the filter takes, and a column for each unit.
func table(name, spec string) (string, error) {
	parts := strings.Split(spec, "|")
	filter, err := benchproc.NewFilter(strings.TrimSpace(parts[0]))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var columns []*column
	b.WriteString("| |")
	for _, p := range parts[1:] {
		title, unit, ok := strings.Cut(strings.TrimSpace(p), "=")
		if !ok {
			return "", fmt.Errorf("column %q is not title=unit", p)
		}
		unit, over, _ := strings.Cut(unit, " over ")
		columns = append(columns, &column{title: title, unit: unit, over: over})
		fmt.Fprintf(&b, " %s |", title)
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(columns)) + "\n")
	said := ""
	err = read(name, func(r *benchfmt.Result) error {
		if match, err := filter.Apply(r); err != nil || !match {
			return err
		}
		_, parts := r.Name.Parts()
		label := strings.TrimPrefix(string(parts[0]), "/")
		fmt.Fprintf(&b, "| %s |", strings.NewReplacer("_", " ", "=", " ").Replace(label))
		for _, c := range columns {
			b.WriteString(strings.TrimRight(" "+c.of(r), " ") + " |")
		}
		b.WriteByte('\n')
		said = fmt.Sprintf("\n    %s    # %s\n", short(r.GetConfig("command")), when(r))
		return nil
	})
	b.WriteString(means(columns))
	return b.String() + said, err
}

// of returns the column's figure of a benchmark, "" if it has none.
func (c *column) of(r *benchfmt.Result) string {
	x, ok := value(r, c.unit)
	if ok && c.over != "" {
		var y float64
		if y, ok = value(r, c.over); ok {
			x /= y
			c.logs += math.Log(x)
			c.n++
		}
	}
	if !ok {
		return ""
	}
	return rounded(x)
}

// means returns the row of geometric means, "" if no column is a ratio.
func means(columns []*column) string {
	var b strings.Builder
	any := false
	b.WriteString("| geometric mean |")
	for _, c := range columns {
		if c.n == 0 {
			b.WriteString(" |")
			continue
		}
		any = true
		fmt.Fprintf(&b, " **%s** |", rounded(math.Exp(c.logs/float64(c.n))))
	}
	if !any {
		return ""
	}
	return b.String() + "\n"
}

// value returns the value of a unit as the file has it.
func value(r *benchfmt.Result, unit string) (float64, bool) {
	for _, v := range r.Values {
		if x, u := untidy(v); u == unit {
			return x, true
		}
	}
	return 0, false
}

// untidy undoes the conversion of units by package benchfmt (ns to sec).
func untidy(v benchfmt.Value) (float64, string) {
	if v.OrigUnit != "" {
		return v.OrigValue, v.OrigUnit
	}
	return v.Value, v.Unit
}

// number writes a figure as the file has it, whole ones with commas.
func number(x float64) string {
	if x != math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	s := strconv.FormatFloat(x, 'f', 0, 64)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rounded writes a figure of a table: what lies behind the third digit is noise.
func rounded(x float64) string {
	if x == 0 {
		return "0"
	}
	unit := math.Pow(10, math.Min(0, math.Floor(math.Log10(math.Abs(x)))-2))
	x = math.Round(x/unit) * unit
	return number(math.Round(x*1e6) / 1e6)
}

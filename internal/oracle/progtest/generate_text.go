package progtest

import "fmt"

// text is an expression of type string.
func (g *generator) text() string {
	switch g.rng.IntN(9) {
	case 0, 1:
		return g.pick("w", "v")
	case 2:
		return g.pick(`"a"`, `"a1"`, `"12"`, `""`, `"b2a"`)
	case 3:
		return fmt.Sprintf("strconv.Itoa(%s)", g.shared())
	case 4:
		return fmt.Sprintf("strings.ToUpper(%s)", g.pick("w", "v"))
	case 5:
		return fmt.Sprintf("strings.TrimPrefix(%s, %s)", g.pick("w", "v", "v+w"), g.pick(`"a"`, "v", `"b"`))
	case 6:
		return fmt.Sprintf("strings.ReplaceAll(w, %s, strconv.Itoa(%s&3))", g.pick(`"1"`, "v"), g.local())
	case 7:
		return fmt.Sprintf("strings.Repeat(%s, %s&3)", g.pick("w", `"x"`), g.pick("a", "b", "x"))
	}
	return g.pick(`w+"c"`, `"b"+strconv.Itoa(x&7)`, "v+strconv.FormatInt(int64(y), 2)")
}

// textNumber is an expression of type int.
func (g *generator) textNumber() string {
	switch g.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("len(%s)", g.text())
	case 1:
		return fmt.Sprintf("strings.Index(%s, %s)", g.text(), g.pick(`"1"`, "v", `"a"`))
	case 2:
		return fmt.Sprintf("strings.Count(%s, %s)", g.text(), g.pick(`"1"`, `"a"`, "v"))
	}
	return fmt.Sprintf("int(strconv.Itoa(%s)[0])", g.shared())
}

func (g *generator) textCond() string {
	switch g.rng.IntN(5) {
	case 0:
		return fmt.Sprintf("strings.HasPrefix(%s, %s)", g.text(), g.pick(`"a"`, `"1"`, "v", `"-"`))
	case 1:
		return fmt.Sprintf("%s %s %s", g.pick("w", "v", g.text()), g.pick("==", "!=", "<"), g.pick(`"a1"`, `"1"`, "v", `"b"`))
	case 2:
		return fmt.Sprintf("strings.Contains(%s, %s)", g.text(), g.pick(`"1"`, "v"))
	case 3:
		return g.pick("w[:1] == v", `w != "" && w[0] == 'a'`, "w[len(w)-1] > '0'", `"["+v+"]" == "[b]"`)
	}
	return fmt.Sprintf("strings.HasSuffix(strconv.Itoa(%s), %s)", g.shared(), g.pick(`"1"`, `"2"`, "v"))
}

// textStmt sets a string, or reads a number from one. The length of strings is bounded.
func (g *generator) textStmt() {
	switch g.rng.IntN(8) {
	case 0, 1:
		g.p("%s = %s", g.pick("w", "v"), g.pick(`"a1"`, `"b"`, `"1"`, `"12"`, "strconv.Itoa(x&15)", "strconv.Itoa(a)"))
	case 2:
		g.p("if l := %s; len(l) < 8 { w = l }", g.text())
	case 3:
		g.p("if l, err := strconv.Atoi(%s); err == nil { %s = l }", g.text(), g.pick("a", "x", "y"))
	case 4:
		g.p("if l, err := strconv.Atoi(%s); err != nil { %s = l + 1 } else { b = l }", g.pick("w", "v", "w[1:]"), g.pick("a", "z"))
	case 5:
		g.p("if l, r, ok := strings.Cut(%s, %s); ok { %s = len(l)*4 + len(r) }", g.text(), g.pick(`"1"`, "v"), g.pick("a", "y"))
	case 6:
		g.p("if l, err := strconv.ParseBool(v); err == nil && l { %s = 1 }", g.pick("x", "a"))
	default:
		g.p("if %s {", g.textCond())
		g.depth++
		g.p("%s = %s", g.shared(), g.local())
		g.depth--
		g.p("}")
	}
}

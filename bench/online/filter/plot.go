package filter

import (
	"bytes"
	"fmt"
	"math"
)

// A plot is one value without the filter and one with it, by a parameter.
type plot struct {
	x, y  string
	at    []float64
	lines [2][]float64
}

func (p *plot) add(x, none, tree float64) {
	p.at = append(p.at, x)
	p.lines[0], p.lines[1] = append(p.lines[0], none), append(p.lines[1], tree)
}

// Sizes of the drawing.
const (
	width, height = 300, 200
	left, bottom  = 52, 34
	top           = 24
)

var styles = [2]struct{ name, colour string }{{"none", "#b33"}, {"tree", "#26a"}}

// draw is nine plots as SVG, lettered (a) to (i) by column, as Figure 5.2 is.
func draw(title string, grid [3][3]plot) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"10\">\n", 3*width+20, 3*height+40)
	fmt.Fprintf(&b, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"12\" y=\"20\" font-size=\"13\">%s</text>\n", title)
	for k, s := range styles {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"20\" fill=\"%s\">● -filter %s</text>\n", 3*width-180+90*k, s.colour, s.name)
	}
	for m := range grid {
		for a := range grid[m] {
			fmt.Fprintf(&b, "<g transform=\"translate(%d %d)\">\n", 10+a*width, 32+m*height)
			grid[m][a].draw(&b, 'a'+3*a+m)
			fmt.Fprintln(&b, "</g>")
		}
	}
	fmt.Fprintln(&b, "</svg>")
	return b.Bytes()
}

// draw draws one: x by its logarithm, y from zero.
func (p *plot) draw(b *bytes.Buffer, letter int) {
	most := 0.0
	for _, l := range p.lines {
		for _, y := range l {
			most = max(most, y)
		}
	}
	most = above(most)
	first, last := math.Log(p.at[0]), math.Log(p.at[len(p.at)-1])
	px := func(x float64) float64 { return left + (math.Log(x)-first)/(last-first)*(width-left-16) }
	py := func(y float64) float64 { return top + (1-y/most)*(height-top-bottom) }
	fmt.Fprintf(b, "<text x=\"%d\" y=\"14\">(%c) %s</text>\n", left, letter, p.y)
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (left+width)/2, height-6, p.x)
	for k := 0; k <= 4; k++ {
		y := most * float64(k) / 4
		fmt.Fprintf(b, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n", left, py(y), width-16, left-4, py(y)+3, y)
	}
	for _, x := range p.at {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", px(x), height-bottom+12, x)
	}
	for k, l := range p.lines {
		fmt.Fprintf(b, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", styles[k].colour)
		for i, y := range l {
			fmt.Fprintf(b, "%.1f,%.1f ", px(p.at[i]), py(y))
		}
		fmt.Fprintln(b, "\"/>")
		for i, y := range l {
			fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", px(p.at[i]), py(y), styles[k].colour)
		}
	}
}

// above is the next of 1, 2, 4, 5, 10, … that is no less than x.
func above(x float64) float64 {
	if x <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, k := range []float64{1, 2, 4, 5, 10} {
		if k*unit >= x {
			return k * unit
		}
	}
	return 10 * unit
}

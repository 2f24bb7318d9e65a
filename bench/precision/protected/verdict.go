package protected

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"

	"github.com/presage-race/presage/bench/internal/session"
)

// find returns the verdict of a judge on a program, nil if there is none or presage failed.
func find(s *session.State[verdict], judge string, p *program) *verdict {
	for _, v := range s.Rows {
		if v.Judge == judge && v.Family == p.family && v.Name == p.name && v.Text == p.hash() && v.Failed == "" {
			return v
		}
	}
	return nil
}

// hash is a hash of what a program says.
func (p *program) hash() string {
	sum := sha256.Sum256([]byte(p.String() + strings.Join(p.requires, "\n")))
	return fmt.Sprintf("%x", sum[:8])
}

// unjudged is the ID of a judge that checks programs and does not run presage.
const unjudged = "check"

// judgeID is a hash of what gives the verdicts: the binary of presage, its flags, and the sleep.
func judgeID(o *options) (string, error) {
	if o.check {
		return unjudged, nil
	}
	text, err := os.ReadFile(o.presage)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(text)
	fmt.Fprintln(h, o.flags, o.sleep)
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

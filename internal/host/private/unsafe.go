package private

import "fmt"

// An Unsafe says why a file or directory is refused, and what to do.
type Unsafe struct{ Name, Why, Do string }

func (u *Unsafe) Error() string {
	return fmt.Sprintf("%s is not used, because %s: %s", u.Name, u.Why, u.Do)
}

// Package typo compares words, to propose what somebody may have meant.
package typo

// Distance returns the number of bytes to insert, delete or replace to make b of a. It takes time
// proportional to len(a)*len(b).
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, last+1, row[j]+1)
		}
	}
	return row[len(b)]
}

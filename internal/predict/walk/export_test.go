package walk

// Drowsy has the frames of a walker sleep as soon as two others are called.
func Drowsy(w *Walker) *Walker {
	w.pool.awake = 2
	return w
}

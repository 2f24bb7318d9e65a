package format

// # Contexts
//
// What is known of the contexts of package context is written by outside code, as AtomicWrite
// events of words that nothing reads. Each word stands for an address.
const (
	// Contexts is the lowest of the words that stand for contexts: the address of the context
	// is the difference. The value is the channel that Done returns, 0 if that is nil.
	Contexts Addr = 1 << 60

	// Cancels is the lowest of the words for what else is known. The value of that of a
	// function that WithCancel has returned is the address of the context, if that has no parent
	// of another package. The value of that of a context is the address of another one that is
	// cancelled with it. It is written before the goroutine that makes the other one looks for
	// the last time whether the context is cancelled.
	Cancels Addr = 1 << 59
)

// IsContext reports whether an address stands for a context.
func IsContext(a Addr) bool { return a >= Contexts && a < MapKeys }

// IsCancel reports whether an address stands for a function that cancels a context, or a part of a
// context.
func IsCancel(a Addr) bool { return a >= Cancels && a < Contexts }

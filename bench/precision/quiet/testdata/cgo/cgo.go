package quietcgo

/*
#cgo LDFLAGS: -lpthread
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
extern void goBack(int);
static int total;
static void fill(char *p, int n) { memset(p, 7, n); total += n; }
static void back(int n) { goBack(n); }
static void *run(void *p) { goBack(100); return 0; }
static void thread() { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); }
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static void lock() { pthread_mutex_lock(&mu); }
static void unlock() { pthread_mutex_unlock(&mu); }
*/
import "C"
import (
	"runtime/cgo"
	"unsafe"
)

var n int

//export goBack
func goBack(x C.int) { n += int(x) }

func Fill(b []byte) { C.fill((*C.char)(unsafe.Pointer(&b[0])), C.int(len(b))) }
func Back(x int)    { C.back(C.int(x)) }
func Thread()       { C.thread() }
func Lock()         { C.lock() }
func Unlock()       { C.unlock() }
func Str(s string) string {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	return C.GoString(c)
}
func Handle(x any) any {
	h := cgo.NewHandle(x)
	defer h.Delete()
	return h.Value()
}
func N() int { return n }

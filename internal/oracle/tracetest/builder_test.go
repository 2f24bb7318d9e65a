package tracetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace/raw"
)

func TestBuilder(t *testing.T) {
	var b tracetest.Builder
	b.Go(1, 2).Write(1, 8, 5).RLock(2, 16).Read(2, 8, 5).RUnlock(2, 16).Lock(2, 16).RMW(1, 24, 0, 1).Unlock(2, 16)
	b.AtomicWrite(1, 24, 2).AtomicRead(2, 24, 2).Send(1, 32, 1, 9).Recv(2, 32, 1, 9).Close(1, 32, 1).End(2)
	want := `g1 go g2 @1
g2 start g1 @2
g1 write 0x8 val=5 @3
g2 lock 0x10 read @4
g2 read 0x8 val=5 @5
g2 unlock 0x10 read @6
g2 lock 0x10 @7
g1 armw 0x18 val=0 aux=1 @8
g2 unlock 0x10 @9
g1 awrite 0x18 val=2 @10
g2 aread 0x18 val=2 @11
g1 send 0x20 val=9 aux=1 @12
g2 recv 0x20 val=9 aux=1 @13
g1 close 0x20 aux=1 @14
g2 end @15
`
	if d := cmp.Diff(want, raw.Text(b.Events, nil)); d != "" {
		t.Error(d)
	}
}

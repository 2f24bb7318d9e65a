package driver

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/tracelog"
)

func calls(t *testing.T) (first, second func()) {
	nop := tracelog.LoggerFunc(func(context.Context, tracelog.LogLevel, string, map[string]any) {})
	tl := &tracelog.TraceLog{Logger: nop, LogLevel: tracelog.LogLevelTrace}
	start := func() {
		ctx := tl.TraceConnectStart(context.Background(), pgx.TraceConnectStartData{ConnConfig: &pgx.ConnConfig{}})
		tl.TraceConnectEnd(ctx, pgx.TraceConnectEndData{Err: context.Canceled})
	}
	return start, start
}

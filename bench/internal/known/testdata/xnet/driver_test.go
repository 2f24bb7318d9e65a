package driver

import (
	"net/http/httptest"
	"testing"

	"golang.org/x/net/trace"
)

func calls(t *testing.T) (first, second func()) {
	return func() { trace.NewEventLog("family", "title").Finish() },
		func() { trace.RenderEvents(httptest.NewRecorder(), nil, true) }
}

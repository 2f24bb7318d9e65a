package driver

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func calls(t *testing.T) (first, second func()) {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:                        "h",
		Help:                        "h",
		NativeHistogramBucketFactor: 1.1,
		NativeHistogramMaxExemplars: 3,
		NativeHistogramExemplarTTL:  time.Hour,
	}).(prometheus.ExemplarObserver)
	return func() { h.ObserveWithExemplar(1, prometheus.Labels{"id": "1"}) },
		func() { h.ObserveWithExemplar(2, prometheus.Labels{"id": "2"}) }
}

package kcp

import "github.com/tendonengine/tendon/transport/internal/endpoint"

// An Option changes a Listener or a Dialer.
type Option func(*options)

type options struct {
	simulation *Simulation
	timing     endpoint.Timing
}

func collect(opts []Option) (o options) {
	for _, f := range opts {
		f(&o)
	}
	return o
}

// WithConditions puts a simulated network between the endpoint and its socket,
// in both directions. Several endpoints may share one simulation; each has its
// own paths.
func WithConditions(s *Simulation) Option { return func(o *options) { o.simulation = s } }

// withTiming shortens the waits in tests.
func withTiming(t endpoint.Timing) Option { return func(o *options) { o.timing = t } }

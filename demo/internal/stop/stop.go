// Package stop tells a program that it is asked to end, so that it can say goodbye to the
// others of its session first.
package stop

import (
	"context"
	"os/signal"
)

// Context returns a context that ends when the program is asked to end: by Ctrl-C, by the
// system, or because its terminal closes. A program that was started to outlive its
// terminal, as by nohup, does.
func Context() (ctx context.Context, cancel context.CancelFunc) {
	return signal.NotifyContext(context.Background(), asked()...)
}

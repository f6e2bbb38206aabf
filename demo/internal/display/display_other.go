//go:build !linux

package display

// missing is about Linux alone: elsewhere a window always has a display, or
// Ebitengine says itself what is wrong.
func missing(func(string) string) string { return "" }

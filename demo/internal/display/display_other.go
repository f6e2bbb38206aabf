//go:build !linux

package display

// missing checks on Linux only: on other systems there is always a display, or
// Ebitengine itself reports what is wrong.
func missing(func(string) string) string { return "" }

package display

import "syscall"

// missing returns a sentence that says why no window can open, or "" where a window can
// probably open. Ebitengine speaks X11; under Wayland it needs XWayland, which sets
// DISPLAY too.
func missing(env func(string) string) string {
	d := env("DISPLAY")
	switch {
	case d == "" && env("WAYLAND_DISPLAY") != "":
		return "there is a Wayland display but DISPLAY is not set, and the window needs X11: start XWayland."
	case d == "":
		return "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set."
	}
	number, local := localDisplay(d)
	if !local || answers(number) {
		return ""
	}
	return "no display answers at DISPLAY=" + d + "."
}

// localDisplay returns the number of a display on this machine, as 99 for ":99.0", and
// false for a display elsewhere.
func localDisplay(d string) (number string, local bool) {
	colon := -1
	for i := range len(d) {
		if d[i] == ':' {
			colon = i
		}
	}
	if colon < 0 || colon > 0 && d[:colon] != "unix" {
		return "", false
	}
	for i := colon + 1; i < len(d) && d[i] >= '0' && d[i] <= '9'; i++ {
		number += string(d[i])
	}
	return number, number != ""
}

// answers reports whether a local X server accepts a connection, on its abstract socket
// or its socket file. It does not use package net, which would be initialised too late.
func answers(number string) bool {
	path := "/tmp/.X11-unix/X" + number
	for _, name := range []string{"@" + path, path} {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			return true // unknown: let Ebitengine try
		}
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: name})
		_ = syscall.Close(fd)
		if err == nil {
			return true
		}
	}
	return false
}

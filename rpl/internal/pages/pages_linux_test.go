package pages

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// Where a long array is the system has been asked for huge pages, if it grants any.
func TestLongArraysAskForHugePages(t *testing.T) {
	if mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || strings.Contains(string(mode), "[never]") {
		t.Skip("this system has no huge pages to ask for")
	}
	s := Grow([]byte(nil), 8*Long)
	at := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	if flags := flagsAt(t, at); !strings.Contains(flags, " hg") {
		t.Errorf("the memory of a long array has the flags %q, hg not among them", flags)
	}
}

// flagsAt is what the kernel notes of the memory at an address.
func flagsAt(t *testing.T, at uintptr) string {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if flags, is := strings.CutPrefix(lines.Text(), "VmFlags:"); is && inside {
			return flags
		}
	}
	t.Skip("the kernel does not tell")
	return ""
}

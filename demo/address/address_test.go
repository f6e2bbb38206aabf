package address

import "testing"

func TestBind(t *testing.T) {
	for _, c := range []struct {
		addr   string
		public bool
		want   string // "" for refused
	}{
		{":7777", false, "127.0.0.1:7777"},
		{":7777", true, ":7777"},
		{"127.0.0.1:0", false, "127.0.0.1:0"},
		{"127.3.2.1:0", false, "127.3.2.1:0"},
		{"[::1]:7777", false, "[::1]:7777"},
		{"localhost:7777", false, "localhost:7777"},
		{"0.0.0.0:7777", false, ""},
		{"0.0.0.0:7777", true, "0.0.0.0:7777"},
		{"192.168.0.4:7777", false, ""},
		{"example.org:7777", false, ""},
		{"7777", false, ""},
		{"", true, ""},
	} {
		got, err := Bind(c.addr, c.public)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("Bind(%q, %v) = %q, %v; want %q", c.addr, c.public, got, err, c.want)
		}
	}
}

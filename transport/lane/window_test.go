package lane

import (
	"testing"
	"time"
)

// While the other end has no room nothing new is sent; it is asked for its window, and what
// waits leaves once it has room again.
func TestClosedWindow(t *testing.T) {
	var said [][]byte
	a := NewARQ(func(b []byte) { said = append(said, append([]byte(nil), b...)) })
	count := func(cmd uint8) (n int) {
		for _, b := range said {
			for len(b) > 0 {
				h, _, rest, err := parse(b)
				if err != nil {
					t.Fatal(err)
				}
				if h.cmd == cmd {
					n++
				}
				b = rest
			}
		}
		return n
	}
	now := time.Second
	a.Input(now, header{cmd: wins, wnd: 0}.append(nil))
	a.Send([]byte("waits"))
	for range 60 * 20 {
		now += time.Second / 60
		a.Update(now)
	}
	if count(push) != 0 || count(wask) < 1 || count(wask) > 3 || a.Waiting() != 1 {
		t.Errorf("%d segments and %d questions leave in 20 s, %d wait", count(push), count(wask), a.Waiting())
	}
	a.Input(now, header{cmd: wins, wnd: 5}.append(nil))
	a.Update(now + 20*time.Millisecond)
	if count(push) != 1 {
		t.Errorf("%d segments leave once there is room", count(push))
	}
	said = nil
	a.Input(now, header{cmd: wask, wnd: 5}.append(nil))
	a.Update(now + 40*time.Millisecond)
	if count(wins) != 1 {
		t.Errorf("a question is answered %d times", count(wins))
	}
}

package lane

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Where packets are lost, long messages are not sent twice: only what follows the last of
// them is. Short ones are, also between long ones.
func TestLongMessagesAreNotSentTwice(t *testing.T) {
	for _, k := range []struct {
		name        string
		sizes       []int // of messages queued at once
		least, most int   // of 100 bytes sent, how many are copies
	}{
		{"long", []int{8000, 8000, 8000, 8000, 8000, 8000}, 0, 4},
		{"not so long", []int{1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500}, 0, 10},
		{"one", []int{8000}, 0, 13},
		{"short", []int{40, 40, 40}, 50, 50},
		{"short, more than a segment holds", []int{900, 900, 900, 900, 900}, 50, 50},
		{"a short one between long ones", []int{8000, 8000, 40, 8000, 8000}, 1, 15},
	} {
		var out [2]uint64
		for i, loss := range []float64{0, RepeatAbove} {
			x := newExchange(1, netsim.Conditions{Delay: 20 * time.Millisecond})
			x.ends[0].SetLoss(loss)
			for _, size := range k.sizes {
				if err := x.ends[0].Queue(make([]byte, size)); err != nil {
					t.Fatal(err)
				}
			}
			for n := 0; n < 600 && (n < 60 || len(x.came[1]) < len(k.sizes)); n++ {
				x.tick(t)
			}
			if len(x.came[1]) != len(k.sizes) {
				t.Fatalf("%s: %d of %d messages came", k.name, len(x.came[1]), len(k.sizes))
			}
			out[i] = x.ends[0].Out()
		}
		if share := int(100 * (out[1] - out[0]) / out[1]); share < k.least || share > k.most {
			t.Errorf("%s: %d bytes are sent, %d under loss: %d %% are copies, want %d to %d", k.name, out[0], out[1], share, k.least, k.most)
		}
	}
}

// After RepeatFirst each of the first short messages is said three times, whatever is lost, so that it comes
// at once where two packets in a row are lost. Others are said once, and so are long ones.
func TestFirstSegmentsAreRepeated(t *testing.T) {
	const messages = FirstRepeated + 4
	for _, k := range []struct{ size, copies int }{{FirstSize - 2, 2 * FirstRepeated}, {FirstSize, 0}, {MaxChunk - 2, 0}} {
		x := newExchange(1, netsim.Conditions{Delay: 20 * time.Millisecond})
		x.ends[0].RepeatFirst()
		for range messages {
			if err := x.ends[0].Queue(make([]byte, k.size)); err != nil {
				t.Fatal(err)
			}
			for range 12 {
				x.tick(t)
			}
		}
		one := HeaderSize + k.size + len(binary.AppendUvarint(nil, uint64(k.size)))
		if got, want := x.ends[0].Out(), uint64((messages+k.copies)*one); got != want || len(x.came[1]) != messages {
			t.Errorf("%d of %d messages of %d bytes came, for %d bytes, want %d", len(x.came[1]), messages, k.size, got, want)
		}
	}

	const unanswered = 200 * time.Millisecond // the machine repeats it, too
	for datagrams, want := range map[bool][]time.Duration{
		true:  {0, RepeatAfter, 3 * RepeatAfter, unanswered},
		false: {0, unanswered, RepeatAfter + AlongWithin, 3*RepeatAfter + AlongWithin},
	} {
		l := New(NewARQ)
		l.RepeatFirst()
		l.Queue([]byte("x"))
		l.Queue([]byte("y"))
		var said []time.Duration
		for now := time.Duration(0); now < AlongWithin+10*RepeatAfter; now += RepeatAfter / 3 {
			l.Update(now)
			if datagrams {
				l.Along(now)
			}
			for l.Pending() > 0 {
				l.Take(nil, HeaderSize+4)
				said = append(said, now)
			}
		}
		if !slices.Equal(said, want) || l.Held() > 0 {
			t.Errorf("datagrams %v: said at %v, want %v; %d bytes are held", datagrams, said, want, l.Held())
		}
	}
}

// A short message that is lost behind long ones, which have left, comes with its copy; that
// is not a round trip late.
func TestShortMessageBehindLongOnes(t *testing.T) {
	x := newExchange(1, netsim.Conditions{Delay: 50 * time.Millisecond})
	x.ends[0].SetLoss(RepeatAbove)
	for _, size := range []int{2500, 40} {
		if err := x.ends[0].Queue(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	x.now += tick
	l := x.ends[0]
	l.Update(x.now)
	for l.Pending() > 0 {
		p := l.Take(nil, transport.MaxPayload)
		if l.Pending() > 0 { // all but the last packet arrive
			x.paths[0].Send(x.now, p)
		}
	}
	begun := x.now
	for len(x.came[1]) < 2 && x.now < begun+time.Second {
		x.tick(t)
	}
	if took := x.now - begun; took > 50*time.Millisecond+3*tick {
		t.Errorf("the message takes %v", took)
	}
}

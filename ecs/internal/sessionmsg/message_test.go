package sessionmsg

// Session messages: their bytes, and what is refused.

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"testing"
)

// Session messages have these bytes, and a message that is cut short is refused.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		hex   string
		bytes []byte
		parse func(b []byte) (any, error)
		want  any
	}{
		{
			"80" + "07000000" + "39300000" + "3c00" + "1e00" + "03" + "03" + "ff00000000000000" + "63617665",
			AppendWelcome(nil, Welcome{Peer: 7, Tick: 12345, Steps: 60, Sends: 30, Host: 1, Rewinds: true, Level: Level{Epoch: 3, After: 255, Name: "cave"}}),
			func(b []byte) (any, error) { return ParseWelcome(b) },
			Welcome{Peer: 7, Tick: 12345, Steps: 60, Sends: 30, Host: 1, Rewinds: true, Level: Level{Epoch: 3, After: 255, Name: "cave"}},
		},
		{
			"82" + "04" + "0001000000000000" + "62",
			AppendLevel(nil, Level{Epoch: 4, After: 256, Name: "b"}),
			func(b []byte) (any, error) { return ParseLevel(b) },
			Level{Epoch: 4, After: 256, Name: "b"},
		},
		{
			"81" + "04" + "0900000000000000" + "02000000" + "0300000000000000",
			AppendReady(nil, Ready{Epoch: 4, After: 9, Names: NameSum{2, 3}}),
			func(b []byte) (any, error) { return ParseReady(b) },
			Ready{Epoch: 4, After: 9, Names: NameSum{2, 3}},
		},
		{
			"84" + "05" + "01",
			AppendAsk(nil, Ask{Group: 5, In: true}),
			func(b []byte) (any, error) { return ParseAsk(b) },
			Ask{Group: 5, In: true},
		},
		{
			"85" + "10270000" + "01",
			AppendProgress(nil, Progress{Want: 10000, Done: true}),
			func(b []byte) (any, error) { return ParseProgress(b) },
			Progress{Want: 10000, Done: true},
		},
	} {
		want, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.bytes, want) {
			t.Errorf("%T is %x, not %x", c.want, c.bytes, want)
		}
		if got, err := c.parse(want); err != nil || got != c.want {
			t.Errorf("%x is read as %+v, %v", want, got, err)
		}
		name := 0
		switch m := c.want.(type) {
		case Welcome:
			name = len(m.Level.Name)
		case Level:
			name = len(m.Name)
		}
		for n := range len(want) - name { // a name may end anywhere
			if _, err := c.parse(want[:n]); !errors.Is(err, ErrMessage) {
				t.Errorf("%x cut at %d: %v", want, n, err)
			}
		}
	}
	if _, err := ParseLevel(append([]byte{TypeLevel}, make([]byte, 9+MaxLevelName+1)...)); !errors.Is(err, ErrMessage) {
		t.Errorf("a name too long: %v", err)
	}
	names := Names{Kind: NamesDestroyed, Names: []string{"door", "x"}}
	b := AppendNames(nil, names)
	if want := "8301" + "04646f6f72" + "0178"; hex.EncodeToString(b) != want {
		t.Errorf("names are %x, not %s", b, want)
	}
	if m, err := ParseNames(b); err != nil || !reflect.DeepEqual(m, names) {
		t.Errorf("names are read as %+v, %v", m, err)
	}
	for _, bad := range [][]byte{{TypeNames}, {TypeNames, 3}, {TypeNames, 1, 0}, {TypeNames, 1, 2, 'x'}, append([]byte{TypeNames, 1, 65}, make([]byte, 65)...), {TypeAsk, 1, 2}} {
		_, err := ParseNames(bad)
		if _, ask := ParseAsk(bad); !errors.Is(err, ErrMessage) || !errors.Is(ask, ErrMessage) {
			t.Errorf("%x: %v, %v", bad, err, ask)
		}
	}
	for _, m := range []Welcome{{Peer: 1, Steps: 60, Sends: 30}, {Peer: 2, Steps: 0, Sends: 0}, {Peer: 2, Steps: 30, Sends: 60}, {Peer: 2, Steps: 60, Sends: 30, Host: 4}} {
		if _, err := ParseWelcome(AppendWelcome(nil, m)); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// A datagram that is told again is read as it was sent, and nothing without one.
func TestLast(t *testing.T) {
	b := AppendLast(nil, Last{Seq: 258, Datagram: []byte("ab")})
	if want := "8602010000000000006162"; hex.EncodeToString(b) != want {
		t.Errorf("it is %x, not %s", b, want)
	}
	if m, err := ParseLast(b); err != nil || m.Seq != 258 || string(m.Datagram) != "ab" {
		t.Errorf("it is read as %+v, %v", m, err)
	}
	for n := range 10 {
		if _, err := ParseLast(b[:n]); !errors.Is(err, ErrMessage) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

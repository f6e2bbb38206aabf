package ecs

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
			"80" + "07000000" + "39300000" + "3c00" + "1e00" + "01" + "03" + "ff00000000000000" + "63617665",
			appendWelcome(nil, welcome{peer: 7, tick: 12345, steps: 60, sends: 30, host: 1, level: levelMessage{epoch: 3, after: 255, name: "cave"}}),
			func(b []byte) (any, error) { return parseWelcome(b) },
			welcome{peer: 7, tick: 12345, steps: 60, sends: 30, host: 1, level: levelMessage{epoch: 3, after: 255, name: "cave"}},
		},
		{
			"82" + "04" + "0001000000000000" + "62",
			appendLevel(nil, levelMessage{epoch: 4, after: 256, name: "b"}),
			func(b []byte) (any, error) { return parseLevel(b) },
			levelMessage{epoch: 4, after: 256, name: "b"},
		},
		{
			"81" + "04" + "0900000000000000" + "02000000" + "0300000000000000",
			appendReady(nil, ready{epoch: 4, after: 9, names: nameSum{2, 3}}),
			func(b []byte) (any, error) { return parseReady(b) },
			ready{epoch: 4, after: 9, names: nameSum{2, 3}},
		},
		{
			"84" + "05" + "01",
			appendAsk(nil, askMessage{group: 5, in: true}),
			func(b []byte) (any, error) { return parseAsk(b) },
			askMessage{group: 5, in: true},
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
		case welcome:
			name = len(m.level.name)
		case levelMessage:
			name = len(m.name)
		}
		for n := range len(want) - name { // a name may end anywhere
			if _, err := c.parse(want[:n]); !errors.Is(err, errMessage) {
				t.Errorf("%x cut at %d: %v", want, n, err)
			}
		}
	}
	if _, err := parseLevel(append([]byte{msgLevel}, make([]byte, 9+maxLevelName+1)...)); !errors.Is(err, errMessage) {
		t.Errorf("a name too long: %v", err)
	}
	names := namesMessage{kind: namesDestroyed, names: []string{"door", "x"}}
	b := appendNames(nil, names)
	if want := "8301" + "04646f6f72" + "0178"; hex.EncodeToString(b) != want {
		t.Errorf("names are %x, not %s", b, want)
	}
	if m, err := parseNames(b); err != nil || !reflect.DeepEqual(m, names) {
		t.Errorf("names are read as %+v, %v", m, err)
	}
	for _, bad := range [][]byte{{msgNames}, {msgNames, 3}, {msgNames, 1, 0}, {msgNames, 1, 2, 'x'}, append([]byte{msgNames, 1, 65}, make([]byte, 65)...), {msgAsk, 1, 2}} {
		_, err := parseNames(bad)
		if _, ask := parseAsk(bad); !errors.Is(err, errMessage) || !errors.Is(ask, errMessage) {
			t.Errorf("%x: %v, %v", bad, err, ask)
		}
	}
	for _, m := range []welcome{{peer: 1, steps: 60, sends: 30}, {peer: 2, steps: 0, sends: 0}, {peer: 2, steps: 30, sends: 60}, {peer: 2, steps: 60, sends: 30, host: 2}} {
		if _, err := parseWelcome(appendWelcome(nil, m)); !errors.Is(err, errMessage) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

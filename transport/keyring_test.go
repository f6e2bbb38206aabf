package transport

import (
	"strconv"
	"testing"
)

// A keyring keeps the newest servers, and grows no further.
func TestKeyringIsBounded(t *testing.T) {
	var k Keyring
	for i := range 2 * maxOwn {
		k.Keep(strconv.Itoa(i))
		k.Keep(strconv.Itoa(i))
	}
	if len(k.own) != maxOwn || !k.Own(strconv.Itoa(2*maxOwn-1)) || !k.Own(strconv.Itoa(maxOwn)) || k.Own(strconv.Itoa(maxOwn-1)) {
		t.Errorf("%d are kept", len(k.own))
	}
	var none *Keyring
	if none.Keep("x"); none.Own("x") {
		t.Error("no keyring remembers")
	}
}

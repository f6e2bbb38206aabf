package rpl

import (
	"errors"
	"reflect"
	"runtime"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/wire"

	"github.com/tendonengine/tendon/rpl/internal/coder"
)

// Sessions in one process share the default tables of their schema, and proxies share
// the learned tables that they are shipped, for as long as a proxy has them.
func TestSessionsShareTheirTables(t *testing.T) {
	type body struct {
		HP uint8 `rpl:""`
	}
	s := NewSchema("shared")
	s.Item("body", reflect.TypeFor[body](), nil)
	a, err := NewAuthority(AuthorityConfig{Schema: s, Hz: 60})
	if err != nil {
		t.Fatal(err)
	}
	var proxies [2]*Proxy
	for i := range proxies {
		if proxies[i], err = NewProxy(ProxyConfig{Schema: s, Hz: 60}, Peer(i+2)); err != nil {
			t.Fatal(err)
		}
		if proxies[i].Defaults != a.defaults {
			t.Error("a session has default tables of its own")
		}
	}
	k := coder.CodingOf(s)
	message := a.modelSet.With(1).Append([]byte{wire.MsgTable}, k.Types, k.Defaults)
	for _, p := range proxies {
		p.Message(message)
	}
	if m := proxies[0].Models[1]; m == nil || m != proxies[1].Models[1] {
		t.Error("what two proxies were shipped is not shared")
	}
	if _, err := k.ShippedAs(message[1 : len(message)-1]); !errors.Is(err, ErrPacket) {
		t.Errorf("half a message: %v", err)
	}
	proxies = [2]*Proxy{}
	runtime.GC()
	if k.Shipped[0].Model.Value() != nil {
		t.Error("tables stay that no proxy has any more")
	}
}

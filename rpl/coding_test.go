package rpl

import (
	"errors"
	"reflect"
	"runtime"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/proxy"
	"github.com/tendonengine/tendon/rpl/internal/wire"
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
	var proxies [2]*proxy.Proxy
	for i := range proxies {
		if proxies[i], err = NewProxy(proxy.ProxyConfig{Schema: s, Hz: 60}, ids.Peer(i+2)); err != nil {
			t.Fatal(err)
		}
		if FaultsOf(proxies[i]).Defaults() != a.sender.Tables.Defaults {
			t.Error("a session has default tables of its own")
		}
	}
	k := coder.CodingOf(s)
	message := a.sender.Tables.Model.Set.With(1).Append([]byte{wire.MsgTable}, k.Types, k.Defaults, nil)
	for _, p := range proxies {
		FaultsOf(p).Message(message)
	}
	if m := FaultsOf(proxies[0]).Model(1); m == nil || m != FaultsOf(proxies[1]).Model(1) {
		t.Error("what two proxies were shipped is not shared")
	}
	if _, err := k.ShippedAs(message[1:len(message)-1], new([4]*coder.Model)); !errors.Is(err, ids.ErrPacket) {
		t.Errorf("half a message: %v", err)
	}
	proxies = [2]*proxy.Proxy{}
	runtime.GC()
	if k.Shipped[0].Model.Value() != nil {
		t.Error("tables stay that no proxy has any more")
	}
}

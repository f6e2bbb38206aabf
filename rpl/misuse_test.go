package rpl_test

// Mistakes in the code that calls the core.

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

type coin struct {
	Value int32 `rpl:""`
}

// panics runs fn, which must panic with a text that contains part.
func panics(t *testing.T, part string, fn func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text, ok := recover().(string); !ok || !strings.Contains(text, part) {
			t.Errorf("panicked with %q, not with %q in it", text, part)
		}
	}()
	fn()
}

// What another schema has declared would travel as something of this schema that has the
// same number.
func TestAnotherSchemasDeclarations(t *testing.T) {
	own, other := rpl.NewSchema("own"), rpl.NewSchema("other")
	kind := reflect.TypeFor[coin]()
	own.Item("gem", kind, nil)
	call := own.RPC("spend", nil, rpl.ToServer, rpl.Reliable)
	item, prefab, stray := other.Item("coin", kind, nil), other.Prefab("purse", nil), other.RPC("earn", nil, rpl.ToServer, rpl.Reliable)
	if err := other.Freeze(60); err != nil {
		t.Fatal(err)
	}
	a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: own, Hz: 60, Local: rpl.Server})
	if err != nil {
		t.Fatal(err)
	}
	c, err := rpl.NewProxy(rpl.ProxyConfig{Schema: own, Hz: 60}, 2)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.Spawn(rpl.Spawn{})
	if err != nil {
		t.Fatal(err)
	}
	panics(t, "component coin is not of this schema", func() { a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}}) })
	panics(t, "prefab purse is not of this schema", func() { a.Spawn(rpl.Spawn{Prefab: prefab}) })
	panics(t, "component coin is not of this schema", func() { a.AddItem(n, item) })
	panics(t, "RPC earn is not of this schema", func() { a.Call(n, stray, nil) })
	panics(t, "RPC earn is not of this schema", func() { c.Call(rpl.SessionNode, stray, nil) })
	panics(t, "an item of no type", func() { a.AddItem(n, nil) })
	panics(t, "a call of no RPC", func() { a.Call(n, nil, nil) })
	if err := a.Call(n, call, nil); err != nil {
		t.Error(err)
	}
}

// A tick that goes back, and a client with the number of this machine's player, are
// refused.
func TestStepAndConnectRefuse(t *testing.T) {
	a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: rpl.NewSchema("refuse"), Hz: 60, Local: rpl.Server})
	if err != nil {
		t.Fatal(err)
	}
	for _, tick := range []rpl.Tick{5, 5, 6} {
		if err := a.Step(tick); err != nil {
			t.Error(err)
		}
	}
	if err := a.Step(5); !errors.Is(err, rpl.ErrRange) {
		t.Errorf("tick 5 after tick 6: %v", err)
	}
	if a.Connect(rpl.Server) == nil || a.Connect(0) == nil {
		t.Error("this machine's own player is connected, or nobody")
	}
}

// each= beside a map of structs is about its keys.
func TestLongKeysOfStructs(t *testing.T) {
	type ranks struct {
		Of map[string]coin `rpl:"max=2,each=100"`
	}
	s := rpl.NewSchema("ranks")
	item := s.Item("ranks", reflect.TypeFor[ranks](), nil)
	s.RPC("strings", reflect.TypeFor[[]string](), rpl.ToServer, rpl.Reliable)
	err := s.Freeze(60)
	if err == nil || err.Error() != "rpc strings: a list needs a bound; put it in a struct, and write max=N in the field's tag" {
		t.Errorf("Freeze says %v", err)
	}
	from, to := ranks{Of: map[string]coin{strings.Repeat("k", 100): {Value: 7}}}, ranks{}
	vars := make([]any, len(item.Vars))
	item.Extract(unsafe.Pointer(&from), nil, vars, nil)
	item.Inject(unsafe.Pointer(&to), nil, vars, nil)
	if !reflect.DeepEqual(from, to) {
		t.Errorf("%v, not %v", to, from)
	}
}

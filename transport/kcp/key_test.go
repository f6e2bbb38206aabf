package kcp

// Keys, join strings, identities and connect tokens, over real sockets.

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/token"
)

// A join string says what it was made of; spoiled at any letter it says nothing, and is
// never taken for an address.
func TestJoinStrings(t *testing.T) {
	k := NewKey()
	for _, want := range []JoinString{
		{Address: "192.168.1.5:7777", Key: k.Public()},
		{Address: "[2001:db8::1]:7777", Key: k.Public(), Secret: []byte("open sesame"), Game: "pong"},
		{Address: "example.org:1", Key: k.Public(), Fingerprint: make([]byte, 32)},
	} {
		text := want.String()
		if !strings.Contains(text, want.Address) {
			t.Errorf("%s does not show its address", text)
		}
		got, err := ParseJoinString(" " + text + "\n")
		if err != nil || got.String() != text || string(got.Secret) != string(want.Secret) || got.Key != want.Key || got.Game != want.Game {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
		for i := range text {
			for _, bad := range []string{text[:i] + text[i+1:], text[:i] + string(text[i]^1) + text[i+1:], text[:i]} {
				if j, err := ParseJoinString(bad); err == nil {
					t.Fatalf("%s is read as %+v", bad, j)
				}
				if _, err := Dialer(bad, WithKey(k)).Dial(linktest.Offer()); err == nil {
					t.Fatalf("%s is dialled", bad)
				}
			}
		}
	}
}

// Known join strings, so that the form stays.
func TestJoinStringVector(t *testing.T) {
	j := JoinString{Address: "192.0.2.1:7777", Key: Key{1}.Public(), Secret: []byte("open sesame"), Game: "pong"}
	const want = "tendon1://192.0.2.1:7777/ASAv5X2jR81iQxUo2qxfuykHMP_2hK_Ez8LtkJlfWMs7dAILb3BlbiBzZXNhbWUEBHBvbmdDuWRO"
	if got := j.String(); got != want {
		t.Errorf("it is %s", got)
	}
}

// By a join string a client joins the server that it names, with its secret, and no other.
func TestJoinByString(t *testing.T) {
	noLeak(t)
	me := NewKey()
	n := loopback(t, false)
	n.Listener.Close()
	l, err := Listen("127.0.0.1:0", quick, WithSecret("open sesame"))
	if err != nil {
		t.Fatal(err)
	}
	n.Listener = l
	r := linktest.NewRig(t, n)
	server := r.Host(linktest.Offer())
	join := l.JoinString()
	dial := func(what, join string, want error, opts ...Option) {
		t.Helper()
		r.Dialer = func() transport.Dialer { return Dialer(join, append(opts, quick, WithKey(me))...) }
		in := len(server.Conns)
		client := r.Join(linktest.Offer())
		r.Until(what, func() bool { return len(client.Conns) == 1 && len(server.Conns) > in || len(client.Ended) == 1 })
		if want == nil && len(client.Conns) == 1 {
			r.Hang(client, "")
			return
		}
		if len(client.Ended) != 1 || !errors.Is(client.Ended[0], want) {
			t.Errorf("%s: %v", what, client.Ended)
		} else if none := strings.Contains(client.Ended[0].Error(), "none was given"); none != (what == "by the address alone") {
			t.Errorf("%s: it is told %v", what, client.Ended[0])
		}
	}
	dial("by the string", join, nil)
	dial("by the address and the secret", l.Addr(), nil, WithSecret("open sesame"))
	dial("by the address alone", l.Addr(), transport.ErrSecret)
	dial("by another secret", l.Addr(), transport.ErrSecret, WithSecret("sesame"))
	j, err := ParseJoinString(join)
	if err != nil || j.Game != "linktest" {
		t.Fatal(j, err)
	}
	j.Key = NewKey().Public()
	dial("of another server", j.String(), transport.ErrKey)
	j.Game = "pong"
	if _, err := Dialer(j.String(), WithKey(me)).Dial(linktest.Offer()); !errors.Is(err, transport.ErrGame) {
		t.Errorf("of another game: %v", err)
	}
	if len(server.Conns) != 2 || server.Conns[0].Identity() != server.Conns[1].Identity() || server.Conns[0].Identity() != transport.IdentityOfKey(me.For(l.key.Public())) {
		t.Errorf("the server knows %d clients, %v", len(server.Conns), server.Conns[0].Identity())
	}
}

// Who dials a join string knows the server; who dials an address does not, and is told so.
func TestAuthenticated(t *testing.T) {
	n := loopback(t, false)
	for i, join := range []func() string{n.Listener.Addr, n.Listener.(*Listener).JoinString} {
		if i == 1 {
			n = loopback(t, false)
			join = n.Listener.(*Listener).JoinString
		}
		n.Dialer = func() transport.Dialer { return Dialer(join(), quick) }
		server, client := linktest.NewRig(t, n).Pair()
		if got := client.Conns[0].Stats().Authenticated; got != (i == 1) || !server.Conns[0].Stats().Authenticated {
			t.Errorf("%s: authenticated is %v", join(), got)
		}
	}
}

// A client shows itself by the same key in each of its programs, and by another to each
// server. Two at once are two.
func TestIdentityIsKept(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	n := loopback(t, false)
	r := linktest.NewRig(t, n)
	server := r.Host(linktest.Offer())
	r.Dialer = func() transport.Dialer { return Dialer(r.Listener.Addr(), quick) }
	who := func(key byte) (*linktest.Side, transport.Identity) {
		in := len(server.Conns)
		o := linktest.Offer()
		o.Key = [32]byte{key}
		client := r.Join(o)
		r.Until("it is in", func() bool { return len(server.Conns) > in })
		return client, server.Conns[in].Identity()
	}
	one, first := who(1)
	two, second := who(2)
	if first == second {
		t.Error("two clients at once are one")
	}
	r.Hang(two, "")
	if _, again := who(2); again != second {
		t.Errorf("a session's own key: %s, then %s", second, again)
	}
	r.Hang(one, "")
	if _, again := who(3); again != first {
		t.Errorf("the kept key: %s, then %s", first, again)
	}
	k, err := LoadKey("")
	if err != nil {
		t.Fatal(err)
	}
	if got := transport.IdentityOfKey(k.For(r.Listener.(*Listener).key.Public())); got != first || k.For([32]byte{1}) == k.For([32]byte{2}) {
		t.Errorf("LoadKey gives %s, not %s", got, first)
	}
}

// The second window of a user stays the player that it was towards a server, when the first
// has closed and it joins again, by the address or by the join string. Another session is
// the first player then.
func TestIdentityIsForLife(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	n := loopback(t, false)
	r := linktest.NewRig(t, n)
	server := r.Host(linktest.Offer())
	join := r.Listener.Addr()
	r.Dialer = func() transport.Dialer { return Dialer(join, quick) }
	type window struct {
		key  byte
		keys transport.Keyring
	}
	one, two := &window{key: 1}, &window{key: 2}
	who := func(w *window) (*linktest.Side, transport.Identity) {
		in := len(server.Conns)
		o := linktest.Offer()
		o.Key, o.Keys = [32]byte{w.key}, &w.keys
		client := r.Join(o)
		r.Until("it is in", func() bool { return len(server.Conns) > in })
		return client, server.Conns[in].Identity()
	}
	first, ann := who(one)
	second, bob := who(two)
	if ann == bob {
		t.Fatal("two windows are one player")
	}
	r.Hang(first, "")
	r.Hang(second, "")
	back, again := who(two)
	if again != bob {
		t.Errorf("the second window is %s, and was %s", again, bob)
	}
	r.Hang(back, "")
	first, again = who(one)
	if again != ann {
		t.Errorf("the first window is %s, and was %s", again, ann)
	}
	r.Hang(first, "")
	join = r.Listener.(*Listener).JoinString()
	if _, again := who(two); again != bob {
		t.Errorf("by the join string the second window is %s, and was %s", again, bob)
	}
	if _, again := who(&window{key: 3}); again != ann {
		t.Errorf("the user's next program is %s, and was %s", again, ann)
	}
}

// Towards each server the user's key is that of the first window that asks for it. A window at
// one server takes it from nobody at another; a seat of a window whose session was lost goes
// to the next that comes, and that window is another player from then on.
func TestOneUserAtTwoServers(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	var keyrings [3]transport.Keyring
	var rigs [2]*linktest.Rig
	var servers [2]*linktest.Side
	for i := range rigs {
		rigs[i] = linktest.NewRig(t, loopback(t, false))
		servers[i] = rigs[i].Host(linktest.Offer())
	}
	who := func(window, at int, byString bool) (hang func(), id transport.Identity) {
		t.Helper()
		r, server := rigs[at], servers[at]
		join := r.Listener.Addr()
		if byString {
			join = r.Listener.(*Listener).JoinString()
		}
		r.Dialer = func() transport.Dialer { return Dialer(join, quick) }
		in := len(server.Conns)
		o := linktest.Offer()
		o.Key, o.Keys = [32]byte{byte(window + 1)}, &keyrings[window]
		client := r.Join(o)
		r.Until("it is in", func() bool { return len(server.Conns) > in })
		return func() { r.Hang(client, "") }, server.Conns[in].Identity()
	}
	k, err := LoadKey("")
	if err != nil {
		t.Fatal(err)
	}
	user := func(at int) transport.Identity {
		return transport.IdentityOfKey(k.For(rigs[at].Listener.(*Listener).key.Public()))
	}
	lost, first := who(0, 0, true)
	here, second := who(1, 0, false)
	there, other := who(1, 1, false)
	if first != user(0) || second == user(0) || other != user(1) {
		t.Errorf("the first window is %s, the second %s and at another server %s; the user is %s and %s", first, second, other, user(0), user(1))
	}
	lost()
	if hang, again := who(0, 0, true); again != user(0) {
		t.Errorf("the first window is %s again, not %s", again, user(0))
	} else {
		hang()
	}
	next, third := who(2, 0, false)
	if _, late := who(0, 0, true); third != user(0) || late == user(0) || late == second {
		t.Errorf("who comes for the seat is %s, who had it is %s", third, late)
	}
	next()
	if _, late := who(2, 0, false); late != user(0) {
		t.Errorf("who has the seat now is %s", late)
	}
	here()
	there()
	left, err := os.ReadDir(filepath.Join(dir, "tendon", claimDir))
	if runtime.GOOS == "linux" && (err != nil || len(left) != 1) { // elsewhere the folder has another name, or files stay
		t.Errorf("files %v, of one window with the user's key, %v", left, err)
	}
}

// A listener's key is kept, unless its port is not. What cannot be read is refused by name.
func TestServerKeyIsKept(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	at := freePort(t)
	key := func(addr string, opts ...Option) [32]byte {
		l, err := Listen(addr, opts...)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		j, err := ParseJoinString(l.JoinString())
		if err != nil {
			t.Fatal(err)
		}
		return j.Key
	}
	kept := key(at)
	if key(at) != kept || key("127.0.0.1:0") == kept || key(at, WithKey(Key{5})) != (Key{5}).Public() {
		t.Error("a key is not kept, or one is that need not be")
	}
	file := filepath.Join(dir, "deep", "own.key")
	own := key("127.0.0.1:0", WithKeyFile(file))
	if key(at, WithKeyFile(file)) != own || own == kept {
		t.Error("the key of a file is not kept")
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if runtime.GOOS != "windows" {
		os.Chmod(file, 0o644)
		if _, err := Listen("127.0.0.1:0", WithKeyFile(file)); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a file that others can read: %v", err)
		}
	}
	os.WriteFile(file, []byte("no key"), 0o600)
	if _, err := LoadKey(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file without a key: %v", err)
	}
}

// The address in a join string is one that others can dial.
func TestAddressInJoinString(t *testing.T) {
	for _, x := range []struct{ listen, with, want string }{
		{"127.0.0.1:0", "", "127.0.0.1:PORT"},
		{":0", "example.org", "example.org:PORT"},
		{":0", "example.org:99", "example.org:99"},
		{":0", "2001:db8::1", "[2001:db8::1]:PORT"},
		{":0", "[2001:db8::1]", "[2001:db8::1]:PORT"},
		{":0", "[2001:db8::1]:99", "[2001:db8::1]:99"},
		{":0", "", ""},
	} {
		l, err := Listen(x.listen, WithAddress(x.with))
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := strings.Cut(l.Addr()[strings.LastIndex(l.Addr(), ":"):], ":")
		j, err := ParseJoinString(l.JoinString())
		if want := strings.ReplaceAll(x.want, "PORT", port); err != nil || want != "" && j.Address != want || strings.HasPrefix(j.Address, "[::]") || strings.HasPrefix(j.Address, "0.") {
			t.Errorf("%s with %q: %s, %v", x.listen, x.with, j.Address, err)
		}
		l.Close()
	}
}

// What would make a listener open by mistake, or its join string one that joins nothing, is an
// error that names the option.
func TestOptionsAreChecked(t *testing.T) {
	listens := func(name string, o Option) {
		t.Helper()
		l, err := Listen("127.0.0.1:0", WithKey(NewKey()), o)
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	listens("WithSecret", WithSecret(""))
	listens("WithSecret", WithSecret(strings.Repeat("x", maxSecret+1)))
	for _, a := range []string{":9", "a b", "a b:9", "example.org:", "example.org:0", "example.org:http", "example.org:70000", "a/b", "1.2.3", "0.0.0.0", "[::]:9", "[", "a:b:c"} {
		listens("WithAddress", WithAddress(a))
	}
	key := WithKey(NewKey())
	if _, err := Dialer("127.0.0.1:9", key, WithSecret(strings.Repeat("x", maxSecret+1))).Dial(linktest.Offer()); err == nil || !strings.Contains(err.Error(), "WithSecret") {
		t.Errorf("a client's long secret: %v", err)
	}
	l, err := Dialer("127.0.0.1:9", key, WithSecret("")).Dial(linktest.Offer())
	if err != nil {
		t.Fatalf("a client without a secret: %v", err)
	}
	l.Close("")
}

// A server that asks for tokens lets in who has one of its own, and refuses the others by
// the name of what is wrong. One that was used is another client's.
func TestTokens(t *testing.T) {
	noLeak(t)
	public, private, _ := ed25519.GenerateKey(nil)
	_, stranger, _ := ed25519.GenerateKey(nil)
	n := loopback(t, false)
	n.Listener.Close()
	l, err := Listen("127.0.0.1:0", quick, WithTokens(public))
	if err != nil {
		t.Fatal(err)
	}
	n.Listener = l
	r := linktest.NewRig(t, n)
	server := r.Host(linktest.Offer())
	me, other := NewKey(), NewKey()
	mine := l.key.Public()
	sign := func(by ed25519.PrivateKey, change func(*token.Token)) string {
		x := token.Token{Subject: "ann", Expires: time.Now().Add(time.Hour)}
		change(&x)
		s, err := token.Sign(by, x)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	used := sign(private, func(*token.Token) {})
	for _, x := range []struct {
		name string
		key  Key
		tok  string
		want error
	}{
		{"none", me, "", token.ErrMissing},
		{"another signer's", me, sign(stranger, func(*token.Token) {}), token.ErrForged},
		{"too early", me, sign(private, func(x *token.Token) { x.NotBefore = time.Now().Add(time.Minute) }), token.ErrEarly},
		{"expired", me, sign(private, func(x *token.Token) { x.NotBefore, x.Expires = time.Unix(1, 0), time.Now().Add(-time.Second) }), token.ErrExpired},
		{"another server's", me, sign(private, func(x *token.Token) { x.Servers = [][32]byte{{1}} }), token.ErrServer},
		{"another client's", me, sign(private, func(x *token.Token) { x.Client = other.For(mine) }), token.ErrClient},
		{"good", me, used, nil},
		{"good, for this server and client", me, sign(private, func(x *token.Token) { x.Servers, x.Client = [][32]byte{{1}, mine}, me.For(mine) }), nil},
		{"again", me, used, nil},
		{"used", other, used, token.ErrUsed},
	} {
		r.Dialer = func() transport.Dialer { return Dialer(l.JoinString(), quick, WithKey(x.key), WithToken(x.tok)) }
		in := len(server.Conns)
		client := r.Join(linktest.Offer())
		r.Until(x.name, func() bool { return len(client.Conns) == 1 && len(server.Conns) > in || len(client.Ended) == 1 })
		if x.want == nil {
			if len(client.Ended) != 0 || server.Conns[in].Identity() != "sub:ann" {
				t.Errorf("%s: %v", x.name, client.Ended)
			}
			continue
		}
		_, why, _ := strings.Cut(x.want.Error(), ": ")
		if len(client.Ended) != 1 || !errors.Is(client.Ended[0], transport.ErrToken) || !strings.Contains(client.Ended[0].Error(), why) {
			t.Errorf("%s: %v, want %q", x.name, client.Ended, why)
		}
	}
	if _, err := Dialer(l.Addr(), WithToken("ab")).Dial(linktest.Offer()); err == nil {
		t.Error("what is no token is dialled with")
	}
}

package ecs_test

// The messages that Config.Log receives, as its comment lists them.

import (
	"bytes"
	"log/slog"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport"
)

// A journal is the log of one machine, without times.
type journal struct{ bytes.Buffer }

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// lines returns the lines logged so far, and clears the journal.
func (j *journal) lines() []string {
	text := strings.TrimSuffix(j.String(), "\n")
	j.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// wants takes the lines and checks how each of them begins.
func (j *journal) wants(t *testing.T, who string, wants ...string) {
	t.Helper()
	lines := j.lines()
	if len(lines) != len(wants) {
		t.Errorf("%s: the log has %q, not %q", who, lines, wants)
		return
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, wants[i]) {
			t.Errorf("%s: the log has %q, not %q", who, line, wants[i])
		}
	}
}

func TestLog(t *testing.T) {
	l := newLab(t, lan)
	var atServer, atClient journal
	server := l.server(tendon.Config{Dedicated: true, Log: atServer.logger()})
	l.steps(1)
	atServer.wants(t, "server", "msg=hosting address="+l.listener.Addr())
	client := l.client(tendon.Config{Log: atClient.logger()})
	l.joined()
	atServer.wants(t, "server", "msg=joined peer=2 remote=")
	atClient.wants(t, "client", "msg=joined peer=2 server="+l.listener.Addr())
	server.Load("next") // everyone joins again, but nobody has come
	l.steps(60)
	check(t, "joined in the next level", slices.Collect(server.Peers())[0], 2)
	atServer.wants(t, "server")
	atClient.wants(t, "client")
	client.Close("supper is ready")
	l.steps(20)
	atServer.wants(t, "server", `msg=left peer=2 why="closed: supper is ready"`)
	atClient.wants(t, "client", `msg=ended why="tendon: closed by this machine: supper is ready"`)
	server.Close("good night")
	check(t, "a dedicated server is alone", server.Alone(), false)
}

// The server's log names each refused client and the reason, whether the transport or the
// session refused it.
func TestLogOfRefusals(t *testing.T) {
	l := newLab(t, lan)
	var log journal
	server := l.server(tendon.Config{MaxPeers: 2, Log: log.logger()})
	join := func(game string, c tendon.Config) *machine {
		p := proto
		if game != "" {
			p = tendon.NewProtocol(game)
		}
		r, err := tendon.New(donburi.NewWorld(), p, c)
		if err != nil {
			t.Fatal(err)
		}
		m := &machine{Replication: r, lab: l}
		r.OnEnd(func(err error) { m.ended = err })
		l.machines = append(l.machines, m)
		m.Join(l.net.Dialer(l.listener))
		l.until("it is in or refused", func() bool { return m.ended != nil || m.Me() == 2 })
		l.steps(5)
		return m
	}
	join("", tendon.Config{})
	log.lines()
	join("", tendon.Config{})
	log.wants(t, "full", "msg=refused remote=10.0.0.3:7777 why=full")
	join("another game", tendon.Config{})
	log.wants(t, "another game", `msg=refused remote=10.0.0.4:7777 why="another game"`)
	join(proto.Schema().Name(), tendon.Config{})
	log.wants(t, "another build", `msg=refused remote=10.0.0.5:7777 why="another schema"`)
	check(t, "counted", *server.Counter("client refused"), 3)
}

// However many clients are refused, the log gets few lines, and the number of those left
// out.
func TestLogOfManyRefusals(t *testing.T) {
	l := newLab(t, lan)
	var log journal
	server := l.server(tendon.Config{MaxPeers: 1, Log: log.logger()})
	l.steps(1)
	log.lines()
	ask := func() {
		link, err := l.net.Dialer(l.listener).Dial(transport.Offer{Game: "of somebody", Hello: []byte("x")})
		if err != nil {
			t.Fatal(err)
		}
		l.steps(10)
		link.Close("")
	}
	for range 50 {
		ask()
	}
	check(t, "lines", len(log.lines()), 10)
	check(t, "counted", *server.Counter("client refused"), 50)
	l.steps(60 * 60)
	ask()
	ask()
	lines := log.lines()
	check(t, "lines, after a minute", len(lines), 2)
	check(t, "the first", strings.HasSuffix(lines[0], " untold=40"), true)
	check(t, "the second", strings.Contains(lines[1], "untold"), false)
}

// Refusals that a client can cause in every step are logged the first, second, fourth
// time and so on, and so are failures that a server can cause on a client with every
// node.
func TestLogOfWhatOthersDoAgainAndAgain(t *testing.T) {
	l := newLab(t, lan)
	var atServer, atClient journal
	server, client := l.server(tendon.Config{Log: atServer.logger()}), l.client(tendon.Config{Log: atClient.logger()})
	l.joined()
	atServer.lines()
	atClient.lines()
	client.step = func() {
		Red.Ask(client.Replication, true)
		Blue.Ask(client.Replication, true)
	}
	l.steps(600)
	refused := *server.Counter("group refused")
	if lines := atServer.lines(); refused < 1000 || len(lines) != bits.Len64(refused) ||
		!strings.HasPrefix(lines[0], `msg="group refused" times=1 err="peer 2 `) {
		t.Errorf("%d times refused, and the log has %q", refused, lines)
	}

	Crate.Build(client.Replication, func(donburi.World, CrateArgs) *donburi.Entry { return nil })
	for range 40 {
		Crate.Spawn(server.World(), CrateArgs{})
	}
	l.steps(30)
	if lines := atClient.lines(); len(lines) != bits.Len(40) || !strings.Contains(lines[0], "prefab crate: its function has built no entity") {
		t.Errorf("40 prefabs refused, and the log has %q", lines)
	}
	check(t, "counted", *client.Counter("prefab refused"), 40)
}

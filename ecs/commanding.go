package ecs

// commanding: a session's commands. On a client: for which tick they are made, what of them
// is sent, what is told of when they came. On the authority: what is taken of them.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/clock"
	"github.com/tendonengine/tendon/ecs/internal/command"
	"github.com/tendonengine/tendon/ecs/internal/drawing"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/mistakes"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/rewind"
	"github.com/tendonengine/tendon/rpl"
)

// A commandBinder is a binder of any type.
type commandBinder interface {
	find() []*nodes.Node
	predicted() bool
	moves(e *donburi.Entry) bool
	runAuthority(t rpl.Tick)
	make(t rpl.Tick, runs bool)
	again(t rpl.Tick, inTime bool)
	runOwner(t rpl.Tick, replay bool)
	ran(t rpl.Tick) bool
	write(w *command.Writer, newest uint32, ticks int)
	take(n *nodes.Node, tick uint32, d command.Drawn, v []byte) command.Verdict
	forget(n *nodes.Node)
}

// commandBytes is a message of commands as an argument, which is written and read without
// reflection, and commandReport what the server says of them.
type commandBytes struct {
	B []byte `rpl:"max=1000"` // command.MaxBytes
}

type commandReport struct {
	Got    uint32 `rpl:""` // the newest tick of which commands have come
	Tick   uint32 `rpl:""` // the command that came latest, of those since the last report …
	Margin int16  `rpl:""` // … so many 64ths of a tick before its time
}

// needCommands declares what commands travel by.
func (p *Protocol) needCommands() {
	if p.commandRPC == nil {
		p.commandRPC = NewRPC[commandBytes](p, "tendon commands", rpl.ToServer, rpl.Unreliable).FromAnyone().AnyOrder()
		p.reportRPC = NewRPC[commandReport](p, "tendon commands report", rpl.ToOwner, rpl.Unreliable)
		p.reportRPC.wire.Spare = true
	}
}

// A commanding is a session's commands.
type commanding struct {
	*shared
	nodes   *nodes.Table
	client  *client
	draw    *drawing.Keeper
	line    *line.Line
	predict *prediction
	past    *rewind.History
	seats   *seating
	wake    func(t rpl.Tick, replay bool) // what is predicted and due
	checks  *mistakes.Checker

	all   []commandBinder // by number, nil where it is not bound
	order []commandBinder // in which the game's step runs them

	// A client.
	lead   clock.Lead
	makes  int      // ticks of this step: 0 or 1, one more has run before
	made   rpl.Tick // the newest tick with a step of its own
	got    uint32
	late   uint32        // up to this tick some have come too late, perhaps
	before rpl.Tick      // the tick before the first that commands were made for: until then the server alone has run them
	heard  bool          // the server has reported: it knows that this client predicts
	drawn  command.Drawn // what the player saw when it gave the commands of this step
	writer command.Writer

	foreseen bool // on the authority: a client has predicted what it does not own, and may do so with anything
	message  command.Message
	room     rpl.ArgRoom // scratch …
	bytes    []byte
	asked    []rpl.Node
	said     commandReport
	playing  rpl.Tick // the tick whose commands are running; 0: none …
	replays  bool     // … and they run again

	counts    CommandStats // Margin and Lead are found when they are asked for
	marginSum float64      // in ticks, of marginOf commands
	marginOf  int
}

// reset forgets what was made and sent in a session that has ended.
func (co *commanding) reset() {
	hz := float64(co.config.Steps)
	co.lead, co.got, co.late, co.makes, co.heard = clock.Lead{Bound: co.config.MaxMargin.Seconds() * hz, Hz: hz}, 0, 0, 0, false
	co.foreseen = false
	co.writer = command.NewWriter(command.Kept(co.config.Steps))
}

// restForLevel has the commands rest until the first state of another level.
func (co *commanding) restForLevel() {
	co.heard = false
	co.writer.Forget()
	co.lead.Rest()
}

// run is Command.Run.
func (co *commanding) run(b commandBinder) {
	if !slices.Contains(co.order, b) {
		co.order = append(co.order, b)
	}
	switch {
	case co.Auth != nil:
		co.playing = co.Tick
		b.runAuthority(co.Tick)
	case co.Proxy != nil && co.lead.Tick() > 0:
		t := rpl.Tick(co.lead.Tick())
		co.playing = t
		if b.make(t, co.makes > 0); co.makes > 0 {
			t = rpl.Tick(co.lead.Tick())
			co.playing = t
			co.predict.others.To(t)
			b.runOwner(t, false)
			co.predict.others.Back()
		}
	}
	co.playing = 0
}

// replay runs a tick's commands again.
func (co *commanding) replay(t rpl.Tick) {
	co.begins(t, true)
	for _, b := range co.order {
		if b.ran(t) || t <= co.before { // not while the game was paused
			b.runOwner(t, true)
		}
	}
	co.ends()
}

// begins has the tick begin whose rules run from now on, until ends.
func (co *commanding) begins(t rpl.Tick, replay bool) {
	co.playing, co.replays = t, replay
	co.predict.others.To(t)
	co.checks.RuleRuns()
	co.wake(t, replay)
}

func (co *commanding) ends() {
	co.predict.others.Back()
	co.playing, co.replays = 0, false
}

// begin is a client's part of Receive: it judges what was predicted, and decides for which
// tick this step makes its commands.
func (co *commanding) begin() {
	if co.protocol.commandRPC == nil || !co.draw.Clock.Started() {
		co.draw.Moved.Settle()
		return
	}
	now := co.line.Now()
	server := co.draw.Clock.ServerNow(now)
	co.drawn = co.draw.Seen()
	co.predict.spawns.Expire(now, co.Proxy.Newest())
	co.predict.find()
	co.predict.others.Choose(co.predict.all)
	before := rpl.Tick(co.lead.Tick())
	if t := co.Proxy.Newest(); before > 0 && t >= before {
		co.lead.Behind(uint32(t))
		co.skip(before, t)
		before = t
	}
	if before > 0 {
		co.predict.reconcile(before)
	}
	co.draw.Moved.Settle()
	lead := math.Ceil(co.client.trip().Seconds()/co.config.step().Seconds()) + 2
	if co.makes = co.lead.Steps(server, lead, now); co.makes == 0 {
		return
	}
	if co.makes == 2 {
		co.makes = 1
		co.lead.Made(now)
	}
	if before > 0 {
		co.skip(before, rpl.Tick(co.lead.Tick()))
	} else {
		co.lead.Behind(uint32(co.Proxy.Newest())) // the estimate is of a server that was slower
		co.got = co.lead.Tick()                   // there was nothing to get
		co.before = rpl.Tick(co.got)
		co.predict.reconcile(co.before) // what has come is brought up to it
	}
	co.made = rpl.Tick(co.lead.Made(now))
	co.beginTick(co.made)
	co.ends()
}

func (co *commanding) beginTick(t rpl.Tick) {
	co.writer.Drew(uint32(t), co.drawn)
	co.counts.Ticks++
	co.past.Draw(t, t)
	co.begins(t, false)
}

// makeAfterAll has a step make its tick that was to make none, because a command of b is a press.
// Those that have run before in this step go on as in the tick before.
func (co *commanding) makeAfterAll(b commandBinder) rpl.Tick {
	t := rpl.Tick(co.lead.MadeAfterAll(co.line.Now()))
	co.makes, co.made = 1, t
	co.beginTick(t)
	for _, o := range co.order {
		if o.again(t, true); o == b {
			break
		}
		if o.ran(t - 1) {
			o.runOwner(t, false)
		}
	}
	co.predict.others.Back() // the tick goes on playing: b is about to run in it
	return t
}

// skip runs the ticks after one up to another that have no step of their own, before the
// game's: with the commands of the tick before, without its presses, as long as the server goes on with
// those of a silent player.
func (co *commanding) skip(from, to rpl.Tick) {
	if to > from+fewTicks {
		co.predict.states.Leave(co.predict.all, from)
		defer func() {
			co.predict.states.Moved(co.predict.all, co.line.Now().Seconds(), float64(to-from), 1)
		}()
	}
	for t := max(from, to-min(to, predict.Ticks)) + 1; t <= to; t++ {
		co.writer.Drew(uint32(t), co.drawn)
		co.past.Draw(t, to)
		co.begins(t, false)
		for _, b := range co.order {
			if t <= co.made+co.config.silent() {
				b.again(t, t == to)
			}
			if b.ran(t - 1) {
				b.runOwner(t, false)
			}
		}
		co.ends()
		co.predict.states.SaveAll(co.predict.all, t)
		co.counts.Ticks++
	}
}

// send is a client's part of Send, and the authority's.
func (co *commanding) send() {
	switch {
	case co.protocol.commandRPC == nil:
	case co.Auth != nil:
		co.report()
	case co.Proxy != nil && co.lead.Tick() > 0 && co.client.sessionHere:
		if co.makes > 0 {
			co.predict.states.SaveAll(co.predict.all, rpl.Tick(co.lead.Tick()))
		}
		co.sendCommands()
	}
}

// sendCommands sends the commands that the server is not known to have.
func (co *commanding) sendCommands() {
	server := min(co.draw.Clock.ServerNow(co.line.Now()), float64(co.Proxy.Newest()+co.draw.Screen.Every())) // a server that stands still is not beyond its next send
	meets := co.lead.Meets(server)
	newest, ticks := co.writer.Span(co.lead.Tick(), co.got, meets)
	if ticks <= 0 {
		return
	}
	for any := co.write(newest, ticks); any; any = co.write(newest, ticks) {
		if co.writer.Long() {
			newest, ticks = co.writer.Shorten(newest, ticks)
			continue
		}
		co.Faults.Refuse("predicted unnamed", co.writer.Unnamed())
		err := co.Proxy.Call(rpl.SessionNode, co.protocol.commandRPC.wire, co.writer.Arguments())
		co.Faults.Refuse("commands not sent", cmp.Or(err, co.writer.Left()))
		return
	}
}

// pressed reports whether a key was pressed in this step, of which no packet before it can tell.
func (co *commanding) pressed() bool { return co.makes > 0 && co.writer.Pressed }

// write writes a message of the last ticks, and reports whether there is anything in it.
func (co *commanding) write(newest uint32, ticks int) bool {
	co.asked = co.predict.states.Foreign(co.predict.all, co.asked[:0])
	co.writer.Begin(newest, ticks)
	co.writer.Others(co.asked, co.lead.Tick(), co.got)
	for _, b := range co.all {
		if b != nil {
			b.write(&co.writer, newest, ticks)
		}
	}
	any := !co.writer.Empty()
	if !any {
		co.writer.Begin(co.lead.Tick(), 0)
		co.writer.Others(co.asked, co.lead.Tick(), co.got)
	}
	return any || co.writer.Named || !co.heard && len(co.predict.all) > 0
}

// bind has a session hear the commands and the reports.
func (co *commanding) bind(handlers map[*rpl.RPCType]func(Call, []byte, func()) error) {
	if co.protocol.commandRPC == nil {
		return
	}
	handlers[co.protocol.commandRPC.wire] = func(c Call, args []byte, _ func()) error { return co.received(c, args) }
	handlers[co.protocol.reportRPC.wire] = func(_ Call, args []byte, _ func()) error {
		co.said = commandReport{}
		if err := co.room.Parse(co.protocol.reportRPC.wire.Args, args, unsafe.Pointer(&co.said), co.nodes); err != nil {
			return fmt.Errorf("arguments: %w", err)
		}
		co.heard = true
		co.reportCame(co.said)
		return nil
	}
}

// received takes a message of a peer's commands.
func (co *commanding) received(c Call, args []byte) error {
	s := co.seats.seatOf(c.From)
	if s == nil {
		return nil
	}
	rp := &s.commands
	if taken, flood := rp.Take(co.line.Now(), co.config.Steps); flood {
		co.Faults.Count("command refused")
		return nil
	} else if !taken { // what it says comes again
		return nil
	}
	rp.Begin()
	waited := max(0, (co.line.Now()-rp.Received).Seconds()) / co.config.step().Seconds()
	err := co.message.ParseArguments(args, func(node rpl.Node, number int, tick uint32, at int, v []byte) {
		n := co.nodes.ByID[node]
		if n == nil || n.Leaving || number >= len(co.all) || co.all[number] == nil && co.checks.Unbound(number, n) {
			return // it went meanwhile, or has no rule here
		}
		verdict := command.Refused
		switch {
		case n.Owner == c.From:
			verdict = co.all[number].take(n, tick, co.message.Drawn[at], v)
		case co.Auth.OwnedLately(n.ID, c.From): // on its way at a hand-over
			verdict = command.Former
		}
		margin := float64(tick) - float64(co.Tick) + waited
		rp.Came(tick, verdict, margin)
		switch verdict {
		case command.Doubled:
			co.counts.Doubled++
		case command.Early:
			if co.counts.Early++; int64(tick)-int64(co.Tick) > int64(command.OwnerKeeps(command.Kept(co.config.Steps))) { // no honest client is, whatever has stood still
				co.Faults.Count("command refused")
			}
		case command.Late:
			co.counts.Late++
		case command.Taken:
			co.marginSum += margin
			co.marginOf++
		case command.Former:
			co.counts.Former++
		case command.Refused:
			co.counts.Refused++
			co.Faults.Count("command refused")
		}
	})
	if err != nil {
		co.Faults.Refuse("command refused", fmt.Errorf("peer %d: %w", c.From, err))
		return nil
	}
	if rp.End(&co.message, uint32(co.Tick)) {
		co.Auth.SetPredicting(c.From, co.message.Others)
		co.foreseen = co.foreseen || len(co.message.Others) > 0
	}
	return nil
}

// report tells the peers when their commands came.
func (co *commanding) report() {
	for _, s := range co.seats.all {
		s.commands.Step(co.line.Now(), co.config.Steps)
		if !co.Sending || !s.in || s.conn == nil {
			continue
		}
		got, tick, margin, news := s.commands.Report()
		if !news {
			continue
		}
		co.said = commandReport{got, tick, margin}
		wire := co.protocol.reportRPC.wire
		var err error
		if co.bytes, err = co.room.Append(wire.Args, co.bytes[:0], unsafe.Pointer(&co.said), co.nodes); err == nil {
			err = co.Auth.CallPeer(rpl.SessionNode, wire, co.bytes, s.peer)
		}
		co.Faults.Refuse("report not sent", err)
	}
}

// reportCame takes the server's report.
func (co *commanding) reportCame(m commandReport) {
	if m.Got > co.got && m.Got <= co.lead.Tick() {
		co.got = m.Got
	}
	if m.Margin < 0 {
		co.late = max(co.late, m.Got, m.Tick)
	}
	co.client.hear(co.Proxy.Newest()) // after a silence it shows which commands are of before
	co.lead.Reported(co.draw.Clock, m.Tick, m.Got, float64(m.Margin)/64, co.line.Now())
}

// taken reports whether the server has the command of a tick, and whether that may have come too late.
func (co *commanding) taken(t rpl.Tick) (is, late bool) {
	return uint32(t) <= co.got, uint32(t) <= co.late
}

// forget drops what is kept of a node that has ended.
func (co *commanding) forget(n *nodes.Node) {
	for _, b := range co.all {
		if b != nil {
			b.forget(n)
		}
	}
}

package main

// A stage is what a scenario plays on: its processes and its figures.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

type stage struct {
	name    string
	figures map[string]any
	procs   []*process
	dir     string // for keys and other files; removed at the end
	soak    time.Duration
}

func newStage(name string, soak time.Duration) *stage {
	return &stage{name: name, figures: map[string]any{}, soak: soak}
}

func (s *stage) figure(name string, v any) { s.figures[name] = v }

// line is the figures as text.
func (s *stage) line(err error) string {
	var b strings.Builder
	b.WriteString("holds")
	if err != nil {
		b.Reset()
		fmt.Fprintf(&b, "FAILS (%v)", err)
	}
	for _, k := range slices.Sorted(maps.Keys(s.figures)) {
		if k != "ok" && k != "error" {
			fmt.Fprintf(&b, " %s=%v", k, s.figures[k])
		}
	}
	return b.String()
}

// play runs a scenario and ends all its processes.
func (s *stage) play(run func(*stage) error) error {
	var err error
	if s.dir, err = os.MkdirTemp("", "siege"); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	defer func() {
		for _, p := range s.procs {
			p.kill()
		}
	}()
	if broken := attempt(func() { err = run(s) }); broken != nil {
		return broken
	}
	return err
}

// A failure ends a scenario.
type failure struct{ error }

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// attempt runs a part of a scenario and returns its failure.
func attempt(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// A process is this program in a role. It prints one JSON object a line and is told what
// to do by such lines.
type process struct {
	what string
	cmd  *exec.Cmd
	in   io.WriteCloser

	mu    sync.Mutex
	said  []message
	news  chan struct{} // closed, and made anew, when something is said
	ended bool
	asked int
}

// A message is one line of a process. Say names what it is about.
type message struct {
	Say   string             `json:"say"`
	Re    int                `json:"re,omitempty"` // the question that it answers
	Peer  int                `json:"peer,omitempty"`
	Text  string             `json:"text,omitempty"`
	Num   map[string]float64 `json:"num,omitempty"`
	at    time.Time
	given bool // a wait has taken it
}

// An order is one line to a process.
type order struct {
	Do   string             `json:"do"`
	N    int                `json:"n"`
	Text string             `json:"text,omitempty"`
	Num  map[string]float64 `json:"num,omitempty"`
}

func (s *stage) start(role string, args ...string) *process {
	exe, err := os.Executable()
	if err != nil {
		fail("%v", err)
	}
	p := &process{what: role, news: make(chan struct{})}
	p.cmd = exec.Command(exe, append([]string{"-role", role}, args...)...)
	p.cmd.Env = append(os.Environ(), "HOME="+s.dir, "XDG_CONFIG_HOME="+s.dir, "XDG_CACHE_HOME="+s.dir)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		fail("%s: %v", role, err)
	}
	s.procs = append(s.procs, p)
	go p.listen(out)
	return p
}

func (p *process) listen(out io.Reader) {
	in := bufio.NewScanner(out)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		m := message{at: time.Now()}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			m.Say, m.Text = "noise", in.Text()
		}
		p.mu.Lock()
		p.said = append(p.said, m)
		p.wake()
		p.mu.Unlock()
	}
	_ = p.cmd.Wait() // how it ended does not matter: what it should have said is missed
	p.mu.Lock()
	p.ended = true
	p.wake()
	p.mu.Unlock()
}

// wake wakes all who wait. p.mu is held.
func (p *process) wake() {
	close(p.news)
	p.news = make(chan struct{})
}

// seek waits for a message that fits and takes it.
func (p *process) seek(limit time.Duration, fits func(m *message) bool) (message, error) {
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		p.mu.Lock()
		for i := range p.said {
			if m := &p.said[i]; !m.given && fits(m) {
				m.given = true
				p.mu.Unlock()
				return *m, nil
			}
		}
		ended, news := p.ended, p.news
		p.mu.Unlock()
		if ended {
			return message{}, fmt.Errorf("%s has ended", p.what)
		}
		select {
		case <-news:
		case <-end.C:
			return message{}, errors.New("nothing in time")
		}
	}
}

// wait waits for what the process says.
func (p *process) wait(say string, limit time.Duration) message {
	m, err := p.seek(limit, func(m *message) bool { return m.Say == say })
	if err != nil {
		fail("%s: no %q in %v: %v", p.what, say, limit, err)
	}
	return m
}

// count is how often the process has said something, since a time.
func (p *process) count(say string, since time.Time) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.said {
		if p.said[i].Say == say && p.said[i].at.After(since) {
			n++
		}
	}
	return n
}

// texts is what was said with a word.
func (p *process) texts(say string) (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.said {
		if p.said[i].Say == say {
			all = append(all, p.said[i].Text)
		}
	}
	return all
}

// tell gives an order and waits until it is carried out.
func (p *process) tell(do string, num map[string]float64) message { return p.tellText(do, "", num) }

func (p *process) tellText(do, text string, num map[string]float64) message {
	p.asked++
	n := p.asked
	b, err := json.Marshal(order{do, n, text, num})
	if err == nil {
		_, err = p.in.Write(append(b, '\n'))
	}
	if err != nil {
		fail("%s: %s: %v", p.what, do, err)
	}
	m, err := p.seek(20*time.Second, func(m *message) bool { return m.Say == "done" && m.Re == n })
	if err != nil {
		fail("%s: no answer to %s: %v", p.what, do, err)
	}
	if m.Text != "" && strings.HasPrefix(m.Text, "error: ") {
		fail("%s: %s: %s", p.what, do, m.Text)
	}
	return m
}

func (p *process) kill() {
	_ = p.signal(goOn) // a stopped process does not end
	_ = p.cmd.Process.Kill()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		ended := p.ended
		p.mu.Unlock()
		if ended {
			return
		}
	}
}

func round(v float64, digits int) float64 {
	p := math.Pow(10, float64(digits))
	return math.Round(v*p) / p
}

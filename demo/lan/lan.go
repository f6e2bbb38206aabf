// Package lan lists the island's sessions on the local network, and lets the player choose
// one by its number.
package lan

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport/kcp"
)

// Port is where sessions are looked for: the one that the usage texts host on.
const Port = 7777

// ErrNone means that no session was found.
var ErrNone = errors.New("no game was found on the local network: host one with -host :7777, or join by its join string")

// Choose looks for sessions of a protocol's name for a second, writes a numbered list to out,
// and reads a number from in. It returns the address to join.
func Choose(game string, in io.Reader, out io.Writer) (addr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	games, err := kcp.Games(ctx, game, Port)
	if err != nil {
		return "", err
	}
	return pick(games, in, out)
}

func pick(games []kcp.Game, in io.Reader, out io.Writer) (addr string, err error) {
	if len(games) == 0 {
		return "", ErrNone
	}
	for i, g := range games {
		fmt.Fprintf(out, "%3d  %v\n", i+1, g)
	}
	lines := bufio.NewScanner(in)
	for {
		fmt.Fprintf(out, "Join number (1 to %d): ", len(games))
		if !lines.Scan() {
			return "", errors.Join(errors.New("no number was given"), lines.Err())
		}
		n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
		if err == nil && n >= 1 && n <= len(games) {
			return games[n-1].Addr, nil
		}
	}
}

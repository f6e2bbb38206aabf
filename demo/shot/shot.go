// Package shot defines the account of a screenshot: which sprite was drawn where, from
// the state and the camera of that frame. A test compares the picture with the account.
// The package does not import the window, so tests need no display.
package shot

import (
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
)

// An Account describes one picture. All places and sizes are in pixels of the picture,
// from its upper left corner.
type Account struct {
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	Seconds float64 `json:"seconds"` // since the window opened
	Panes   []Pane  `json:"panes"`
	// Between is the simulated network between the panes, or what is added to that of a
	// client; nil without one.
	Between   *Conditions `json:"between,omitempty"`
	Circles   bool        `json:"circles"`   // the interest circles and the map are shown
	Figures   bool        `json:"figures"`   // the network figures are shown
	Ghosts    bool        `json:"ghosts"`    // where the server, a proxy and the prediction have each body is shown
	Predicted bool        `json:"predicted"` // what players drive is predicted
	Line      string      `json:"line"`      // the line of chat that is being typed; "" for none
}

// Conditions are the network conditions that keys change during play.
type Conditions struct {
	RTT  float64 `json:"rtt_ms"` // both ways together
	Loss float64 `json:"loss"`   // share of the packets, each way
}

// A Pane is one session's part of the picture.
type Pane struct {
	Name   string `json:"name"`
	Driver string `json:"driver"` // who plays: Bot or Player
	Box    Box    `json:"box"`
	Camera Camera `json:"camera"`
	// Nodes are the drawn nodes whose middle lies in the pane, in drawing order.
	Nodes []Sprite `json:"nodes"`
	// Below are the boxes of what was drawn before all nodes: shadows. Others are the
	// boxes of everything else: scenery, lines, text, and nodes whose middle lies
	// outside the pane.
	Below  []Box `json:"below"`
	Others []Box `json:"others"`
	Net    []Net `json:"net"` // one per connection
}

// The values of Pane.Driver. A bot plays until the player touches a key.
const (
	Bot    = "bot"
	Player = "player"
)

// A Camera says which point of the island is in the middle of the pane.
type Camera struct {
	X    float64 `json:"x"` // units
	Y    float64 `json:"y"`
	Zoom float64 `json:"zoom"` // pixels per unit
}

// Place returns the point of the island, in units, that a pixel of the picture shows in
// this pane.
func (p *Pane) Place(x, y float64) (ux, uy float64) {
	mx, my := p.Box.X+p.Box.W/2, p.Box.Y+p.Box.H/2
	return p.Camera.X + (x-mx)/p.Camera.Zoom, p.Camera.Y + (y-my)/p.Camera.Zoom
}

// A Sprite is a node that was drawn with its middle at X, Y.
type Sprite struct {
	Node   uint64  `json:"node"` // equal on all machines
	Kind   string  `json:"kind"`
	Sprite string  `json:"sprite"` // the picture's name in assets
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Radius float64 `json:"radius"` // of a circle that holds the sprite
	Core   float64 `json:"core"`   // half the side of the solid middle
	Alpha  float64 `json:"alpha"`  // 1: nothing shines through
}

// A Box is a rectangle.
type Box struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Net has the figures of one connection.
type Net struct {
	Peer      uint32  `json:"peer"` // at the other end
	Mode      string  `json:"mode"` // of this end
	Transport string  `json:"transport"`
	Local     string  `json:"local"` // this end's address and UDP port
	Remote    string  `json:"remote"`
	BytesOut  uint64  `json:"bytes_out"`
	BytesIn   uint64  `json:"bytes_in"`
	RTT       float64 `json:"rtt_ms"`
	Loss      float64 `json:"loss"`
}

// AccountPath returns the path of a picture's account: out.json beside out.png.
func AccountPath(picture string) string {
	return strings.TrimSuffix(picture, filepath.Ext(picture)) + ".json"
}

// Write writes a picture and its account beside it. The account is renamed into place
// last, so a program that finds it can read both files whole.
func Write(path string, img image.Image, a Account) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(f, img); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return err
	}
	draft := AccountPath(path) + ".draft"
	if err := os.WriteFile(draft, append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(draft, AccountPath(path))
}

// Read reads an account.
func Read(path string) (Account, error) {
	var a Account
	b, err := os.ReadFile(path)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(b, &a)
}

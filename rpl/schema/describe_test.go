package schema

import (
	"testing"
)

func TestDescribe(t *testing.T) {
	const want = `schema test, 60 ticks per second, hash 4701918db5e22e34

component arena: 9 words
  Kind   int max=3, 0…3
  Pos    float vector step=1/32,interp,predict=Vel,pos, 2 words  grows with Vel × 71582788/2³² a tick
  Angle  angle bits=12,angle,interp, 0…4095
  Vel    float vector step=1/32, 2 words
  HP     int min=0,max=100,notify, 0…100
  Anim   int, 0…255
  Team   int bits=2, 0…3

component health: 2 words
  HP   int min=0,max=100, 0…100
  Max  int min=0,max=100, 0…100

prefab ball  int, 0…255
rpc fire     string max=255, to server, reliable
group blue
group red
`
	for _, backwards := range []bool{false, true} { // whatever the order of declaration
		if got := usual().schema(t, backwards).Describe(); got != want {
			t.Errorf("described as\n%s\nwant\n%s", got, want)
		}
	}
}

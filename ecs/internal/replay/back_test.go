package replay

import (
	"testing"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
)

// What the server has not told of yet is not compared, so that a parent which it has had from its beginning is no
// news: else every state, whole or not, would be taken for whole as long as it is there.
func TestHaveMovedIsOfWhatIsCompared(t *testing.T) {
	n := &nodes.Node{Parent: &nodes.Node{ID: 7}, Predicted: &predict.Node{}}
	if !hasMoved(n) || HaveMoved([]*nodes.Node{n}) {
		t.Error("a node that the server has not told of is said to have moved")
	}
}

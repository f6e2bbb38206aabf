package windowtest

// A window that stands.

import "testing"

// While Ebitengine calls nothing, as while a window is dragged in Windows, the steps go on: a host's world does not stand
// for all. Before, this never ended.
func TestStepsGoOnWhileTheWindowStands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	r := run(t, display(t), build(t, "./demo/windowtest/testdata/standing"))
	if r.code != 0 || r.stdout != "stood, and made the steps\n" {
		t.Errorf("ended with %d and printed %q\n%s", r.code, r.stdout, r.stderr)
	}
}

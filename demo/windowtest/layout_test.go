package windowtest

// A game whose screen has another size than its window.

import "testing"

// A game says how large its screen is, and draws it to the window itself, as one that
// gives Ebitengine a Layout and a DrawFinalScreen.
func TestLayout(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	r := run(t, display(t), build(t, "./demo/windowtest/testdata/scaled"))
	const want = "screen (0,0)-(160,120)\nfinal (0,0)-(640,480) (0,0)-(160,120) 4 4\n"
	if r.code != 0 || r.stdout != want {
		t.Errorf("ended with %d and printed %q, not %q\n%s", r.code, r.stdout, want, r.stderr)
	}
}

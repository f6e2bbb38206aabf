package rpl_test

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/rpltest"
)

// Property tests run 300 checks, with the same seeds on every run of the tests.
func TestMain(m *testing.M) { rpltest.Main(m, 200) }

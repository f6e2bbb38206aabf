package rpl_test

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/rpltest"
)

// Hundreds of random worlds begin with the same seed on every run of the tests.
func TestMain(m *testing.M) { rpltest.Main(m, 300) }

package ecs_test

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/rpltest"
)

// Random games begin with the same seed on every run of the tests.
func TestMain(m *testing.M) { rpltest.Main(m, 40) }

package rpl_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// The limits say their values where the documentation shows them.
func TestLimitsSayTheirValues(t *testing.T) {
	source, err := os.ReadFile("face.go")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{
		"MaxNodes": rpl.MaxNodes, "MaxItems": rpl.MaxItems, "MaxLayouts": rpl.MaxLayouts, "MaxName": rpl.MaxName,
		"MaxArgs": rpl.MaxArgs, "MaxUnreliableArgs": rpl.MaxUnreliableArgs, "MaxReliableArgs": rpl.MaxReliableArgs,
		"MaxWeight": rpl.MaxWeight, "MaxReach": rpl.MaxReach, "MaxScale": rpl.MaxScale, "MaxPreloads": rpl.MaxPreloads,
		"MaxTick": uint32(rpl.MaxTick), "PacketRoom": rpl.PacketRoom, "PacketOverhead": rpl.PacketOverhead,
	}
	said := regexp.MustCompile(`(?m)^\t((?:Max|Packet)\w+) += \w+\.\w+ +// ([\d.e+]*\d)`).FindAllStringSubmatch(string(source), -1)
	if len(said) != len(values) {
		t.Errorf("%d limits say their values, not %d", len(said), len(values))
	}
	for _, s := range said {
		if v := fmt.Sprint(values[s[1]]); v != s[2] {
			t.Errorf("%s is %s, and says %s", s[1], v, s[2])
		}
	}
}

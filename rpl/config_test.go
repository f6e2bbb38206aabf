package rpl_test

import (
	"strings"
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// A bad configuration is an error that names the field.
func TestConfigsAreChecked(t *testing.T) {
	schema := func() *rpl.Schema { return rpl.NewSchema("config") }
	for _, c := range []struct {
		config rpl.AuthorityConfig
		err    string
	}{
		{rpl.AuthorityConfig{Hz: 60}, "Schema"},
		{rpl.AuthorityConfig{Schema: schema()}, "Hz is 0; 1 to 1000"},
		{rpl.AuthorityConfig{Schema: schema(), Hz: 1001}, "Hz is 1001; 1 to 1000"},
		{rpl.AuthorityConfig{Schema: schema(), Hz: 30, SendHz: 60}, "SendHz is 60; at most Hz, 30"},
		{rpl.AuthorityConfig{Schema: schema(), Hz: 30, SendHz: -1}, "SendHz is -1"},
		{rpl.AuthorityConfig{Schema: schema(), Hz: 60, Budget: -1}, "Budget is -1"},
		{rpl.AuthorityConfig{Schema: schema(), Hz: 60, Interest: rpl.Grid{Enter: 10, Exit: 5}}, "Exit not below it"},
	} {
		if _, err := rpl.NewAuthority(c.config); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("NewAuthority of %+v: %v, want one of %q", c.config, err, c.err)
		}
	}
	for _, c := range []struct {
		config rpl.ProxyConfig
		err    string
	}{
		{rpl.ProxyConfig{Hz: 60}, "Schema"},
		{rpl.ProxyConfig{Schema: schema(), Hz: -1}, "Hz is -1; 1 to 1000"},
	} {
		if _, err := rpl.NewProxy(c.config, 2); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("NewProxy of %+v: %v, want one of %q", c.config, err, c.err)
		}
	}
}

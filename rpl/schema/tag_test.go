package schema

import (
	"reflect"
	"testing"
)

// Freeze reports rpl tags that reflect cannot find or reads in part, says what is wrong with
// them, and accepts tags of other packages.
func TestMistaggedFields(t *testing.T) {
	for tag, want := range map[reflect.StructTag]string{
		`rpl:notify`:                           "is malformed: the quote behind rpl: is missing",
		`rpl:notify"`:                          "is malformed: the quote behind rpl: is missing",
		`rpl: "notify"`:                        "is malformed: the quote behind rpl: is missing",
		`rpl="notify"`:                         `is malformed: rpl="notify" stands outside of the quotes`,
		`Rpl:"notify"`:                         "is not read",
		`RPL:"notify"`:                         "is not read",
		`json:"a",rpl:"notify"`:                "is not read",
		`json:"a" rpl:"notify`:                 `is malformed: the closing quote of rpl:"notify is missing`,
		`rpl:"notify`:                          `is malformed: the closing quote of rpl:"notify is missing`,
		`rpl`:                                  "is malformed: rpl stands outside of the quotes",
		`json:"a rpl:"notify"`:                 `is malformed: notify" stands outside of the quotes`,
		`rpl:"notify json:"a"`:                 `is malformed: a" stands outside of the quotes`,
		`rpl:"max=3" notify`:                   "is malformed: notify stands outside of the quotes",
		`rpl:"max=3", notify`:                  "is malformed: , notify stands outside of the quotes",
		``:                                     "",
		`json:"a"`:                             "",
		`json:"a" doc:"what rpl: does"`:        "",
		`replace:"it"`:                         "",
		`rpl:"notify" json:"a"`:                "",
		`json:"a"  rpl:"notify"`:               "",
		`json:"a,omitempty" rpl:"min=0,max=3"`: "",
		`rpl:"notify" doc:"a \"word\": two"`:   "",
	} {
		s := NewSchema("test")
		s.Item("thing", reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[int](), Tag: tag},
			{Name: "B", Type: reflect.TypeFor[int](), Tag: `rpl:""`},
		}), nil)
		says := ""
		if err := s.Freeze(60); err != nil {
			says = err.Error()
		}
		if want != "" {
			want = "component thing, field A: its tag `" + string(tag) + "` " + want + "; write `rpl:\"…\"` in small letters, with quotes right behind the colon and a space between tags"
		}
		if says != want {
			t.Errorf("%s: Freeze says\n%q, want\n%q", tag, says, want)
		}
	}
}

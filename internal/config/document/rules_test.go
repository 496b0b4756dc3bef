package document

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ship has every rule.
type ship struct {
	Name    string            `json:"name" jsonschema:"required,format=word"`
	Crew    int               `json:"crew" jsonschema:"default=3,minimum=1,maximum=9"`
	Pause   metav1.Duration   `json:"pause" jsonschema:"default=0s,zero=never,minimum=1s"`
	Hold    Bytes             `json:"hold" jsonschema:"default=1Ki,maximum=1Mi"`
	Built   time.Time         `json:"built" jsonschema:"minimum=1970-01-01T00:00:00Z"`
	Rig     string            `json:"rig" jsonschema:"default=sloop,enum=sloop,enum=brig"`
	Flags   []string          `json:"flags" jsonschema:"default=red,default=blue,minItems=1,maxItems=3,uniqueItems" item:"flag"`
	Ports   map[string]string `json:"ports" jsonschema:"propertyNames=word,maxProperties=2,format=word" item:"port"`
	Motto   string            `json:"motto" jsonschema:"minLength=1"`
	Codes   []string          `json:"codes" jsonschema:"uniqueItems,writeOnly" item:"code"`
	Boats   []*ship           `json:"boats"`
	Sail    *struct{}         `json:"sail" jsonschema:"oneof_required=drive"`
	Engine  *struct{}         `json:"engine" jsonschema:"oneof_required=drive"`
	Captain string            `json:"captain" jsonschema:"anyof_required=officer"`
	Mate    string            `json:"mate" jsonschema:"anyof_required=officer"`
}

var ships = &Kind{
	Noun: "ship",
	Formats: func() map[string]Format {
		return map[string]Format{"word": {Noun: "a word", Pattern: regexp.MustCompile(`^[a-z]+$`)}}
	},
}

func readShip(t *testing.T, text string) (ship, string) {
	t.Helper()
	var s ship
	f, err := Read(ships, "s.yaml", []byte(text), &s)
	if err != nil {
		t.Fatal(err)
	}
	f.Check(&s, "")
	if err := f.Err(); err != nil {
		return s, strings.ReplaceAll(err.Error(), "s.yaml:", "")
	}
	return s, ""
}

const aShip = "name: a\nsail: {}\nmate: b\n"

// What the tags say is checked, and reported once, with its place.
func TestRules(t *testing.T) {
	if _, mistakes := readShip(t, aShip); mistakes != "" {
		t.Fatal(mistakes)
	}
	for text, want := range map[string]string{
		"sail: {}\nmate: b":          "1:1: name is missing",
		"nam: a\nsail: {}\nmate: b":  `1:1: unknown field "nam"; did you mean "name"?`,
		"name: A\nsail: {}\nmate: b": `1:7: name must be a word, is "A"`,
		"name: a\nmate: b":           "1:1: the ship must have sail or engine",
		"name: a\nsail: {}":          "1:1: the ship must have captain or mate",
		aShip + "engine: {}":         "1:1: the ship has both sail and engine",
		aShip + "captain: c":         "",
		aShip + "crew: 10":           "4:7: crew must be 1 to 9, is 10",
		aShip + "crew: x":            `4:7: crew must be a whole number, is the string "x"`,
		aShip + "pause: 5ms":         "4:8: pause must be 0 (never) or at least 1s, is 5ms",
		aShip + "pause: 0":           "",
		aShip + "hold: 2Mi":          "4:7: hold must be at most 1Mi, is 2Mi",
		aShip + "built: 1960-01-01T00:00:00Z": "4:8: built must be at least 1970-01-01T00:00:00Z, " +
			"is 1960-01-01T00:00:00Z",
		aShip + "rig: brug":               `4:6: rig must be sloop or brig, is "brug"; did you mean "brig"?`,
		aShip + "flags: []":               "4:8: flags must have at least one flag",
		aShip + "flags: [a, b, c, d]":     "4:8: flags must have at most 3 flags, has 4",
		aShip + "flags: [a, b, a]":        `4:15: flags[2] repeats the flag "a"`,
		aShip + "codes: [secret, secret]": "4:17: codes[1] repeats another code",
		aShip + "ports: {A: x, b: Y}": `4:9: ports.A: the name "A" is not a word` + "\n" +
			`4:18: ports.b must be a word, is "Y"`,
		aShip + "motto: ' '":      "4:8: motto is empty",
		aShip + "boats: [{}]":     "4:9: boats[0] has no name\n4:9: boats[0] must have sail or engine\n4:9: boats[0] must have captain or mate",
		aShip + "boats: [{a: b}]": `4:10: unknown field "a" in boats[0]; its fields are name, crew, pause, hold, built, rig, flags, ports, motto, codes, boats, sail, engine, captain, mate`,
	} {
		if _, got := readShip(t, text); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestDefaultsOfTags(t *testing.T) {
	s, mistakes := readShip(t, aShip+"boats: [{name: b, sail: {}, mate: c, crew: 2}]")
	var fresh ship
	SetDefaults(&fresh)
	for _, got := range []ship{s, *s.Boats[0], fresh} {
		if got.Hold != 1024 || got.Rig != "sloop" || strings.Join(got.Flags, " ") != "red blue" {
			t.Errorf("got %+v, %s", got, mistakes)
		}
	}
	if s.Crew != 3 || s.Boats[0].Crew != 2 || fresh.Crew != 3 {
		t.Errorf("crews of %d, %d and %d", s.Crew, s.Boats[0].Crew, fresh.Crew)
	}
}

// A tag that cannot be read is a mistake of the program.
func TestTagsThatCannotBeRead(t *testing.T) {
	for _, wrong := range []any{
		struct {
			A int `json:"a" jsonschema:"minimun=1"`
		}{},
		struct {
			A int `json:"a" jsonschema:"minimum=one"`
		}{},
		struct {
			A metav1.Duration `json:"a" jsonschema:"default=5"`
		}{},
		struct {
			A []string `json:"a" jsonschema:"minItems=x"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T is taken", wrong)
				}
			}()
			FieldsOf(reflect.TypeOf(wrong))
		}()
	}
}

package filters

import "testing"

// What an output's expression says of a message is decided by the variables that are known, and
// only if the others do not matter.
func TestKnown(t *testing.T) {
	known := map[string]any{"rule": "r", "severity": "low", "violated": true, "listener": "l",
		"since": nil}
	for text, want := range map[string]string{
		`severity != "low"`:                                  "false",
		`severity == "low"`:                                  "true",
		`"low" == severity && violated`:                      "true",
		`!violated`:                                          "false",
		`severity in ["high", "critical"]`:                   "false",
		`severity not in ["high", "critical"]`:               "true",
		`since in ["a", nil]`:                                "false",
		`since == nil`:                                       "true",
		`rule == "r" || op == "add"`:                         "true",
		`op == "add" && severity == "high"`:                  "false",
		`op == "add" && severity == "low"`:                   "unknown",
		`op == "add" || severity == "high"`:                  "unknown",
		`rule == "other" || severity == "high"`:              "false",
		`not (listener == "l" && rule == "r")`:               "false",
		`rule startsWith "x"`:                                "unknown",
		`rule in [name, "x"]`:                                "unknown",
		`let x = "high"; severity == x`:                      "unknown",
		`any(object.spec.containers, severity == .name)`:     "unknown",
		`object.metadata.name == "a" && listener == "other"`: "false",
	} {
		f, err := Compile(Expression{Text: text, Kind: KindWhen})
		if err != nil {
			t.Fatal(text, err)
		}
		got := "unknown"
		if value, decided := f.Known(known); decided {
			got = map[bool]string{true: "true", false: "false"}[value]
		} else if value {
			t.Error(text, "is true and not decided")
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

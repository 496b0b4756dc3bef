package check_test

import "testing"

// An object or a list that is compared with a constant is answered with what of it can be.
func TestWhatOfAnObjectIsCompared(t *testing.T) {
	var all []answer
	for text, want := range map[string]string{
		`condition("Ready") == "True"`: `condition("Ready") is an object, so it never equals a string; write condition("Ready").status == "True"`,
		`condition("Ready") != false`:  `condition("Ready") is an object, so it always differs from a boolean; write condition("Ready").status != "False"`,
		`object.metadata.labels == "app=web"`: `object.metadata.labels is an object, so it never equals a string; ` +
			`write object.metadata.labels.app == "web"`,
		`object.metadata.labels == "web"`: `object.metadata.labels is an object, so it never equals a string; ` +
			`name one of them, as in object.metadata.labels["app"] == "web"`,
		`"web" == object.spec.containers`: `object.spec.containers is a list, so it never equals a string; ` +
			`write any(object.spec.containers, .name == "web")`,
		`object.spec.containers[0].args == "-v"`: `object.spec.containers[0].args is a list, so it never equals a string; ` +
			`write "-v" in object.spec.containers[0].args`,
		`object.spec.containers[0].args != "-v"`: `object.spec.containers[0].args is a list, so it always differs from a string; ` +
			`write "-v" not in object.spec.containers[0].args`,
		`object.metadata == "web-1"`: `object.metadata is an object, so it never equals a string; ` +
			`write object.metadata.name == "web-1"`,
		`any(object.spec.containers, # == "web")`: `object.spec.containers[*] is an object, so it never equals a string; ` +
			`name a field of it, such as .name`,
		`object.spec.containers[0] startsWith "web"`: `object.spec.containers[0] is an object, and "startsWith" needs a text; ` +
			`write object.spec.containers[0].name startsWith "web"`,
		`object.status == "Running"`: `object.status is an object, so it never equals a string; ` +
			`write object.status.phase == "Running"`,
		`object.spec.containers == 5`: `object.spec.containers is a list, so it never equals a number`,
		`object.metadata.name matches "\bweb"`: `\b in quotes is a backspace; ` +
			`in a regular expression a backslash is written twice: \\b`,
		`object.metadata.name matches "\\bweb"`: "",
	} {
		all = append(all, answer{text: text, want: want})
	}
	expectAnswers(t, podSchema(), all)
}

// A number that is compared with a text is proposed as the text that it is written as.
func TestNumbersAreProposedAsTheyAreWritten(t *testing.T) {
	const is = `label("version") is a string, so it `
	expectAnswers(t, podSchema(), []answer{
		{text: `label("version") == 1.0`, want: is + `never equals a number; did you mean "1.0"?`},
		{text: `label("version") != 1.10`, want: is + `always differs from a number; did you mean "1.10"?`},
		{text: `0x10 == label("version")`, want: is + `never equals a number; did you mean "0x10"?`},
		{text: `label("version") in [1_000]`, want: is + `never equals a number; did you mean "1_000"?`},
		{text: `label("version") == 1e3`, want: is + `never equals a number; did you mean "1e3"?`},
		{text: `label("version") == - 1.50`, want: is + `never equals a number; did you mean "-1.50"?`},
		{text: `label("version") == true`, want: is + `never equals a boolean; did you mean "true"?`},
		{text: `lower(object.kind) == 1.0`, want: `"==" cannot compare a text and a number; write "1.0"`,
			fixed: `lower(object.kind) == "1.0"`},
		{text: `lower(object.kind) == -1.50`, want: `"==" cannot compare a text and a number; write "-1.50"`,
			fixed: `lower(object.kind) == "-1.50"`},
	})
}

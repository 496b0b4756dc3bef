package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shipped are the configurations and policies of the repository, which are valid.
func shipped(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../../configs/*.yaml", "../../configs/policies/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[path] = string(data)
		}
	}
	for _, c := range []string{
		"listener|select: >-\n  object.spec.nodeName != nil &&\n  object.status.phase == \"Running\"\nfilter: \"op == \\\"add\\\" || changed(\\\"spec.nodeName\\\")\"",
		"rule|deny: 'any(object.spec.containers, .image endsWith '':latest'')'\nmessage: '\"pod \" + object.metadata.name'\nfor: 1d",
		"rules|{name: r, deny: object.spec.hostNetwork == true, severity: low, for: 10m}",
		"listener|on: [add, resync]\nresync: 5m\nworkers: 4\nbuffer: {capacity: 100, overflow: latest}\nretry: {attempts: 3, minBackoff: 1s, maxBackoff: 10s}",
		"outputs|out:\n  when: severity in [\"high\"]\n  webhook:\n    url: https://hooks.example.com/x\n    mode: batch\n    batch: {events: 10}\n    headers: {Authorization: {fromEnv: PATH}}\n    tls: {serverName: a}",
		"outputs|out:\n  nats:\n    servers: [\"nats://nats:4222\"]\n    subject: '\"k8s.\" + cluster'\nlog: {kafka: {brokers: [\"kafka:9092\"], topic: t}}\nfile: {file: {path: x, rotate: {size: 1Mi, age: 1h}}}",
	} {
		all["case "+strconv.Itoa(len(all))+".yaml"] = placed(c)
	}
	if len(all) < 16 {
		t.Fatalf("only %d configurations", len(all))
	}
	return all
}

// validated is what validate says of a text.
type validated struct {
	code     int
	messages string
	lines    []int // of mistakes and warnings
}

var placeOf = regexp.MustCompile(`(?m)^<stdin>:(\d+):(\d+): `)

// validateText runs the command as people do, and holds the form of its answer.
func validateText(t interface {
	Errorf(format string, args ...any)
	Helper()
}, text string) validated {
	t.Helper()
	var stdout, stderr bytes.Buffer
	v := validated{code: execute([]string{"validate", "-"}, strings.NewReader(text), &stdout,
		&stderr)}
	v.messages = stderr.String()
	lines := strings.Split(text, "\n")
	for _, m := range placeOf.FindAllStringSubmatch(v.messages, -1) {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		v.lines = append(v.lines, line)
		if line > len(lines) || column > len([]rune(strings.TrimSuffix(lines[line-1], "\r")))+1 {
			t.Errorf("%d:%d is no place in\n%s\n%s", line, column, text, v.messages)
		}
	}
	if v.code != exitOK && v.code != exitConfig ||
		(v.code == exitConfig) != (len(regexp.MustCompile(`(?m)^<stdin>:`).FindAllString(v.messages, -1)) > strings.Count(v.messages, ": note: ")+strings.Count(v.messages, ": warning: ")) {
		t.Errorf("exit %d and\n%s\nof\n%s", v.code, v.messages, text)
	}
	checkForm(t, text, v.messages)
	return v
}

var (
	keyLine    = regexp.MustCompile(`^(\s*(?:- )?)([A-Za-z]+):`)
	fieldInUse = regexp.MustCompile(`\b(?:object|old)((?:\.[A-Za-z]+)+)`)
	functionIn = regexp.MustCompile(
		`\b(any|all|none|changed|label|annotation|age|len|lower|byIndex|cached|quantity|condition|owner|string)\(`)
	schemaKeys = []string{
		"apiVersion", "kind", "informers", "listeners", "outputs", "policies", "files", "resource",
		"namespaces", "labelSelector", "drop", "indexes", "informer", "filter",
		"select", "rules", "name", "deny", "message", "severity", "for", "repeat", "resync",
		"buffer", "capacity", "overflow", "retry", "attempts", "minBackoff", "maxBackoff",
		"workers", "on",
		"stdout", "description",
	}
	openFields = []string{"limits", "requests", "capacity", "allocatable", "hard", "nodeSelector",
		"labels", "annotations", "data", "matchLabels", "stringData", "binaryData"}
)

// name is a word of a text that has to be that word: a key of the schema, a field that objects
// have, a function.
type name struct{ line, from, to int }

// namesIn finds such words. Fields below maps are left out, as are those of resources that have no
// schema here.
func namesIn(text string) (all []name) {
	lines := strings.Split(text, "\n")
	open := strings.Contains(text, "cert-manager")
	named := 0 // the indentation of the mapping whose keys are names that users chose
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		code, _, _ := strings.Cut(line, " #")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if m := keyLine.FindStringSubmatchIndex(code); m != nil {
			key := code[m[4]:m[5]]
			if slices.Contains(schemaKeys, key) && (named == 0 || indent != named) {
				all = append(all, name{i, m[4], m[5]})
			}
			if indent == 0 {
				named = 0
				if key == "informers" || key == "listeners" || key == "outputs" {
					named = 2
				}
			}
		}
		for _, m := range fieldInUse.FindAllStringSubmatchIndex(code, -1) {
			from := m[2]
			for _, field := range strings.Split(code[m[2]+1:m[3]], ".") {
				if from+1+len(field) < len(code) && code[from+1+len(field)] == '(' {
					break
				}
				if !open {
					all = append(all, name{i, from + 1, from + 1 + len(field)})
				}
				if slices.Contains(openFields, field) {
					break
				}
				from += 1 + len(field)
			}
		}
		for _, m := range functionIn.FindAllStringSubmatchIndex(code, -1) {
			all = append(all, name{i, m[2], m[3]})
		}
	}
	return all
}

// misspelt changes a word in one place, so that it is none of those that there are.
func misspelt(t *rapid.T, word string) string {
	at := rapid.IntRange(0, len(word)-1).Draw(t, "at")
	switch rapid.IntRange(0, 3).Draw(t, "how") {
	case 0:
		return word[:at] + "q" + word[at:]
	case 1:
		return word[:at] + "q" + word[at+1:]
	case 2:
		if at+1 < len(word) && word[at] != word[at+1] {
			return word[:at] + string(word[at+1]) + string(word[at]) + word[at+2:]
		}
		return word + "x"
	default:
		return word + "zz"
	}
}

// A misspelt name is never valid, whatever it names, and is reported at its place; two of them are
// both reported.
func TestMisspeltNames(t *testing.T) {
	texts := shipped(t)
	paths := sortedKeys(texts)
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "file")
		text := texts[path]
		names := namesIn(text)
		first := rapid.SampledFrom(names).Draw(t, "first")
		lines := strings.Split(text, "\n")
		changed := []int{first.line + 1}
		change := func(n name) {
			word := lines[n.line][n.from:n.to]
			lines[n.line] = lines[n.line][:n.from] + misspelt(t, word) + lines[n.line][n.to:]
		}
		if second := rapid.SampledFrom(names).Draw(t, "second"); second.line != first.line &&
			independent(lines, first, second) {
			change(second)
			changed = append(changed, second.line+1)
		}
		change(first)
		now := strings.Join(lines, "\n")
		v := validateText(t, now)
		if v.code != exitConfig {
			t.Fatalf("%s: valid:\n%s\n%s", path, now, v.messages)
		}
		for _, line := range changed {
			if !slices.Contains(v.lines, line) {
				t.Fatalf("%s: nothing is said of line %d:\n%s\n%s", path, line, now, v.messages)
			}
		}
	})
}

// independent reports whether neither mistake hides the other: a file that says that it is
// something else is read no further, what a misspelt key holds is not looked at, without its
// resource nothing is known of an informer's fields, and behind a function that is none, .image alone
// may be nothing.
func independent(lines []string, a, b name) bool {
	for _, n := range []name{a, b} {
		word := lines[n.line][n.from:n.to]
		key := strings.HasPrefix(lines[n.line][n.to:], ":")
		if key && word != "for" && word != "severity" && word != "repeat" && word != "workers" &&
			word != "description" && word != "resync" {
			return false
		}
		if word == "any" || word == "all" || word == "none" {
			first, last := min(a.line, b.line), max(a.line, b.line)
			if !slices.ContainsFunc(lines[first+1:last+1], keyLine.MatchString) {
				return false
			}
		}
	}
	return true
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// mutate changes a line as people do by accident.
func mutate(t *rapid.T, lines []string) []string {
	at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
	line := lines[at]
	column := rapid.IntRange(0, len(line)).Draw(t, "column")
	switch rapid.SampledFrom([]string{"delete", "double", "indent", "outdent", "insert", "cut",
		"retype", "quote", "swap", "word"}).Draw(t, "mutation") {
	case "delete":
		return slices.Delete(slices.Clone(lines), at, at+1)
	case "double":
		return slices.Insert(slices.Clone(lines), at, line)
	case "indent":
		line = strings.Repeat(" ", rapid.IntRange(1, 4).Draw(t, "more")) + line
	case "outdent":
		line = strings.TrimPrefix(line, strings.Repeat(" ", rapid.IntRange(1, 2).Draw(t, "fewer")))
	case "insert":
		line = line[:column] +
			rapid.SampledFrom([]string{`"`, "'", ": ", ", ", "#", " #", "{", "}", "[", "]", "(",
				")", "!", "&", "*", "|", ">", "\t", "- ", "null", "“", "é", "\\", "%", "@", "`",
				"=", "&&", ".", "..", "10m", "--- "}).Draw(t, "what") + line[column:]
	case "cut":
		end := min(len(line), column+rapid.IntRange(1, 6).Draw(t, "length"))
		line = line[:column] + line[end:]
	case "retype":
		if m := keyLine.FindStringIndex(line); m != nil {
			line = line[:m[1]] + " " +
				rapid.SampledFrom([]string{"", "5", "true", "null", "[a]", "[]", "{}", "{a: b}",
					"text", `""`, "2001-01-01", "1.5", "-1", "7d", "!x", "*x", "|", ">"}).Draw(
					t, "value")
		}
	case "quote":
		if m := keyLine.FindStringIndex(line); m != nil {
			line = line[:m[1]] + ` "` + strings.TrimSpace(line[m[1]:]) + `"`
		}
	case "swap":
		other := rapid.IntRange(0, len(lines)-1).Draw(t, "other")
		lines = slices.Clone(lines)
		lines[at], lines[other] = lines[other], lines[at]
		return lines
	case "word":
		line = regexp.MustCompile(`\b(nil|object|old|op|and|&&|==)\b`).ReplaceAllString(line,
			rapid.SampledFrom([]string{"null", "oldObject", "AND", "=", "self", "status",
				"has(object.x)", "object.metadata.labels.a/b"}).Draw(t, "by"))
	}
	lines = slices.Clone(lines)
	lines[at] = line
	return lines
}

// Whatever is changed, validate answers in its form, with places in the file, and does not crash.
func TestMutatedConfigurations(t *testing.T) {
	texts := shipped(t)
	paths := sortedKeys(texts)
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(texts[rapid.SampledFrom(paths).Draw(t, "file")], "\n")
		for range rapid.IntRange(1, 3).Draw(t, "mutations") {
			lines = mutate(t, lines)
		}
		validateText(t, strings.Join(lines, "\n"))
	})
}

// One mistake in the text of a value is reported on its line, or on one around it if YAML reads it
// in another way.
func TestMistakesAreReportedWhereTheyAre(t *testing.T) {
	texts := shipped(t)
	paths := sortedKeys(texts)
	rapid.Check(t, func(t *rapid.T) {
		text := texts[rapid.SampledFrom(paths).Draw(t, "file")]
		lines := strings.Split(text, "\n")
		var withValue []int
		for i, line := range lines {
			if m := keyLine.FindStringIndex(line); m != nil && !strings.ContainsAny(line, "|>#") &&
				strings.TrimSpace(line[m[1]:]) != "" && !strings.Contains(line, "description") {
				withValue = append(withValue, i)
			}
		}
		at := rapid.SampledFrom(withValue).Draw(t, "line")
		m := keyLine.FindStringIndex(lines[at])
		value := rapid.SampledFrom([]string{"[1, {x: y}]", "{zzz: 1}", "2001-01-01", "!x", "null",
			`"a" + b`, "@x", "*nothing", "'open"}).Draw(t, "value")
		lines[at] = lines[at][:m[1]] + " " + value
		v := validateText(t, strings.Join(lines, "\n"))
		if v.code != exitConfig {
			t.Fatalf("valid:\n%s", strings.Join(lines, "\n"))
		}
		if !slices.ContainsFunc(v.lines, func(line int) bool {
			return line >= at && (line <= at+3 || value == "'open") // which the next ' closes
		}) {
			t.Fatalf("line %d is wrong, not those:\n%s\n%s", at+1, strings.Join(lines, "\n"),
				v.messages)
		}
	})
}

// FuzzValidate looks for texts of any kind that crash or get an answer without form.
func FuzzValidate(f *testing.F) {
	_, texts := wrongConfigurations(f)
	for _, text := range texts {
		f.Add(placed(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 || strings.Contains(text, "files") || strings.Contains(text, "wasm") ||
			strings.Contains(text, "Dir") {
			return // reads other files
		}
		if strings.ContainsAny(text, "\r\u2028\u2029\u0085") {
			return // YAML breaks lines where this test does not
		}
		validateText(t, text)
	})
}

// Without mutations everything that is shipped is right.
func TestShippedConfigurationsAreValid(t *testing.T) {
	for path, text := range shipped(t) {
		if strings.Contains(text, ".wasm") || strings.Contains(text, "policies:") {
			continue // it names other files
		}
		if v := validateText(t, text); v.code != exitOK {
			t.Errorf("%s: %s", path, v.messages)
		}
	}
}

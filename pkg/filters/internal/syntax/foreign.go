package syntax

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
)

const (
	aText   = `("[^"\\]*"|'[^'\\]*')`
	aFnList = `(any|all|none|one|filter|find|count|exists|some|every|where)`
)

// ofFunction are names of functions with a condition in other languages.
var ofFunction = map[string]string{"exists": "any", "some": "any", "every": "all", "where": "filter"}

// statements are forms of other languages that are more than an expression, or that bind names and
// quote texts in another way.
var statements = []rewrite{
	{regexp.MustCompile(`\b(object|old)\.metadata\.(label|annotation)s\.` + aText),
		"a key in quotes is not behind a dot", func(found []string) string {
			return ofKey(found[1], found[2], found[3])
		}},
	{regexp.MustCompile(`\.` + aText), "a key in quotes is not behind a dot",
		func(found []string) string { return "[" + found[1] + "]" }},
	{regexp.MustCompile(`\bindex\s+\$?(?:object)?\.metadata\.(label|annotation)s\s+` + aText),
		"a value is found by its key", func(found []string) string {
			return ofKey("object", found[1], found[2])
		}},
	{regexp.MustCompile(`\bindex\s+\$?(\.[\w.]+)\s+("[^"]*"|\d+)`), "a value is found by its key",
		func(found []string) string { return fromRoot(found[1]) + "[" + found[2] + "]" }},
	{regexp.MustCompile(`^\s*some\s+(\w+)\s*;?\s*([A-Za-z_][\w.]*)\[(\w+)\]((?:\.\w+)*)\s*` + compare +
		`\s*` + aValue + `\s*$`), "an item has no name here", ofSome},
	{regexp.MustCompile(`\bin\s*\{\s*(` + aText + `(?:\s*,\s*` + aText + `)*)\s*\}`),
		"a list is in square brackets", func(found []string) string { return "in [" + found[1] + "]" }},
	{regexp.MustCompile(`!\s*in\b`), "in is negated by not",
		func([]string) string { return "not in" }},
	{regexp.MustCompile(`\b(not\s+)?in\(\s*([\w.]+)\s*,\s*(\[[^\[\]]*\])\s*\)`),
		"in is written between two values", func(found []string) string {
			return found[2] + " " + found[1] + "in " + found[3]
		}},
	{regexp.MustCompile(`^\s*return\s+([^;]+?);?\s*$`), "an expression has no return",
		func(found []string) string { return found[1] }},
	{regexp.MustCompile(`^([^()]*\bold\b[^()]*?)\s*(?:-+|=)>\s*([^()]*\bobject\b[^()]*)$`),
		"a change is asked for with &&", func(found []string) string {
			return strings.TrimSpace(found[1]) + " && " + strings.TrimSpace(found[2])
		}},
	{regexp.MustCompile(`\bmatches\s+/((?:[^/\\"]|\\[^"])+)/(i?)`), "a pattern is a text",
		func(found []string) string { return "matches " + pattern(found[1], found[2]) }},
	{regexp.MustCompile(`\bmatches\s+(?:"([^"\\]*)"|'([^'\\]*)')\s*,?\s*"?i\b"?`),
		"the case of letters is ignored by (?i)", func(found []string) string {
			return "matches " + pattern(found[1]+found[2], "i")
		}},
	{regexp.MustCompile(`^\s*for\s+(?:_\s*,\s*)?\(?(?:const |let |var )?(\w+)\s+(?:in|of|:?=\s*range)\s+` +
		`([A-Za-z_][\w.]*)\)?\s*[:{]\s*(?:if\s+([^{}:]+?)\s*[:{]\s*(?:return\s+true)?\s*;?\s*\}?|(?:return\s+)?([^{};]+?))\s*;?\s*\}?\s*$`),
		"a question about the items of a list is any(…) or all(…)", func(found []string) string {
			return "any(" + found[2] + ", " + habits.OfItem(found[3]+found[4], found[1]) + ")"
		}},
	{regexp.MustCompile(`\b` + aFnList + `\(([^(),]+),\s*func(?:tion)?\s*\(\s*(\w+)[^()]*\)\s*(?:bool\s*)?` +
		`\{\s*return\s+([^{};]+?)\s*;?\s*\}\s*\)`), "an item has no name here",
		func(found []string) string {
			return called(found[1]) + "(" + found[2] + ", " + habits.OfItem(found[4], found[3]) + ")"
		}},
	{regexp.MustCompile(`\b((?:object|old)\.[\w.]+)\s+` + aFnList +
		`\s+(\.?\w(?:[^&|]*[^&|\s])?)`),
		"a question about the items of a list is any(…) or all(…)", func(found []string) string {
			return called(found[2]) + "(" + found[1] + ", " + found[3] + ")"
		}},
	{regexp.MustCompile(`\bcontains\(\s*([A-Za-z_][\w.]*)\s*,\s*(\.\w[^()]*)\)`),
		"a question about the items of a list is any(…) or all(…)", func(found []string) string {
			return "any(" + found[1] + ", " + found[2] + ")"
		}},
	{regexp.MustCompile(`^\s*let\s+((?:\w+\s*=\s*[^;,()]+,\s*)+\w+\s*=\s*[^;,()]+);`),
		"each name is made by a let of its own", func(found []string) string {
			parts := strings.Split(found[1], ",")
			for i, part := range parts {
				parts[i] = "let " + strings.TrimSpace(part) + ";"
			}
			return strings.Join(parts, " ")
		}},
	{regexp.MustCompile(`([A-Za-z_][\w.]*)\.map\(\s*\(?(\w+)\)?\s*=>\s*([^(),]+)\)\.reduce\(\s*\(?\w+,\s*\w+\)?\s*` +
		`=>\s*\w+\s*\+\s*\w+\s*(?:,\s*0\s*)?\)`), "the sum of the items of a list is sum(…)",
		func(found []string) string {
			return "sum(" + found[1] + ", " + habits.OfItem(strings.TrimSpace(found[3]), found[2]) + ")"
		}},
	{regexp.MustCompile(`[$@](` + aText + `)`), "a text has its quotes alone",
		func(found []string) string {
			if strings.ContainsAny(found[1], "{}") {
				return ""
			}
			return found[1]
		}},
	{regexp.MustCompile(`(?i)^\s*case\s+when\s+(.+?)\s+then\s+true\s+else\s+false\s+end\s*$`),
		"a condition is written alone", func(found []string) string { return found[1] }},
	{regexp.MustCompile(`(?i)^\s*case\s+when\s+(.+?)\s+then\s+(.+?)\s+else\s+(.+?)\s+end\s*$`),
		"a choice is written condition ? a : b", func(found []string) string {
			return found[1] + " ? " + found[2] + " : " + found[3]
		}},
	{regexp.MustCompile(`\b(object\.[\w.]+)\s+(?:became|becomes|changed\s+to|turned)\s+` + aValue),
		"what an object became is asked with became(…)", func(found []string) string {
			return "became(" + found[1] + " == " + found[2] + ")"
		}},
	{regexp.MustCompile(`\b((?:object|old)\.[\w.]+)\s*([<>]=?)\s*now(?:\(\))?\s*-\s*(\d+[smhd])\b`),
		"how long ago something was is asked with age(…)", func(found []string) string {
			return "age(" + found[1] + ") " + map[string]string{"<": ">", "<=": ">=", ">": "<",
				">=": "<="}[found[2]] + " " + strconv.Quote(found[3])
		}},
	{regexp.MustCompile(`\bobject\.([\w.]+)\s+changed\b`), "a change is asked for with changed(…)",
		func(found []string) string { return "changed(" + strconv.Quote(found[1]) + ")" }},
}

// ofKey returns the value of a label or annotation with a key in quotes.
func ofKey(root, what, key string) string {
	key = strconv.Quote(key[1 : len(key)-1])
	if root == "old" {
		return "old.metadata." + what + "s[" + key + "]"
	}
	return what + "(" + key + ")"
}

// ofSome writes what Rego asks of a list with a variable as its index.
func ofSome(found []string) string {
	if found[1] != found[3] {
		return ""
	}
	field := found[4]
	if field == "" {
		field = "#"
	}
	return "any(" + found[2] + ", " + field + " " + found[5] + " " + found[6] + ")"
}

func called(name string) string {
	if by := ofFunction[name]; by != "" {
		return by
	}
	return name
}

// pattern returns a pattern in quotes, with its flag.
func pattern(text, flag string) string {
	text = strings.ReplaceAll(text, `\/`, "/")
	if flag != "" {
		text = "(?i)" + text
	}
	return strconv.Quote(text)
}

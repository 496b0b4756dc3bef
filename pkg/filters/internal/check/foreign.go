package check

import "strings"

// foreign are names of CEL, JavaScript, Python, jq, Go, SQL and templates that this language does
// not have, in lower case, each with an expression that says the like here. Functions and methods
// share an entry.
var foreign = map[string]string{
	// operators
	"=":   `object.status.phase == "Running"`,
	"===": `object.status.phase == "Running"`,
	"!==": `object.status.phase != "Running"`,
	"<>":  `object.status.phase != "Running"`,
	"=~":  `object.metadata.name matches "^web-"`,
	"!~":  `not (object.metadata.name matches "^web-")`,
	"~":   `object.metadata.name matches "^web-"`,
	"&":   `label("app") == "web" && label("tier") != nil`,
	"|":   `label("app") == "web" || label("tier") != nil`,
	"=>":  `any(object.spec.containers, .image == "nginx:1.27")`,
	"->":  `any(object.spec.containers, .image == "nginx:1.27")`,
	"@":   `any(object.spec.containers, .image == "nginx:1.27")`,
	"#":   `any(object.metadata.finalizers, # == "example.com/web")`,
	".":   `object.metadata.name == "web"`,
	":":   `map(object.spec.containers, ({name: .name, image: .image}))`,
	",":   `object.status.phase in ["Failed", "Unknown"]`,

	// keywords
	"is":      `object.spec.nodeName == nil`,
	"not":     `not (object.metadata.name startsWith "web-")`,
	"and":     `label("app") == "web" && label("tier") != nil`,
	"or":      `label("app") == "web" || label("tier") != nil`,
	"like":    `glob("web-*", object.metadata.name)`,
	"between": `len(object.spec.containers) in 1..3`,
	"for":     `any(object.spec.containers, .image == "nginx:1.27")`,
	"then":    `label("tier") == nil ? "none" : label("tier")`,
	"null":    `object.spec.nodeName == nil`,
	"none":    `object.spec.nodeName == nil`,

	"undefined": `object.spec.nodeName == nil`,
	"this":      `object.metadata.name == "web"`,
	"self":      `object.metadata.name == "web"`,

	// functions and methods
	"has":         `object.spec.nodeName != nil`,
	"exists":      `any(object.spec.containers, .image == "nginx:1.27")`,
	"some":        `any(object.spec.containers, .image == "nginx:1.27")`,
	"select":      `any(object.spec.containers, .image == "nginx:1.27")`,
	"every":       `all(object.spec.containers, .image != nil)`,
	"size":        `len(object.spec.containers) > 1`,
	"length":      `len(object.spec.containers) > 1`,
	"includes":    `"web" in object.metadata.finalizers`,
	"contains":    `object.metadata.name contains "web"`,
	"startswith":  `object.metadata.name startsWith "web-"`,
	"hasprefix":   `object.metadata.name startsWith "web-"`,
	"endswith":    `object.metadata.name endsWith "-0"`,
	"hassuffix":   `object.metadata.name endsWith "-0"`,
	"matches":     `object.metadata.name matches "^web-"`,
	"match":       `object.metadata.name matches "^web-"`,
	"test":        `object.metadata.name matches "^web-"`,
	"tolower":     `lower(object.metadata.name) == "web"`,
	"tolowercase": `lower(object.metadata.name) == "web"`,
	"tostring":    `string(object.metadata.generation) == "1"`,
	"str":         `string(object.metadata.generation) == "1"`,
	"default":     `(label("tier") ?? "none") == "none"`,
	"coalesce":    `(label("tier") ?? "none") == "none"`,
	"timestamp":   `date(object.metadata.creationTimestamp) > date("2026-01-01")`,
	"now":         `age(object.metadata.creationTimestamp) > "1h"`,
	"printf":      `"pod " + object.metadata.name`,
	"sprintf":     `"pod " + object.metadata.name`,
	"format":      `"pod " + object.metadata.name`,
}

// foreignHint returns the end of the sentence about a name that this language does not have, ""
// if the table does not have it either.
func foreignHint(name string) string {
	if example := foreign[strings.ToLower(name)]; example != "" {
		return "; here it is written as in " + example
	}
	return ""
}

// otherOps are words of other tools for what happened to an object.
var otherOps = map[string]string{"added": "add", "create": "add", "created": "add",
	"modified": "update", "modify": "update", "updated": "update", "changed": "update",
	"patch": "update", "deleted": "delete", "remove": "delete", "removed": "delete", "sync": "resync"}

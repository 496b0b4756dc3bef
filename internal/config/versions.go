package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// Newest is the newest version of the format. docs/versions.md says what is promised of each.
const Newest = "informerd.dev/v1beta1"

// APIVersions are the versions of the format that are read, oldest first.
var APIVersions = []string{APIVersion, Newest}

// versions are those that differ from the tags json, with the tags of what differs.
var versions = map[string]string{Newest: "v1beta1"}

// forms are the forms of texts in these versions.
var forms = map[string]document.Form{
	"v1beta1": {
		Read:  func(string) string { return APIVersion },
		Write: func(string) string { return Newest },
	},
	"digest": {
		Read:  func(text string) string { return strings.TrimPrefix(text, digestPrefix) },
		Write: func(hex string) string { return digestPrefix + hex },
	},
}

const digestPrefix = "sha256:"

// Convert returns the text of a configuration or a policy file in another one of APIVersions.
// Comments, order and layout stay. The result means the same; a text for which that cannot be
// achieved is an error, as is one with mistakes. What other files have is not looked at.
func Convert(file string, data []byte, to string) ([]byte, error) {
	if !slices.Contains(APIVersions, to) {
		return nil, fmt.Errorf("%s is not an apiVersion; this informerd reads %s",
			document.Quote(to), document.And(APIVersions))
	}
	kind, before, err := meaning(file, data)
	if err != nil {
		return nil, err
	}
	var into any = &Config{}
	if kind == policy {
		into = &Policy{}
	}
	converted, err := document.Convert(kind, file, data, into, versions[to])
	if err != nil {
		return nil, err
	}
	if len(converted) > document.MaxSize {
		return nil, Errors{{File: file, Message: fmt.Sprintf("the %s would be larger than %d bytes",
			kind.Noun, document.MaxSize)}}
	}
	if _, after, err := meaning(file, converted); err != nil || after != before {
		return nil, Errors{{File: file,
			Message: "the " + kind.Noun + " would not mean the same in " + to,
			Hint:    "an alias (*name) may have a part of it mean two things: write that part out"}}
	}
	return converted, nil
}

// meaning returns the kind of a file and what it says, whatever its version, as JSON.
func meaning(file string, data []byte) (*document.Kind, string, error) {
	kind, wanted := configuration, Kind
	if isPolicy(file, data) {
		kind, wanted = policy, PolicyKind
	}
	c, p := &Config{}, &Policy{}
	var into any = c
	if kind == policy {
		into = p
	}
	d, err := document.Read(kind, file, data, into)
	if err != nil {
		return nil, "", err
	}
	if rightFile(d, c.APIVersion+p.APIVersion, c.Kind+p.Kind, wanted) {
		// Policies are files of their own, and so is what their listeners need.
		if kind == policy {
			d.Check(p, "")
		} else {
			check(c, d.Report)
		}
	}
	if err := d.Err(); err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(into)
	if err != nil {
		return nil, "", fmt.Errorf("config: a checked %s is not JSON: %w", kind.Noun, err)
	}
	return kind, string(text), nil
}

package pagetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	metricWord = regexp.MustCompile(`\binformerd_[a-z0-9_]+[a-z0-9]\b`)
	metricType = regexp.MustCompile(`(?m)^# TYPE (\S+) `)
	ofSeries   = regexp.MustCompile(`_(bucket|sum|count)$`)
	fieldPath  = regexp.MustCompile("`([a-zA-Z]+(?:\\.[a-zA-Z]+)+)`")
)

// notMetrics begin like a metric and are none.
var notMetrics = map[string]bool{"informerd_abi_v1": true, "informerd_checkpoint": true}

// notFields begin like a field: the name of a file, and what expressions read.
var notFields = map[string]bool{"secrets.key": true, "cluster.labels": true}

// A page names only metrics that informerd has.
func TestMetricsInPages(t *testing.T) {
	known := map[string]bool{}
	for _, m := range metricType.FindAllStringSubmatch(readFile(t, "internal", "endpoints",
		"testdata", "metrics.txt"), -1) {
		known[m[1]] = true
	}
	for _, name := range []string{"replicas", "shards", "shard_epoch", "shard_held", "shard_owned",
		"clusters", "cluster_up"} {
		known["informerd_"+name] = true // with shards and clusters; tests of the endpoints have them
	}
	found := 0
	for _, p := range all(t) {
		if strings.HasPrefix(p.Path, "plugins/") {
			continue // the functions of the SDK for C begin like that, too
		}
		for _, name := range metricWord.FindAllString(readFile(t, p.Path), -1) {
			found++
			if !known[name] && !known[ofSeries.ReplaceAllString(name, "")] && !notMetrics[name] {
				t.Errorf("%s: there is no metric %s", p.Path, name)
			}
		}
	}
	if found < 100 {
		t.Errorf("the pages have only %d names of metrics", found)
	}
}

// A path of fields in a page, such as state.dir, is one of the configuration or of the chart's
// values.
func TestFieldsInPages(t *testing.T) {
	members := map[string]map[string]bool{}
	addMembers(t, members, "docs", "config.schema.json")
	addMembers(t, members, "deploy", "chart", "informerd", "values.schema.json")
	found := 0
	for _, p := range all(t) {
		if !strings.HasPrefix(p.Path, "docs/") {
			continue // others name parts of the code, too
		}
		for _, m := range fieldPath.FindAllStringSubmatch(readFile(t, p.Path), -1) {
			steps := strings.Split(m[1], ".")
			if members[steps[0]] == nil || notFields[m[1]] {
				continue // of an object, or the name of a file
			}
			found++
			for i, step := range steps[1:] {
				of := members[steps[i]]
				if step != "NAME" && steps[i] != "NAME" && of != nil && !of[step] {
					t.Errorf("%s: %s: there is no field %s in %s", p.Path, m[1], step, steps[i])
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("the pages have only %d paths of fields", found)
	}
}

// schemaNode is a part of a JSON Schema.
type schemaNode struct {
	Ref                   string `json:"$ref"`
	Properties            map[string]*schemaNode
	AdditionalProperties  json.RawMessage
	Items, If, Then, Else *schemaNode
	AllOf, AnyOf, OneOf   []*schemaNode
	Definitions           map[string]*schemaNode `json:"$defs"`
	isVisited             map[string]bool
}

// addMembers notes which members each member of a schema may have, wherever it is.
func addMembers(t *testing.T, members map[string]map[string]bool, path ...string) {
	t.Helper()
	var top schemaNode
	if err := json.Unmarshal([]byte(readFile(t, path...)), &top); err != nil {
		t.Fatal(err)
	}
	var walk func(n *schemaNode, name string)
	walk = func(n *schemaNode, name string) {
		if n == nil || n.isVisited[name] {
			return
		}
		if n.isVisited == nil {
			n.isVisited = map[string]bool{}
		}
		n.isVisited[name] = true
		if ref, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
			walk(top.Definitions[ref], name)
		}
		for member, of := range n.Properties {
			if members[name] == nil {
				members[name] = map[string]bool{}
			}
			members[name][member] = true
			walk(of, member)
		}
		values := &schemaNode{}
		if json.Unmarshal(n.AdditionalProperties, values) == nil { // it may be true or false
			walk(values, name)
		}
		for _, part := range append(append(append([]*schemaNode{n.Items, n.If, n.Then, n.Else},
			n.AllOf...), n.AnyOf...), n.OneOf...) {
			walk(part, name)
		}
	}
	walk(&top, "")
}

func readFile(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

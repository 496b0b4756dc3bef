package migrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template/parse"
)

// expression returns the expression of a Go template about an Event, as event-exporter has them. It
// translates fields, and functions that change a text.
func expression(text string) (string, error) {
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	tree, err := tree.Parse(text, "", "", map[string]*parse.Tree{})
	if err != nil {
		return "", fmt.Errorf("it is not a template: %w", err)
	}
	var parts []string
	for _, n := range tree.Root.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			parts = append(parts, quoted(string(n.Text)))
		case *parse.ActionNode:
			v, whole, err := pipe(n.Pipe)
			if err != nil {
				return "", err
			}
			if whole && len(tree.Root.Nodes) > 1 {
				return "", fmt.Errorf("%s is no text", n)
			}
			if len(tree.Root.Nodes) > 1 {
				v = grouped(v)
			}
			parts = append(parts, v)
		default:
			return "", fmt.Errorf("%.60s has no expression", n)
		}
	}
	if parts == nil {
		return `""`, nil
	}
	return strings.Join(parts, " + "), nil
}

func grouped(text string) string {
	if strings.ContainsAny(text, "? ") {
		return "(" + text + ")"
	}
	return text
}

// pipe returns the expression of a field that goes through functions. Whole: it may be any value,
// which a template writes as JSON.
func pipe(p *parse.PipeNode) (v string, whole bool, err error) {
	if len(p.Decl) > 0 {
		return "", false, errors.New("variables have no expression")
	}
	for i, c := range p.Cmds {
		args := c.Args
		name, is := args[0].(*parse.IdentifierNode)
		if is && name.Ident == "index" {
			v, whole, err = indexed(args[1:])
		} else if !is && len(args) == 1 && i == 0 {
			v, whole, err = eventField(args[0])
		} else if is {
			if i == 0 && len(args) > 1 {
				v, whole, err = eventField(args[len(args)-1])
				args = args[:len(args)-1]
			}
			if err == nil {
				v, whole, err = call(name.Ident, args[1:], v, whole)
			}
		} else {
			err = fmt.Errorf("%.60s has no expression", c)
		}
		if err != nil {
			return "", false, err
		}
	}
	return v, whole, nil
}

// call translates a function of templates or of sprig.
func call(name string, args []parse.Node, v string, whole bool) (string, bool, error) {
	switch {
	case len(args) == 0 && slices.Contains([]string{"toJson", "toPrettyJson", "toRawJson"}, name):
		return v, true, nil
	case whole:
	case len(args) == 0 && name == "toString":
		return v, false, nil
	case len(args) == 0 && slices.Contains([]string{"lower", "upper", "trim"}, name):
		return name + "(" + v + ")", false, nil
	case len(args) == 1 && name == "default":
		if text, is := args[0].(*parse.StringNode); is {
			return fmt.Sprintf(`(%s) != "" ? %s : %s`, v, v, quoted(text.Text)), false, nil
		}
	}
	return "", false, fmt.Errorf("the function %s has no expression", name)
}

// indexed returns the value of an index call with a constant text, as in index .Labels "app".
func indexed(args []parse.Node) (string, bool, error) {
	if len(args) == 2 {
		of, isField := args[0].(*parse.FieldNode)
		key, isText := args[1].(*parse.StringNode)
		if isField && isText {
			return fieldOf(append(slices.Clone(of.Ident), key.Text))
		}
	}
	return "", false, errors.New("index has no expression")
}

func eventField(n parse.Node) (string, bool, error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return "object", true, nil
	case *parse.FieldNode:
		return fieldOf(n.Ident)
	}
	return "", false, fmt.Errorf("%.60s has no expression", n)
}

// texts are the texts of an Event by their names in templates.
var texts = map[string]string{
	"Message": "object.message", "Reason": "object.reason", "Type": "object.type",
	"Action": "object.action", "Name": "object.metadata.name",
	"Namespace": "object.metadata.namespace", "UID": "object.metadata.uid",
	"Source.Component":          "object.source.component",
	"Source.Host":               "object.source.host",
	"InvolvedObject.Kind":       "object.involvedObject.kind",
	"InvolvedObject.Name":       "object.involvedObject.name",
	"InvolvedObject.Namespace":  "object.involvedObject.namespace",
	"InvolvedObject.UID":        "object.involvedObject.uid",
	"InvolvedObject.APIVersion": "object.involvedObject.apiVersion",
	"InvolvedObject.FieldPath":  "object.involvedObject.fieldPath",
	"FirstTimestamp":            "object.firstTimestamp", "LastTimestamp": "object.lastTimestamp",
	"EventTime":         "object.eventTime",
	"CreationTimestamp": "object.metadata.creationTimestamp",
	"GetTimestampMs":    "object.firstTimestamp ?? object.eventTime",
}

// values are values of any shape, which templates write as JSON.
var values = map[string]string{
	"Labels": "object.metadata.labels", "Annotations": "object.metadata.annotations",
	"Source": "object.source", "InvolvedObject": "object.involvedObject",
}

// isoTime is what GetTimestampISO8601 returns: milliseconds, which only eventTime has.
const isoTime = `object.firstTimestamp != nil ? trimSuffix(object.firstTimestamp, "Z") + ".000Z" : (object.eventTime ?? "")`

// fieldOf returns the value of a path in a template about an Event.
func fieldOf(path []string) (v string, whole bool, err error) {
	// embedded structs can be named or not
	short := slices.DeleteFunc(slices.Clone(path), func(name string) bool {
		return name == "ObjectMeta" || name == "ObjectReference" || name == "Event"
	})
	name := strings.Join(short, ".")
	switch {
	case texts[name] != "":
		return texts[name] + ` ?? ""`, false, nil
	case name == "Count":
		return "string(object.count ?? 0)", false, nil
	case name == "ClusterName":
		return "cluster", false, nil
	case name == "GetTimestampISO8601":
		return isoTime, false, nil
	case len(short) == 2 && (short[0] == "Labels" || short[0] == "Annotations"):
		return fmt.Sprintf(`%s[%s] ?? ""`, values[short[0]], quoted(short[1])), false, nil
	case values[name] != "":
		return values[name], true, nil
	}
	return "", false, fmt.Errorf(".%s is not a field of an Event", name)
}

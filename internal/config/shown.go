package config

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// hidden takes the place of texts that may be secrets.
const hidden = "(hidden)"

// Shown returns the listener as it is configured, defaults included, in YAML. Texts in the config
// of its handler do not show: what they are is known to the handler alone.
func (l *Listener) Shown() (string, error) {
	text, err := json.Marshal(map[string]*Listener{l.Name: l})
	if err != nil {
		return "", err
	}
	var root yaml.Node // JSON is YAML, and a node keeps the order of fields
	if err := yaml.Unmarshal(text, &root); err != nil {
		return "", err
	}
	plain(&root)
	if on := find(&root, l.Name, "on"); on != nil { // bytes, as JSON has them
		*on = yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, op := range l.On {
			on.Content = append(on.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: op.String()})
		}
	}
	if config := find(&root, l.Name, "handler", "config"); config != nil {
		hideTexts(config)
	}
	shown, err := yaml.Marshal(&root)
	return string(shown), err
}

// plain has a tree written as people write YAML, instead of as JSON.
func plain(n *yaml.Node) {
	n.Style = 0
	for _, child := range n.Content {
		plain(child)
	}
}

// find returns the value at a path of members, nil if there is none.
func find(n *yaml.Node, path ...string) *yaml.Node {
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	for _, name := range path {
		var next *yaml.Node
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				next = n.Content[i+1]
			}
		}
		if next == nil {
			return nil
		}
		n = next
	}
	return n
}

func hideTexts(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		if n.Tag == "!!str" {
			n.Value = hidden
		}
		return
	}
	for i, child := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 { // names of fields show
			hideTexts(child)
		}
	}
}

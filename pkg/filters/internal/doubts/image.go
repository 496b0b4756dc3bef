package doubts

import (
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// wholeImage warns about an image that is compared with one that has no tag: it is latest then, as
// container runtimes complete it, and hardly meant.
func (f *finder) wholeImage(c comparison) {
	text, ok := c.to.(*ast.StringNode)
	if !ok || !isImage(c.value) || c.operator != "==" && c.operator != "!=" {
		return
	}
	if name, whole := untagged(text); name != "" {
		f.doubt(text, c.whole, f.text(c.value)+".name "+c.operator+" "+quoted(name), onlyLatest,
			text.Value, whole)
	}
}

const onlyLatest = "without a tag, %q is the image %s alone; its name is without a tag"

// wholeImages warns about such images in a list.
func (f *finder) wholeImages(n *ast.BinaryNode) {
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok || n.Operator != "in" || !isImage(n.Left) {
		return
	}
	var names []string
	var first *ast.StringNode
	for _, item := range list.Nodes {
		text, ok := item.(*ast.StringNode)
		if !ok {
			return
		}
		if name, _ := untagged(text); name != "" {
			names = append(names, quoted(name))
			if first == nil {
				first = text
			}
		}
	}
	if first == nil {
		return
	}
	by, write := " in [", ""
	if strings.Contains(f.text(n), " not in ") {
		by = " not in ["
	}
	if len(names) == len(list.Nodes) {
		write = f.text(n.Left) + ".name" + by + strings.Join(names, ", ") + "]"
	}
	_, whole := untagged(first)
	f.doubt(first, n, write, onlyLatest, first.Value, whole)
}

func isImage(n ast.Node) bool {
	call, ok := isNamed(n, "image")
	return ok && len(call.Arguments) == 1
}

// untagged returns the name of an image with neither a tag nor a digest, and what it is read as;
// "" for any other text.
func untagged(text *ast.StringNode) (name, whole string) {
	image, ok := values.ParseImage(text.Value).(values.Image)
	if !ok || image.Digest != nil || strings.HasSuffix(text.Value, ":latest") ||
		image.Tag != "latest" {
		return "", ""
	}
	name, _ = image.Name.(string)
	return name, image.Whole
}

// imageName warns about the name of an image that is compared with its last part, or a registry
// with more than a registry: image("nginx").name is docker.io/library/nginx.
func (f *finder) imageName(c comparison) {
	text, ok := c.to.(*ast.StringNode)
	base, keys := nodes.ConstantSteps(c.value)
	call, isCall := base.(*ast.CallNode)
	if !ok || !isCall || !nodes.IsName(call.Callee, "image") || len(keys) != 1 || text.Value == "" ||
		c.operator != "==" && c.operator != "!=" {
		return
	}
	is := map[string]string{"==": "never", "!=": "always"}[c.operator]
	switch {
	case keys[0] == "name" && !strings.Contains(text.Value, "/"):
		ends := f.text(c.value) + " endsWith " + quoted("/"+text.Value)
		if c.operator == "!=" {
			ends = "not (" + ends + ")"
		}
		f.doubt(text, c.whole, ends,
			"this is %s true: the name of an image begins with its registry, as in docker.io/library/nginx", is)
	case keys[0] == "registry" && strings.Contains(text.Value, "/"):
		registry, _, _ := strings.Cut(text.Value, "/")
		f.doubt(text, text, quoted(registry), "this is %s true: a registry is a host, without a path", is)
	case keys[0] == "tag" && strings.HasPrefix(text.Value, ":"):
		f.doubt(text, text, quoted(text.Value[1:]), "this is %s true: a tag has no colon", is)
	}
}

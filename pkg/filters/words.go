package filters

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// place gives an error of expr its place in the file, and better words where we have them.
func (s Source) place(err error, tree *parser.Tree) *CompileError {
	var where *file.Error
	if errors.As(err, &where) {
		return s.compileError(where.From, "%s", s.reword(where.Message))
	}
	offset := 0
	if tree != nil && tree.Node != nil {
		offset = tree.Node.Location().From
	}
	if got, ok := strings.CutPrefix(err.Error(), "expected bool, but got "); ok {
		if got == "unknown" {
			got = "nil"
		}
		return s.compileError(offset, "%s, this gives %s", s.Kind.must(), typeWords.Replace(got))
	}
	return s.compileError(offset, "%v", err)
}

// typeWords are the names of types as typeName gives them, for those that Go calls otherwise.
var typeWords = strings.NewReplacer(
	"[]interface {}", "list", "[]int", "list", "[]string", "list", "map[string]interface {}", "object", "float64", "float",
	"time.Time", "date", "time.Duration", "duration", "interface {}", "any",
)

// tokens are what expr calls tokens that people get wrong.
var tokens = map[string]string{
	`EOF`:           "the expression ends too early",
	`Operator("=")`: "unexpected =; write == to compare",
	`Operator("&")`: "unexpected &; write && or and",
	`Operator("#")`: "# stands for an item of a list; it means nothing outside of any(…) and the like",
	`Operator(".")`: "unexpected .; a field needs object or old before it, except within any(…) and the like",
}

func (s Source) reword(message string) string {
	if name, ok := strings.CutPrefix(message, "unknown name "); ok {
		return s.unknownName(name)
	}
	if token, ok := strings.CutPrefix(message, "unexpected token "); ok && tokens[token] != "" {
		return tokens[token]
	}
	if message == "unexpected end of expression" {
		return tokens["EOF"]
	}
	if strings.Contains(message, "exceeds maximum allowed nodes") {
		return fmt.Sprintf("the expression has more than %d nodes", MaxNodes)
	}
	return strings.TrimSpace(typeWords.Replace(message))
}

func (s Source) unknownName(name string) string {
	if _, exists := builtin.Index[name]; exists {
		return fmt.Sprintf("the function %s is not available in %s", name, s.Kind.word().plural)
	}
	variables := s.Kind.variables()
	if near := nearest(name, append(s.Kind.functions(), variables...)); near != "" {
		return fmt.Sprintf("unknown name %q; did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown name %q; there are the variables %s", name, strings.Join(variables, ", "))
}

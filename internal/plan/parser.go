package plan

import (
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/informer/object"
)

// ParserOf returns a parser that reads objects as the informer would.
func ParserOf(inf *config.Informer) (*object.Parser, error) {
	shape, err := ShapeOf(inf)
	if err != nil {
		return nil, err
	}
	parser := &object.Parser{KeepManagedFields: shape.KeepManagedFields}
	return parser, parser.Drop(shape.Drop...)
}

package config

import (
	"maps"
	"reflect"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
)

// withAdvice adds what is said of words of other tools, and of values of another shape, to the help
// of all types that a configuration and a policy have.
func withAdvice(help map[reflect.Type]document.Help) map[reflect.Type]document.Help {
	for name, t := range document.Types(reflect.TypeFor[Config](), reflect.TypeFor[Policy]()) {
		h := help[t]
		h.Renamed, h.Lone = advice.Renamed[name], advice.Lone[name]
		if more := advice.Elsewhere[name]; more != nil {
			elsewhere := maps.Clone(more)
			maps.Copy(elsewhere, h.Elsewhere)
			h.Elsewhere = elsewhere
		}
		h.ByValue = advice.OrMisplaced(h, t)
		help[t] = h
	}
	return help
}

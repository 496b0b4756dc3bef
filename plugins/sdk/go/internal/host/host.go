// Package host is the boundary between a guest and its host: the imports and exports of the interface informerd/v1, or,
// built natively, a fake host in their place.
package host

// What the exports run. Package informerd sets them.
var (
	Configure func() int32
	OnEvent   func(op, flags, objectLen, oldLen uint32) int32
)

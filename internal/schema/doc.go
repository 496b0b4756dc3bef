// Package schema knows which fields the objects of a resource may have, so that an expression that
// reads an impossible field is found before it runs.
//
// # Promises
//
//   - [Parse] reads the OpenAPI v3 document of one group and version, as an API server serves it at
//     /openapi/v3, into a [Set]: a [filters.Schema] for each resource that can be read.
//   - A schema never rejects a name or type that the document allows: what may be an integer or a
//     string, and quantities, have no type; what keeps unknown fields, and an object without a
//     description, is open; what is described by choices is open where a choice has its own fields.
//     Formats and limits of values are ignored, but for an enum of texts: of several that must all
//     hold, one is kept.
//   - Schemas that refer to themselves stay finite: the same part of a document is the same
//     *filters.Schema.
//   - The size, the depth and the number of schemas of a document are limited. A mistake in it is
//     an error with its place, never a panic. What no resource leads to is barely checked.
//   - [Builtin] has the resources of the stable groups that every cluster has, of one
//     Kubernetes version. They are part of the program and are read once, on first use.
//   - A Set finds a resource by any name that a configuration may use: plural, kind and, for
//     built-in resources, short names, with or without version and group, in any case. If several
//     match, it takes the core group's, otherwise that of the group added first, in its most stable
//     version.
//   - [ParseDefinition] reads the schemas from a CustomResourceDefinition itself. They are what
//     [Parse] reads from the document that the API server publishes of it.
//   - Schemas added with [Set.Add] replace those of the same resource. Adding to a Set returned by
//     Builtin changes no other Set.
//
// A field that objects do not have is an error and not a warning: a filter with object.sepc
// compiles, runs and never matches, and its author notices when it is needed.
package schema

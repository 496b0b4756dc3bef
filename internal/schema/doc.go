// Package schema knows which fields the objects of a resource may have, so that an expression that
// reads a field which cannot be there is found before it runs.
//
// What is promised:
//   - [Parse] reads the OpenAPI v3 document of one group and version, as an API server serves it at
//     /openapi/v3, into a [Set]: a [filters.Schema] for each resource that can be read.
//   - A schema is never narrower than the document, as far as names and types go: what may be an
//     integer or a string, and quantities, have no type; what keeps unknown fields, and an object
//     of which nothing is said, is open; what is described by choices is open where a choice has
//     fields of its own. Formats and limits of values are not looked at.
//   - Schemas that refer to themselves stay finite: the same part of a document is the same
//     *filters.Schema.
//   - A document is bounded in size, in depth and in the number of its schemas. What is wrong with
//     one is an error that names the place, never a panic. What no resource leads to is not looked
//     at closely.
//   - [Builtin] has the resources of the stable groups that every cluster has, of the Kubernetes
//     version that [BuiltinVersion] names. They are part of the program and are read once, when
//     first asked for.
//   - A Set finds a resource by the names that a configuration may use: plural, kind, and for
//     built-in resources short names, with or without version and group, in any case. Of several it
//     takes the core group's, else that of the group that was added first, in its most stable
//     version.
//   - What [Set.Add] brings replaces what the Set has of the same resource. A Set that was handed
//     out by Builtin may be added to, which changes no other.
package schema

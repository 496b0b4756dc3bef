// Package config reads informerd's configuration: the schema as Go types, a strict decoder and the checks that need no
// API server. It is the one place that knows YAML.
//
// What is promised:
//   - A file is YAML or JSON, one document, UTF-8, at most [MaxSize] bytes. Nothing in it is guessed: unknown and
//     repeated fields, values of the wrong type, numbers without the unit they need, empty values, merge keys and tags
//     are errors. Aliases are followed, within a limit.
//   - Every mistake found is reported, not only the first: an error from Parse is an [Errors], sorted by line, and each
//     of its entries gives file, line and column (where there is a place to show), what is wrong, and a hint if there
//     is a likely cure. Only a text that is no YAML at all stops the search; then there is one error.
//   - An entry never shows more of a value than 64 characters, quoted.
//   - A [Config] that is returned without an error is complete: defaults are filled in, every listener's informer is
//     found, every selector, path and name is well formed. It is not changed afterwards and is safe for concurrent use.
//   - What only others can know is left to them: whether a resource exists, whether a filter compiles, whether a WASM
//     file is there and may be loaded. They can say where the mistake stands by [Config.ErrorAt].
package config

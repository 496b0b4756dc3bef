// Package config reads informerd's configuration and the policy files it names: the schema as Go
// types, a strict decoder and the checks that need no API server. It is the one place that knows
// YAML.
//
// What is promised:
//   - A file is YAML or JSON, one document, UTF-8, at most [MaxSize] bytes. Nothing in it is
//     guessed: unknown and repeated fields, values of the wrong type, numbers without the unit they
//     need, empty values, merge keys and tags are errors. Aliases are followed, within a limit.
//   - Every mistake found is reported, not only the first: an error from Parse is an [Errors], file
//     by file and sorted by line, and each of its entries gives file, line and column (where there
//     is a place to show), what is wrong, and a hint if there is a likely cure. Only a text that is
//     no YAML at all stops the search in its file; then there is one error for it. The first 100
//     mistakes are shown, the others counted.
//   - An entry never shows more of a value than 64 characters, quoted.
//   - A policy file is read as strictly as the configuration, and becomes a listener. A pattern
//     that matches nothing, a folder it cannot look into and what is no regular file are mistakes;
//     nothing that a pattern names is left out without a word but folders whose names begin with a
//     dot. Pipes and devices are not opened.
//   - Policy files are loaded all or none. If one has mistakes, a last entry names those that have
//     none.
//   - What is legal and suspicious is not an error but among its Warnings.
//   - A [Config] that is returned without an error is complete: defaults are filled in, every
//     listener's informer is found, every selector, path and name is well formed. It is not changed
//     afterwards and is safe for concurrent use.
//   - What only others can know is left to them: whether a resource exists, whether a filter or a
//     rule compiles, whether a WASM file is there and may be loaded. They can say where the mistake
//     stands by [Config.ErrorAt], and which policy files are not loaded because of it by
//     [Config.NotLoaded].
package config

// Package config reads informerd's configuration and the policy files it names. It has the schema
// as Go types, whose tags say what each field may be, and the checks that need more than one field
// but no API server. Package document below it reads the files.
//
// # Files
//
//   - Files are read as strictly as package document reads them: nothing is guessed.
//   - A policy file becomes a listener.
//   - A pattern that matches nothing, a folder that cannot be read and anything but a regular file
//     are mistakes. Pipes and devices are not opened.
//   - Of what a pattern names, only folders whose names begin with a dot are passed over.
//   - Policy files are loaded all or none. If one has mistakes, a last entry names those that have
//     none.
//
// # Results
//
//   - An error from [Parse] is an [Errors]: file by file, the configuration first, sorted by line.
//   - What is legal and suspicious is not an error but among the [Config.Warnings].
//   - A [Config] without an error is complete: defaults are filled in, every listener's informer is
//     found, every selector, path and name is well formed.
//   - A Config is not changed afterwards, and is safe for concurrent use.
//
// What only others can know is left to them: whether a resource exists, whether a filter or a rule
// compiles, whether a WASM file exists and may be loaded. They find the place of a mistake with
// [Config.ErrorAt], and the policy files that are not loaded because of it with [Config.NotLoaded].
//
// Relative paths in several files count from the folder of the first, as in Compose files: what a
// path is relative to must not depend on the file that a field is in.
package config

// Package verdict writes what was found in a configuration.
//
//   - Text has a line for each mistake, warning and note, with the place first, as editors and
//     other tools expect it from compilers.
//   - JSON is one object, on one line.
//   - The form for GitHub Actions is a workflow command for each of them, which annotates the line
//     of a pull request. Whatever is in a message, it is one command.
package verdict

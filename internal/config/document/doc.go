// Package document reads files of YAML or JSON strictly into Go structs. It fills in defaults and
// checks ranges, enumerations, forms and required fields by the tags of the structs' fields. What
// kinds of files there are, and what their fields mean, is the business of its callers.
//
// # What a file may be
//
//   - A file is YAML or JSON, one document, UTF-8, at most [MaxSize] bytes.
//   - Unknown and repeated fields, values of the wrong type, numbers without the unit they need,
//     missing values, merge keys and tags are mistakes.
//   - Aliases are followed. A file has at most 200,000 values, those behind an alias counted each
//     time it is used, nested at most 100 levels deep.
//
// # Mistakes
//
//   - Every mistake that is found is reported, at most 100, sorted by line: an [Errors].
//   - Each has file, line and column if there are such, what is wrong, and what to do if that is
//     likely to be known.
//   - What is wrong already is not reported again, and a misspelt field is not missing as well.
//   - At most 64 characters of a value are shown, in quotes.
//
// # Tags
//
// The tag jsonschema of a field has the form that github.com/invopop/jsonschema reads, with one key
// more, zero, and with durations, quantities and times as they are written in a file:
//
//	Workers int             `json:"workers" jsonschema:"default=1,minimum=1,maximum=64"`
//	Resync  metav1.Duration `json:"resync" jsonschema:"default=0s,zero=never,minimum=1s"`
//
// [Rules] has all keys. Hints for missing and empty fields are in [Kind.Help].
//
// Ranges and defaults are needed at run time, for errors with a place. invopop/jsonschema checks
// nothing and ignores the minimum of a duration, google/jsonschema-go takes only descriptions
// from tags; so the tags have one reader here, for checks, reference and schema.
package document

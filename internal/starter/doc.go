// Package starter is informerd init: a configuration to begin with, with explanations.
//
//   - Wishes become the text of a configuration, which informerd validate --strict accepts once the
//     environment variables and files that it names are there.
//   - Each resource that every cluster has, and some others, have rules or a filter of their own.
//     Others have a filter for changes of what somebody wants of them, and a rule for the condition
//     Ready.
//   - A secret is never in the text: only where it is.
//   - A dialogue asks what flags say otherwise.
//   - A file that exists is overwritten only by force.
package starter

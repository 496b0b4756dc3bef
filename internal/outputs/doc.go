// Package outputs makes the sinks of a configuration. A [Maker] makes them, and [Check] finds what
// is wrong with the secrets and files that they name, without making one.
//
// What is promised:
//   - Secrets and certificates are read again when they change, without a new sink.
//   - Relative paths count from the folder of the configuration.
//   - A URL from the environment or a file is held to the same rules as one in the configuration.
//   - Mistakes have the place in the configuration, and never show a secret.
//   - A sink that takes the place of another one ends the alerts that that one has sent.
//   - No object notifies a channel of Slack, unless the expression of the text has <! in it.
//   - What a sink sends passes the Maker's fence. The outputs that write to the API server have that
//     of its writer.
//   - Check writes nothing, and connects to nobody.
//   - The expressions of a sink may be used concurrently.
package outputs

// Package statuspage is the status page: the pipeline as it is, in a browser.
//
//   - The page is embedded. It loads nothing from elsewhere, and its Content-Security-Policy forbids
//     that and every script that is not one of its files.
//   - What it shows it asks for: /statusz and /violations are those of package endpoints, and the
//     others are here. Each is JSON, and an error is {"error": "…"}.
//   - /history is what the pipeline did in the last 15 minutes, all of it or one listener.
//   - /listener is the plan and the configuration of a listener, without texts of its handler's own
//     config. /events are its last events, kept as long as somebody asks for them, and /explain how
//     one of these was judged.
//   - /deadletters lists dead letters without objects and messages.
//   - /deadletters/replay and /deadletters/drop do that with letters, for whom package endpoints
//     lets in. Nothing else changes anything, but that looking at events has them kept for a while.
//
// Without users the page changes nothing: on a loopback address anybody on the machine reaches
// it. `informerd dlq` asks the socket, which only its owner can open.
package statuspage

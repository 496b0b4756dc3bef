// Package access decides whether a request with a token may do something with a path. A [Reviewer],
// such as an API server, says whose token it is and what its owner may do; a [Checker] remembers
// the answers for a short time and protects the reviewer from those who ask.
//
// # What is promised
//
//   - Without a token that the reviewer knows, and the right to that verb and path, the result is an
//     error. If the reviewer does not answer, it is one as well: see the errors.
//   - An answer is used for [TTL], counted from before the reviewer was asked: a token or a right
//     that is revoked is refused after that time at the latest, and one that is granted is accepted.
//   - Of several requests at once with the same token and path, one asks the reviewer.
//   - Tokens that are not known are reviewed at a limited rate, a few at a time; more of them are
//     [ErrBusy]. Owners of tokens that were good before do not notice that.
//   - A token comes as a bearer token, or as the password that a browser asks for. What is not of
//     the form of a token, or too long, is refused without asking.
//   - Memory is bounded, however many tokens are tried. Tokens are not kept, only their keyed
//     digests.
package access

// Package reach tells which messages of a listener an output can never get, as far as that is known
// without a message: the rule, its severity and what happens to an object are constants.
package reach

// Package changes tells what differs between two configurations, as far as a daemon that runs with
// one and is given the other has to change something.
package changes

package reflector

import "github.com/informerd/informerd/pkg/informer/internal/wire"

// relist is why a list was needed that is not an informer's first one.
type relist uint8

const (
	// noRelist: it is the first list, or none is needed.
	noRelist relist = iota
	// Expired: the server did not have the version any more that the watch was to go on from.
	Expired
	// Unreadable: the watch brought something that cannot be read.
	Unreadable
	// EndedByError: the server ended the watch with another error than an expired version.
	EndedByError
	// Refused: the server refused the watch in a way that another watch does not change, as that of
	// a resource that it does not have.
	Refused
	// Failures: too many watches in a row had failed.
	Failures
	// Renewed: the resource is read in another version.
	Renewed
	// Rewound: the server is behind what it had before.
	Rewound

	relists
)

// Relists are all reasons.
var Relists = []relist{Expired, Unreadable, EndedByError, Refused, Failures, Renewed, Rewound}

// String returns the word for the reason that metrics use.
func (r relist) String() string {
	return [...]string{"", "expired", "unreadable", "error", "refused", "failures", "version",
		"rewound"}[r]
}

// relistAfter returns why a list follows an error of the server.
func relistAfter(err error, other relist) relist {
	if wire.IsExpired(err) {
		return Expired
	}
	return other
}

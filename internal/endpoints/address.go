package endpoints

import (
	"errors"
	"fmt"
	"net"

	"github.com/informerd/informerd/internal/outbound"
)

// checkAddress returns an error for an address that other machines could reach. It resolves and
// binds nothing.
func checkAddress(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("http address %q: %w", address, err)
	}
	if !outbound.Loopback(host) {
		return publicError(address)
	}
	return nil
}

func publicError(address string) error {
	return fmt.Errorf("http address %q is not a loopback address", address)
}

// checkBound checks the address that was bound: what localhost is depends on the machine's files.
func checkBound(address string, bound net.Addr) error {
	host, _, err := net.SplitHostPort(bound.String())
	if err != nil || !outbound.Loopback(host) {
		return publicError(fmt.Sprintf("%s (%s)", address, bound))
	}
	return nil
}

// bindError returns the error of an address that cannot be bound.
func bindError(setting, address string, err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // without the address, which the text has already
	}
	return fmt.Errorf("cannot listen on %s address %s: %w", setting, address, err)
}

package endpoints

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/informerd/informerd/internal/loopback"
)

// checkAddress returns what is wrong with an address to listen on, nil if nothing is. It resolves
// and binds nothing.
func checkAddress(address string) error {
	if err := checkHostPort("http", address); err != nil {
		return err
	}
	if host, port, _ := net.SplitHostPort(address); !loopback.Host(host) {
		return publicError(address, port)
	}
	return nil
}

func checkHostPort(setting, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s address %q is not host:port: write it like 127.0.0.1:8080", setting,
			address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%s address %q: the port is a number from 0 to 65535, and 0 is any free one", setting, address)
	}
	return nil
}

// publicError returns the error of an address that other machines could reach.
func publicError(address, port string) error {
	return fmt.Errorf("http address %q is not a loopback address: serving others needs authentication, which this version does not have; probes have health.address; for all else use 127.0.0.1:%s",
		address, port)
}

// isLoopbackHeader reports whether a Host header, which may have a port, names a loopback address
// or localhost.
func isLoopbackHeader(header string) bool {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return loopback.Host(host)
	}
	if inner, ok := strings.CutPrefix(header, "["); ok {
		header, ok = strings.CutSuffix(inner, "]")
		return ok && loopback.Host(header)
	}
	return loopback.Host(header)
}

// checkBound checks the address that was bound: what localhost is depends on the machine's files.
func checkBound(address string, bound net.Addr) error {
	host, port, err := net.SplitHostPort(bound.String())
	if err != nil || !loopback.Host(host) {
		return publicError(fmt.Sprintf("%s (%s)", address, bound), port)
	}
	return nil
}

// bindError returns an error with advice about an address that cannot be bound.
func bindError(setting, address string, err error) error {
	advice := "set " + setting + ".address to another one"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		advice = "stop what uses it, or set " + setting + ".address to another port"
	case errors.Is(err, syscall.EACCES):
		advice = "set " + setting + ".address to a port above 1023"
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // without the address, which the text has already
	}
	return fmt.Errorf("cannot listen on %s address %s: %w: %s", setting, address, err, advice)
}

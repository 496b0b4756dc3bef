package admin

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// checkPeer returns an error if the other end of a connection is another user's. Root may become
// any user anyway.
func checkPeer(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var peer *syscall.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		peer, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	return checkUser(int(peer.Uid), os.Geteuid())
}

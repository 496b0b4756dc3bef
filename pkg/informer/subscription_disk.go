package informer

import (
	"fmt"
	"sync"
	"time"
)

// maxDiskWait is how long Discard waits for a disk that does not answer.
const maxDiskWait = 2 * time.Second

// useDisk starts a goroutine for the jobs of the spill file, if there are any and it does not run.
// The caller holds mu, and never waits for the disk.
func (s *Subscription) useDisk() {
	if s.disk == nil && s.buf.DiskDue() {
		s.disk = make(chan struct{})
		go s.runDisk()
	}
}

// runDisk runs one job after the other, without mu, until there is none.
func (s *Subscription) runDisk() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for j := s.buf.BeginDiskJob(); j != nil; j = s.buf.BeginDiskJob() {
		s.mu.Unlock()
		j.Run()
		s.mu.Lock()
		s.buf.FinishDiskJob(j)
		if s.available() > 0 || s.stopped && s.buf.Empty() {
			s.wake.set()
		}
		if s.buf.Room() > 0 {
			s.room.set()
		}
	}
	close(s.disk)
	s.disk = nil
}

// Discard stops the subscription, drops what is buffered, and returns how many events that were.
// Events that workers have are not affected. It waits until the spill file is closed, for two
// seconds at most.
func (s *Subscription) Discard() int {
	s.Stop()
	n := s.discard()
	s.awaitDisk()
	return n
}

// DiscardAll discards subscriptions at the same time, so that all those whose disk hangs take two
// seconds together. It returns for each what [Subscription.Discard] returns.
func DiscardAll(subscriptions []*Subscription) []int {
	counts := make([]int, len(subscriptions))
	var ended sync.WaitGroup
	for i, s := range subscriptions {
		ended.Go(func() { counts[i] = s.Discard() })
	}
	ended.Wait()
	return counts
}

// discard drops what is buffered.
func (s *Subscription) discard() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Nobody will read the file. What it holds is counted from what is known of it in memory.
	s.buf.CloseSpill()
	for _, from := range s.buf.Origins() {
		n += s.forget(from)
	}
	for _, reg := range s.regs {
		reg.unfinished.Settle()
	}
	s.useDisk()
	return n
}

// awaitDisk waits until the goroutine of a discarded subscription has closed the file, or for
// maxDiskWait. A disk that hangs keeps that goroutine; it ends when the disk answers.
func (s *Subscription) awaitDisk() {
	s.mu.Lock()
	ended := s.disk
	s.mu.Unlock()
	if ended == nil {
		return
	}
	late := time.NewTimer(maxDiskWait)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
		s.mu.Lock()
		s.buf.SetSpillError(fmt.Errorf(
			"the spill file is not closed after %v: the disk does not answer", maxDiskWait))
		s.mu.Unlock()
	}
}

package informer

import (
	"fmt"
	"sync"
	"time"
)

// maxDiskWait is how long Discard waits for a disk that does not answer.
const maxDiskWait = 2 * time.Second

// useDisk has what is to be done to the spill file done, by a goroutine that the subscription has
// as long as there is something. The caller holds mu, and never waits for the disk.
func (l *Subscription) useDisk() {
	if l.disk == nil && l.buf.diskDue() {
		l.disk = make(chan struct{})
		go l.runDisk()
	}
}

// runDisk does one job after the other, without mu.
func (l *Subscription) runDisk() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for j := l.buf.nextDiskJob(); j != nil; j = l.buf.nextDiskJob() {
		l.mu.Unlock()
		j.run()
		l.mu.Lock()
		l.buf.finishDiskJob(j)
		if l.buf.available() > 0 || l.stopped && l.buf.empty() {
			l.wake.set()
		}
	}
	close(l.disk)
	l.disk = nil
}

// Discard stops the subscription and drops what is buffered, which it counts. Events at workers are
// not affected. It waits until the spill file is closed, but no longer than two seconds.
func (l *Subscription) Discard() int {
	l.Stop()
	n := l.discard()
	l.awaitDisk()
	return n
}

// DiscardAll discards subscriptions at the same time, so that all of those whose disk hangs take
// two seconds together. It returns for each what [Subscription.Discard] counts.
func DiscardAll(subscriptions []*Subscription) []int {
	counts := make([]int, len(subscriptions))
	var ended sync.WaitGroup
	for i, l := range subscriptions {
		ended.Go(func() { counts[i] = l.Discard() })
	}
	ended.Wait()
	return counts
}

func (l *Subscription) discard() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// nobody will read it: what it holds is counted from what is known of it in memory
	l.buf.closeSpill()
	for _, from := range l.buf.sources() {
		n += l.forget(from)
	}
	l.useDisk()
	return n
}

// awaitDisk waits until the goroutine of a discarded subscription has closed the file, or for
// maxDiskWait. A disk that hangs keeps that goroutine; it ends when the disk answers.
func (l *Subscription) awaitDisk() {
	l.mu.Lock()
	ended := l.disk
	l.mu.Unlock()
	if ended == nil {
		return
	}
	late := time.NewTimer(maxDiskWait)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
		l.mu.Lock()
		l.buf.spillErr = fmt.Errorf(
			"the spill file is not closed after %v: the disk does not answer", maxDiskWait)
		l.mu.Unlock()
	}
}

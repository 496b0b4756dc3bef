package reader

// backoff decides whether to try something again that has failed: less and less often.
type backoff struct{ failed, wait uint8 }

// maxFailed bounds the wait: at least one attempt of 1<<maxFailed is made.
const maxFailed = 6

// allow reports whether to try now.
func (b *backoff) allow() bool {
	if b.wait > 0 {
		b.wait--
		return false
	}
	return true
}

// fail records a failure.
func (b *backoff) fail() {
	b.failed = min(b.failed+1, maxFailed)
	b.wait = 1<<b.failed - 2
}

package reader

// balance decides whether to try again what was in vain: after a failure less and less often.
type backoff struct{ failed, wait uint8 }

// maxFailed bounds that: one object of 1<<maxFailed is tried.
const maxFailed = 6

func (b *backoff) allow() bool {
	if b.wait > 0 {
		b.wait--
		return false
	}
	return true
}

func (b *backoff) fail() {
	b.failed = min(b.failed+1, maxFailed)
	b.wait = 1<<b.failed - 2
}

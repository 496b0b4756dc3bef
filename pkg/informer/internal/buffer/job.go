package buffer

// diskJob is something to be done to a spill file: a batch is written, some records are read, or
// the file is closed.
type diskJob struct {
	file  *spillFile
	write []Entry
	read  int
	close bool

	// What has been done:
	written int
	got     []Entry
	err     error
}

// Run does it. It takes as long as the disk does, and needs no lock.
func (j *diskJob) Run() {
	switch {
	case j.close:
		j.err = j.file.close()
	case j.read > 0:
		for len(j.got) < j.read && j.err == nil {
			var e Entry
			if e, j.err = j.file.pop(); j.err == nil {
				j.got = append(j.got, e)
			}
		}
	default:
		for j.written < len(j.write) && j.err == nil {
			if j.err = j.file.push(j.write[j.written]); j.err == nil {
				j.written++
			}
		}
	}
}

// DiskDue reports whether BeginDiskJob has a job.
func (b *Buffer) DiskDue() bool {
	return b.closing != nil || b.spill != nil && b.spill.due(b.capacity-b.held())
}

// BeginDiskJob returns what is to be done to the spill file, nil if that is nothing. The caller
// calls the job's Run, and then FinishDiskJob, before asking again.
func (b *Buffer) BeginDiskJob() *diskJob {
	if b.closing != nil {
		j := &diskJob{file: b.closing, close: true}
		b.closing = nil
		return j
	}
	if b.spill == nil {
		return nil
	}
	return b.spill.begin(b.capacity - b.held())
}

// FinishDiskJob takes over what a job has done, unless the file has been given up meanwhile.
func (b *Buffer) FinishDiskJob(j *diskJob) {
	switch {
	case j.close:
		if b.spillErr == nil {
			b.spillErr = j.err
		}
	case b.spill != nil:
		b.spilled += uint64(j.written)
		b.spill.finish(j)
		if b.spill.failed {
			b.spillErr = j.err
		}
		b.promote()
	}
}

// CloseSpill gives up the spill file, which a job closes, and what was to be written.
func (b *Buffer) CloseSpill() {
	if b.spill != nil {
		b.closing, b.spill = b.spill.file, nil
	}
}

// SetSpillError notes why the spill file was given up, when its owner finds that out.
func (b *Buffer) SetSpillError(err error) { b.spillErr = err }

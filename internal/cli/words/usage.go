package words

// UsageError is a mistake on the command line, which has an exit code of its own.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }

// Usage returns an error as a UsageError.
func Usage(err error) error { return UsageError{err} }

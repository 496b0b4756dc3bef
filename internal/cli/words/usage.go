package words

// UsageError is a mistake on the command line, which has an exit code of its own.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }

// Usage returns an error as a UsageError.
func Usage(err error) error { return UsageError{err} }

// InputError is the error of an input file that is invalid, or cannot be read, which has the exit
// code of an invalid configuration.
type InputError struct{ Err error }

func (e InputError) Error() string { return e.Err.Error() }

func (e InputError) Unwrap() error { return e.Err }

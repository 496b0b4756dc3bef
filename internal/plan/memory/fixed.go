package memory

// Fixed is what a reload cannot change of the configuration of a running informerd, or what a
// restart cannot without a loss.
type Fixed struct {
	Process     map[string]string `json:"process"`     // digests of its settings, by their fields
	Checkpoints map[string]bool   `json:"checkpoints"` // whether each listener has one
	// Informers are digests of what each listener's informers watch and keep, nil if these are not
	// known, and Namespaces theirs, none for all. A reload can change them, and a restart loses the
	// objects of those that change.
	Informers  map[string]string   `json:"informers,omitempty"`
	Namespaces map[string][]string `json:"namespaces,omitempty"`
}

package memory

// Fixed is what a reload cannot change of the configuration of a running informerd.
type Fixed struct {
	Process     map[string]string `json:"process"`     // digests of its settings, by their fields
	Checkpoints map[string]bool   `json:"checkpoints"` // whether each listener has one
}

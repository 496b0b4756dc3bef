package object

// SameState reports whether two objects of one key are the same object in the same state. The
// objects of some aggregated APIs have no versions; those are compared as they are.
func SameState(a, b *Object) bool {
	if a == b {
		return true
	}
	version := a.ResourceVersion()
	return a.UID() == b.UID() && version == b.ResourceVersion() &&
		(version != "" || a.JSON() == b.JSON())
}

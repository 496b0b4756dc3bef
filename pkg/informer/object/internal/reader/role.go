package reader

// level is one of the objects that are read member by member, because the header or a cut needs
// some of its members.
type level uint8

const (
	levelObject      level = iota // the object itself
	levelMetadata                 // metadata
	levelAnnotations              // metadata.annotations, of Secrets
	levelOther                    // what has a member to cut
)

// role is what a member is to the reader.
type role uint8

const (
	roleNone role = iota
	roleAPIVersion
	roleKind
	roleMetadata
	roleSpec
	roleStatus
	roleSecret // its values, or itself, are what a Secret hides
	roleNamespace
	roleName
	roleUID
	roleResourceVersion
	roleDeletionTimestamp
	roleGeneration
	roleLabels
	roleAnnotations
	roleGenerateName
	roleOwners
	roleManagedFields
)

// lastApplied is where kubectl keeps a copy of what it applied, a Secret's data included.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func (l level) role(name string) role {
	switch l {
	case levelObject:
		switch name {
		case "apiVersion":
			return roleAPIVersion
		case "kind":
			return roleKind
		case "metadata":
			return roleMetadata
		case "spec":
			return roleSpec
		case "status":
			return roleStatus
		case "data", "stringData":
			return roleSecret
		}
	case levelMetadata:
		return metadataRole(name)
	case levelAnnotations:
		if name == LastApplied {
			return roleSecret
		}
	}
	return roleNone
}

func metadataRole(name string) role {
	switch name {
	case "namespace":
		return roleNamespace
	case "name":
		return roleName
	case "uid":
		return roleUID
	case "resourceVersion":
		return roleResourceVersion
	case "deletionTimestamp":
		return roleDeletionTimestamp
	case "generation":
		return roleGeneration
	case "labels":
		return roleLabels
	case "annotations":
		return roleAnnotations
	case "generateName":
		return roleGenerateName
	case "ownerReferences":
		return roleOwners
	case "managedFields":
		return roleManagedFields
	}
	return roleNone
}

// levelBelow reports how the value of a member is read, if it is an object: member by member, or
// (false) as a whole.
func (r *Reader) levelBelow(of role, drop *DropTree) (level, bool) {
	switch {
	case drop != nil && drop.cut:
		return 0, false
	case of == roleMetadata:
		return levelMetadata, true
	case of == roleAnnotations && r.Secrets:
		return levelAnnotations, true
	case drop != nil:
		return levelOther, true
	}
	return 0, false
}

package reader

// level says which of the objects that are read member by member one is. All others are read as a
// whole.
type level uint8

const (
	levelObject      level = iota // the object itself
	levelMetadata                 // its metadata
	levelAnnotations              // metadata.annotations, of Secrets
	levelOther                    // one with a member that is cut out
)

// role says what a member is to the reader.
type role uint8

const (
	roleNone role = iota
	roleAPIVersion
	roleKind
	roleMetadata
	roleSpec
	roleStatus
	roleSecret // its values, or itself, are to be hidden in a Secret
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

// Harmless are the annotations of Secrets that are known to have no copy of their values, as kubectl
// apply, kapp, Rancher and others keep one, each in an annotation and a form of its own. All others
// are hidden.
var Harmless = map[string]bool{
	"argocd.argoproj.io/sync-wave": true, "argocd.argoproj.io/tracking-id": true,
	"cert-manager.io/alt-names": true, "cert-manager.io/certificate-name": true,
	"cert-manager.io/common-name": true, "cert-manager.io/ip-sans": true,
	"cert-manager.io/issuer-group": true, "cert-manager.io/issuer-kind": true,
	"cert-manager.io/issuer-name": true, "cert-manager.io/uri-sans": true,
	"helm.sh/hook": true, "helm.sh/resource-policy": true,
	"kubernetes.io/service-account.name": true, "kubernetes.io/service-account.uid": true,
	"meta.helm.sh/release-name": true, "meta.helm.sh/release-namespace": true,
}

// role returns the role of the member with a name.
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
		if !Harmless[name] {
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

// levelBelow returns the level of the value of a member if that is an object, and false if it is
// read as a whole.
func (r *Reader) levelBelow(of role, drop *DropTree) (level, bool) {
	switch {
	case drop != nil && drop.dropped:
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

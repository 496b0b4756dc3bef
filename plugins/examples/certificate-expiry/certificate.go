package main

import (
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"time"
)

// certificate is the start of an X.509 certificate, up to its validity. Package crypto/x509 would
// make the module several times as large.
type certificate struct {
	TBS struct {
		Version   int `asn1:"optional,explicit,default:0,tag:0"`
		Serial    asn1.RawValue
		Signature asn1.RawValue
		Issuer    asn1.RawValue
		Validity  struct{ NotBefore, NotAfter time.Time }
		Subject   asn1.RawValue
		PublicKey asn1.RawValue
		IssuerID  asn1.RawValue   `asn1:"optional,tag:1"`
		SubjectID asn1.RawValue   `asn1:"optional,tag:2"`
		More      []asn1.RawValue `asn1:"optional,explicit,tag:3"`
	}
	Algorithm asn1.RawValue
	Signature asn1.RawValue
}

// expiryOf returns when a PEM bundle of certificates expires. The last one counts, since an old one
// may be next to its successor.
func expiryOf(bundle []byte) (last time.Time, err error) {
	for {
		var block *pem.Block
		if block, bundle = pem.Decode(bundle); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		var c certificate
		if _, err := asn1.Unmarshal(block.Bytes, &c); err != nil {
			return last, errors.New("malformed certificate")
		}
		if end := c.TBS.Validity.NotAfter; end.After(last) {
			last = end
		}
	}
	if last.IsZero() {
		return last, errors.New("empty bundle of certificates")
	}
	return last, nil
}

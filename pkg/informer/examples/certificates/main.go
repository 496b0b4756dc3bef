// Command certificates says when the certificates in Secrets end, and says it again shortly before.
// It shows a worker that takes events itself and asks for an object again later, a scope, and data
// of Secrets, which informers replace with digests unless told to keep it.
package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "the file of the cluster")
	before := flag.Duration("before", 30*24*time.Hour, "how long before the end to say it again")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		err = run(ctx, config, *before, os.Stdout)
	}
	if err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, config *rest.Config, before time.Duration, out io.Writer) error {
	client, err := informer.NewClient(config)
	if err != nil {
		return err
	}
	subscription, err := informer.NewSubscription(informer.SubscriptionConfig{
		Name: "certificates", On: event.OpSet(0).With(event.Add).With(event.Update),
	})
	if err != nil {
		return err
	}
	secrets := informer.Resource{
		GroupVersionResource: corev1.SchemeGroupVersion.WithResource("secrets"), Kind: "Secret",
	}
	scope := informer.Scope{FieldSelector: "type=" + string(corev1.SecretTypeTLS)}
	factory := informer.NewFactory(client, slog.Default())
	factory.OnError = func(resource informer.Resource, _ informer.Scope, err error) {
		if apierrors.IsForbidden(err) { // it is tried again, as all errors are
			fmt.Fprintf(out, "somebody has to grant list and watch of %s: %v\n", resource, err)
		}
	}
	_, err = factory.Subscribe(secrets, scope, informer.Shape{KeepSecretData: true}, subscription)
	if err != nil {
		return err
	}
	go work(ctx, subscription, before, out)
	return factory.Run(ctx)
}

// work takes one event after the other. There could be several workers: no two of them ever have
// events of one object.
func work(ctx context.Context, from *informer.Subscription, before time.Duration, out io.Writer) {
	for {
		d, err := from.Next(ctx)
		if err != nil {
			return // ctx is done
		}
		end, err := expiry(d.Event)
		switch remaining := time.Until(end); {
		case err != nil:
			fmt.Fprintf(out, "%s has no certificate: %v\n", d.Object.Key(), err)
			d.Done()
		case remaining > before:
			fmt.Fprintf(out, "%s is good until %s\n", d.Object.Key(), end.Format(time.DateTime))
			d.Again(remaining - before) // unless the Secret changes before that
		default:
			fmt.Fprintf(out, "%s ends soon, %s\n", d.Object.Key(), end.Format(time.DateTime))
			d.Done()
		}
	}
}

// expiry returns when the certificate of a Secret ends.
func expiry(e event.Event) (time.Time, error) {
	secret, err := informer.Decode[corev1.Secret](e.Object)
	if err != nil {
		return time.Time{}, err
	}
	block, _ := pem.Decode(secret.Data[corev1.TLSCertKey])
	if block == nil {
		return time.Time{}, errors.New("not a PEM block")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}, err
	}
	return certificate.NotAfter, nil
}

// Reads Kubernetes manifests from standard input and checks each pod against the restricted Pod Security Standard, with
// the rules of the API server's admission. Prints one line for each rule that a pod violates, and exits with 1 if there
// is one. Exits with 2 if there is no pod, or if a manifest cannot be read.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	sigs "sigs.k8s.io/yaml"
)

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		fail(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	pods, broken := 0, 0
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail(err)
		}
		name, pod, err := podOf(document)
		if err != nil {
			fail(err)
		}
		if pod == nil {
			continue
		}
		pods++
		for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
			if !result.Allowed {
				broken++
				fmt.Printf("%s: %s: %s\n", name, result.ForbiddenReason, result.ForbiddenDetail)
			}
		}
	}
	if pods == 0 {
		fail(errors.New("the manifests contain no pod"))
	}
	fmt.Printf("%d pods, %d rules broken\n", pods, broken)
	if broken > 0 {
		os.Exit(1)
	}
}

// Returns the pod template of a manifest, or nil for a kind without pods.
func podOf(document []byte) (string, *corev1.PodTemplateSpec, error) {
	var meta struct {
		metav1.TypeMeta
		Metadata metav1.ObjectMeta
	}
	if err := sigs.Unmarshal(document, &meta); err != nil {
		return "", nil, err
	}
	name := meta.Kind + "/" + meta.Metadata.Name
	read := func(into any) error { return sigs.UnmarshalStrict(document, into) }
	switch meta.Kind {
	case "Pod":
		var pod corev1.Pod
		err := read(&pod)
		return name, &corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}, err
	case "Deployment":
		var deployment appsv1.Deployment
		err := read(&deployment)
		return name, &deployment.Spec.Template, err
	case "StatefulSet":
		var set appsv1.StatefulSet
		err := read(&set)
		return name, &set.Spec.Template, err
	case "DaemonSet":
		var set appsv1.DaemonSet
		err := read(&set)
		return name, &set.Spec.Template, err
	case "Job":
		var job batchv1.Job
		err := read(&job)
		return name, &job.Spec.Template, err
	case "CronJob":
		var job batchv1.CronJob
		err := read(&job)
		return name, &job.Spec.JobTemplate.Spec.Template, err
	}
	return name, nil, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

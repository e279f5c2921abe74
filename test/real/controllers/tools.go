//go:build tools

package tools

import (
	_ "github.com/cert-manager/approver-policy/cmd"
	_ "github.com/cert-manager/trust-manager/cmd/trust-manager"
	_ "github.com/fluxcd/kustomize-controller"
	_ "github.com/kubernetes-sigs/kro/cmd/controller"
)

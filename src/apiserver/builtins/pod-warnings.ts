import type { Container, PodSpec } from './pod-object.ts';
import { parseQuantity } from './quantity.ts';

/** What is allowed in a pod but hardly meant, for `Warning:` headers. */
export function podWarnings(spec: PodSpec, path: string): string[] {
  const warnings = nodeSelectorWarnings(spec.nodeSelector ?? {}, path);
  for (const [index, { name = '' }] of (spec.imagePullSecrets ?? []).entries()) {
    if (name === '')
      warnings.push(`${path}.imagePullSecrets[${index}].name: invalid empty name ${JSON.stringify(name)}`);
  }
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      warnings.push(...containerWarnings(container, `${path}.${list}[${index}]`));
    }
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const words = 'must be >= 0; negative values are invalid and will be treated as 1';
    warnings.push(`${path}.terminationGracePeriodSeconds: ${words}`);
  }
  return warnings;
}

const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

function nodeSelectorWarnings(selector: Readonly<Record<string, string>>, path: string): string[] {
  return Object.keys(selector).flatMap((key) => {
    const words = Object.hasOwn(deprecatedNodeLabels, key) ? deprecatedNodeLabels[key] : undefined;
    return words === undefined ? [] : [`${path}.nodeSelector[${key}]: ${words}`];
  });
}

/** What to say of annotations of pods that no longer do anything. */
export function podAnnotationWarnings(annotations: Readonly<Record<string, string>>): string[] {
  return Object.keys(annotations)
    .filter((key) => key === seccompPod || key.startsWith(seccompContainer))
    .map((key) => `metadata.annotations[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`);
}

const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';

function containerWarnings({ resources = {}, env = [] }: Container, path: string): string[] {
  const warnings: string[] = [];
  for (const list of ['limits', 'requests'] as const) {
    for (const name of ['memory', 'ephemeral-storage']) {
      const amount = resources[list]?.[name];
      if (amount === undefined || isWhole(amount)) continue;
      const words = `fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`;
      warnings.push(`${path}.resources.${list}[${name}]: ${words}`);
    }
  }
  const names = new Set<string>();
  for (const [index, { name = '' }] of env.entries()) {
    if (names.has(name)) {
      const words = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
      warnings.push(`${path}.env[${index}]: ${words}`);
    }
    names.add(name);
  }
  return warnings;
}

function isWhole(amount: string): boolean {
  return (parseQuantity(amount)?.nanos ?? 0n) % 1_000_000_000n === 0n;
}

import { imageTag } from './image-tag.ts';
import type { Container, DownwardFile, Handler, PodSpec, Probe, Toleration, Volume } from './pod-object.ts';
import { parseQuantity, quantityText } from './quantity.ts';

const fileMode = 0o644;

/** Fills what a pod template leaves open. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.restartPolicy ??= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ??= 'default-scheduler';
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account !== undefined) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const container of allContainers(spec)) {
    defaultContainer(container);
    if (spec.hostNetwork === true) {
      for (const port of container.ports ?? []) port.hostPort ??= port.containerPort ?? 0;
    }
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

/** Fills what only a pod itself has, not a template: requests as large as the limits. */
export function defaultPod(spec: PodSpec): void {
  spec.enableServiceLinks ??= true;
  for (const { resources } of allContainers(spec)) {
    if (resources?.limits === undefined) continue;
    resources.requests = { ...resources.limits, ...resources.requests };
  }
}

function allContainers(spec: PodSpec): Container[] {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
}

function defaultContainer(container: Container): void {
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  container.imagePullPolicy ??= imageTag(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) defaultProbe(probe);
  }
  for (const hook of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (hook !== undefined) defaultHandler(hook);
  }
  for (const { valueFrom } of container.env ?? []) defaultFieldRef(valueFrom?.fieldRef);
  for (const amounts of [container.resources?.limits, container.resources?.requests]) roundAmounts(amounts ?? {});
}

/** No amount finer than a thousandth is kept. */
function roundAmounts(amounts: Record<string, string>): void {
  const milli = 1_000_000n;
  for (const [name, text] of Object.entries(amounts)) {
    const quantity = parseQuantity(text);
    if (quantity === undefined || quantity.nanos % milli === 0n) continue;
    amounts[name] = quantityText({ ...quantity, nanos: (quantity.nanos / milli + 1n) * milli });
  }
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  defaultHandler(probe);
}

function defaultHandler(handler: Handler): void {
  if (handler.httpGet !== undefined) {
    handler.httpGet.path ??= '/';
    handler.httpGet.scheme ??= 'HTTP';
  }
  if (handler.grpc !== undefined) handler.grpc.service ??= '';
}

function defaultFieldRef(ref: { apiVersion?: string } | undefined): void {
  if (ref !== undefined) ref.apiVersion ??= 'v1';
}

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source !== undefined) source.defaultMode ??= fileMode;
  }
  if (volume.hostPath !== undefined) volume.hostPath.type ??= '';
  const files: DownwardFile[] = [...(volume.downwardAPI?.items ?? [])];
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken !== undefined) source.serviceAccountToken.expirationSeconds ??= 3600;
    files.push(...(source.downwardAPI?.items ?? []));
  }
  for (const file of files) defaultFieldRef(file.fieldRef);
}

/** Restart rules of single containers are off; only those of sidecars are kept. */
export function dropUnservedFields(spec: PodSpec): void {
  for (const container of allContainers(spec)) delete container.restartPolicyRules;
  for (const container of spec.containers ?? []) delete container.restartPolicy;
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy !== 'Always') delete container.restartPolicy;
  }
}

/** Pods stay for five minutes on a node that stops answering, unless they say otherwise. */
export function addDefaultTolerations(spec: PodSpec): void {
  const tolerations: Toleration[] = spec.tolerations ?? [];
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    if (tolerations.some((t) => isFor(t, key))) continue;
    tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  spec.tolerations = tolerations;
}

function isFor(toleration: Toleration, key: string): boolean {
  const isKey = toleration.key === key || (toleration.key ?? '') === '';
  return isKey && (toleration.effect === 'NoExecute' || (toleration.effect ?? '') === '');
}

/** How hard the pod is protected when a node runs short: by whether its containers say what they need. */
export function qosClassOf(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const names = ['cpu', 'memory'];
  const amountOf = (amounts: Record<string, string> | undefined, name: string): bigint =>
    parseQuantity(amounts?.[name] ?? '0')?.nanos ?? 0n;
  let isAnySet = false;
  let isAllEqual = true;
  for (const { resources } of allContainers(spec)) {
    for (const name of names) {
      const limit = amountOf(resources?.limits, name);
      const request = amountOf(resources?.requests, name);
      if (limit > 0n || request > 0n) isAnySet = true;
      if (limit === 0n || limit !== request) isAllEqual = false;
    }
  }
  if (!isAnySet) return 'BestEffort';
  return isAllEqual ? 'Guaranteed' : 'Burstable';
}

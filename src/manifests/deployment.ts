import type { Component, OpenPort } from './component.ts';
import { labelsOf, selectorOf } from './labels.ts';
import type { MountedFile } from './mounted-files.ts';
import { Optional, type Template, tenant, value } from './template.ts';

/** Where a component runs, and whether for one tenant only. */
export interface Placement {
  readonly namespace: string;
  readonly isOfTenant: boolean;
}

/** The name of everything of a component in its namespace. */
export function nameOf({ name }: Pick<Component, 'name'>): string {
  return `rackwright-${name}`;
}

const filesFolder = '/etc/rackwright';
const certificateFolder = '/etc/rackwright/webhook-certificate';
/** Made by cert-manager, where that was chosen. */
export const webhookCertificate = 'rackwright-webhook-certificate';
const byCertManager = { equals: ['webhooks.certificates', 'cert-manager'] } as const;

/** The Deployment of a component. */
export function deploymentOf(component: Component, { namespace, isOfTenant }: Placement) {
  const labels = labelsOf(component.name);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: nameOf(component),
      namespace,
      labels,
      annotations: { 'rackwright.io/description': component.about },
    },
    spec: {
      replicas: value('replicas'),
      selector: { matchLabels: selectorOf(component.name) },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
      template: {
        metadata: { labels, annotations: { 'kubectl.kubernetes.io/default-container': component.name } },
        spec: podOf(component, isOfTenant),
      },
    },
  };
}

function podOf(component: Component, isOfTenant: boolean): Record<string, Template> {
  const isWebhooks = component.name === 'webhooks';
  return {
    serviceAccountName: nameOf(component),
    imagePullSecrets: new Optional({ is: 'imagePullSecrets' }, value('imagePullSecrets')),
    nodeSelector: new Optional({ is: 'nodeSelector' }, value('nodeSelector')),
    tolerations: new Optional({ is: 'tolerations' }, value('tolerations')),
    terminationGracePeriodSeconds: 30,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      fsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selectorOf(component.name) },
      },
    ],
    containers: [containerOf(component, isOfTenant)],
    volumes: [
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
      ...component.files.map(volumeOf),
      ...(isWebhooks
        ? [new Optional(byCertManager, { name: 'certificate', secret: { secretName: webhookCertificate } })]
        : []),
    ],
  };
}

function containerOf(component: Component, isOfTenant: boolean): Record<string, Template> {
  const isWebhooks = component.name === 'webhooks';
  const probe = (path: string) => ({
    httpGet: { path, port: component.port.name, scheme: 'HTTPS' },
    timeoutSeconds: 5,
  });
  return {
    name: component.name,
    image: `${value('image.repository')}:${value('image.tag')}`,
    imagePullPolicy: value('image.pullPolicy'),
    args: component.words,
    env: [
      { name: 'RACKWRIGHT_KUBECONFIG', value: 'in-cluster' },
      { name: 'RACKWRIGHT_INSTALLED', value: 'yes' },
      { name: 'RACKWRIGHT_HOST', value: '0.0.0.0' },
      { name: 'RACKWRIGHT_REST_PORT', value: String(component.port.number) },
      ...(component.port.isSelfCertified ? [{ name: 'RACKWRIGHT_TLS_SELF', value: 'yes' }] : []),
      { name: 'RACKWRIGHT_DATA_DIR', value: '/var/lib/rackwright' },
      { name: 'RACKWRIGHT_LOG_LEVEL', value: value('logLevel') },
      ...(isOfTenant ? [{ name: 'RACKWRIGHT_NAMESPACE', value: tenant }] : []),
      ...(isOfTenant && component.rights.ports !== undefined
        ? [new Optional({ equals: ['tenancy.model', 'limited'] }, { name: 'RACKWRIGHT_ALL_PORTS', value: 'yes' })]
        : []),
      ...component.env,
      ...component.files.flatMap(variablesOf),
      ...(isWebhooks
        ? [new Optional(byCertManager, { name: 'RACKWRIGHT_WEBHOOK_CERTIFICATE', value: certificateFolder })]
        : []),
    ],
    ports: [
      { name: component.port.name, containerPort: component.port.number, protocol: 'TCP' },
      ...component.openPorts.map((port) =>
        ifOpen(port, { name: port.name, containerPort: port.number, protocol: 'TCP' }),
      ),
    ],
    resources: value('resources'),
    startupProbe: { ...probe('/livez'), periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5, failureThreshold: 2 },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'data', mountPath: '/var/lib/rackwright' },
      { name: 'tmp', mountPath: '/tmp' },
      ...component.files.map(mountOf),
      ...(isWebhooks
        ? [new Optional(byCertManager, { name: 'certificate', mountPath: certificateFolder, readOnly: true })]
        : []),
    ],
  };
}

/** Only the pod's own user, by its group, reads what is in Secrets. */
const defaultMode = 0o440;

function volumeOf(file: MountedFile): Template {
  const { folder, path, kind, variables } = file;
  const items = Object.values(variables).map((key) => ({ key, path: key }));
  const source: Template =
    kind === 'secret'
      ? { secret: { secretName: value(path), items, defaultMode } }
      : { configMap: { name: value(path), items, defaultMode } };
  return ifMounted(file, { name: folder, ...source });
}

function mountOf(file: MountedFile): Template {
  const { folder } = file;
  return ifMounted(file, { name: folder, mountPath: `${filesFolder}/${folder}`, readOnly: true });
}

function variablesOf(file: MountedFile): Template[] {
  return Object.entries(file.variables).map(([name, key]) =>
    ifMounted(file, { name, value: `${filesFolder}/${file.folder}/${key}` }),
  );
}

function ifMounted({ path, when }: MountedFile, template: Template): Template {
  return new Optional(when === undefined ? { is: path } : { all: [when, { is: path }] }, template);
}

/** Something that is there where the port is. */
export function ifOpen({ when }: OpenPort, template: Template): Template {
  return when === undefined ? template : new Optional(when, template);
}

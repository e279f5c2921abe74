/** The ports and the folder of one control plane; all file names below are relative to the folder. */
export interface KubeLayout {
  readonly dataDir: string;
  readonly port: number;
  readonly etcdPort: number;
  readonly peerPort: number;
  readonly controllerPort: number;
  /** Whether every request is written down. */
  readonly hasAudit?: boolean;
}

/**
 * Admission plugins that belong to nodes, storage and pods that really run; the embedded server has no part in them,
 * so the comparison leaves them out on the real side too.
 */
const disabledAdmissionPlugins = [
  'ServiceAccount',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'TaintNodesByCondition',
  'Priority',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'PodSecurity',
  'DefaultIngressClass',
  'ClusterTrustBundleAttest',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
];

/** The controllers whose work a client of the API can see without any node: the embedded server does the same work. */
const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
];

/** How etcd is started: defaults for durability, so every write is synced. */
export function etcdArguments(layout: KubeLayout): string[] {
  const client = `http://127.0.0.1:${layout.etcdPort}`;
  const peer = `http://127.0.0.1:${layout.peerPort}`;
  return flags({
    name: 'n1',
    'data-dir': 'etcd',
    'log-level': 'warn',
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `n1=${peer}`,
    'quota-backend-bytes': '4294967296',
  });
}

/** How kube-apiserver is started: RBAC, static admin token, client certificates of the run's own authority. */
export function apiserverArguments(layout: KubeLayout): string[] {
  return flags({
    'etcd-servers': `http://127.0.0.1:${layout.etcdPort}`,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': String(layout.port),
    'endpoint-reconciler-type': 'none',
    'tls-cert-file': 'tls.crt',
    'tls-private-key-file': 'tls.key',
    'client-ca-file': 'ca.crt',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-signing-key-file': 'sa.key',
    'service-account-key-file': 'sa.crt',
    'service-cluster-ip-range': '10.0.0.0/24',
    'token-auth-file': 'tokens.csv',
    'authorization-mode': 'RBAC',
    'disable-admission-plugins': disabledAdmissionPlugins.join(','),
    profiling: 'false',
    ...(layout.hasAudit === true ? { 'audit-policy-file': 'audit-policy.yaml', 'audit-log-path': auditLog } : {}),
  });
}

/** Where requests are written down, relative to the folder. */
export const auditLog = 'audit.log';

/** How kube-controller-manager is started: only the controllers above and those asked for, no leader election. */
export function controllerManagerArguments(layout: KubeLayout, more: readonly string[] = []): string[] {
  return flags({
    kubeconfig: 'controllers.kubeconfig',
    'bind-address': '127.0.0.1',
    'secure-port': String(layout.controllerPort),
    'leader-elect': 'false',
    controllers: [...controllers, ...more].join(','),
    'root-ca-file': 'ca.crt',
    'service-account-private-key-file': 'sa.key',
    'kube-api-qps': '500',
    'kube-api-burst': '1000',
  });
}

function flags(values: Record<string, string>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { hasCondition, namespace, type ObjectAddress, valueAt } from './objects.ts';
import type { Scenario } from './scenario.ts';

const home = 'approver';
const requester = 'shop-keeper';
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** approver-policy approves requests for certificates: by policies, and by what the server says the requester may use. */
export const approverPolicy: Scenario = {
  name: 'approver-policy',
  async prepare({ objects, kubeconfig, ports }) {
    await objects.apply(namespace(home));
    const port = await ports(3);
    return {
      args: [
        ...['--kubeconfig', kubeconfig.path, '--leader-election-namespace', home],
        ...['--webhook-host', '127.0.0.1', '--webhook-port', String(port), '--webhook-ca-secret-namespace', home],
        ...['--readiness-probe-bind-address', `127.0.0.1:${port + 1}`],
        ...['--metrics-bind-address', `127.0.0.1:${port + 2}`],
      ],
    };
  },
  async work({ objects }, round) {
    const name = `round-${round}-policy`;
    const policy: ObjectAddress = {
      apiVersion: 'policy.cert-manager.io/v1alpha1',
      kind: 'CertificateRequestPolicy',
      name,
    };
    const rbac = 'rbac.authorization.k8s.io';
    const role = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', name };
    const request = (host: string): ObjectAddress => ({
      apiVersion: 'cert-manager.io/v1',
      kind: 'CertificateRequest',
      name: `round-${round}-${host}`,
      namespace: home,
    });
    const ask = async (host: string): Promise<void> =>
      objects.apply({
        apiVersion: 'cert-manager.io/v1',
        kind: 'CertificateRequest',
        metadata: { name: request(host).name, namespace: home },
        spec: {
          issuerRef: { name: 'issuer', kind: 'Issuer', group: 'cert-manager.io' },
          request: await signingRequest(`${host}.example.com`),
          usages: ['server auth'],
          // The webhook of cert-manager itself would write who made the request.
          ...{ username: requester, groups: ['system:authenticated'] },
        },
      });
    await objects.apply({
      apiVersion: policy.apiVersion,
      kind: policy.kind,
      metadata: { name },
      spec: {
        allowed: {
          dnsNames: {
            values: ['*.example.com'],
            validations: [{ rule: "!self.startsWith('forbidden')", message: 'not this one' }],
          },
          usages: ['server auth'],
        },
        selector: { issuerRef: { name: 'issuer' } },
      },
    });
    await objects.until(policy, (object) => hasCondition(object, 'Ready'));
    // Nobody may use the policy yet: it is approved when the right comes.
    await ask('shop');
    await objects.until(request('shop'), () => true);
    await objects.apply(
      {
        apiVersion: role.apiVersion,
        kind: role.kind,
        metadata: { name },
        rules: [
          {
            apiGroups: ['policy.cert-manager.io'],
            resources: ['certificaterequestpolicies'],
            resourceNames: [name],
            verbs: ['use'],
          },
        ],
      },
      {
        apiVersion: role.apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
        subjects: [{ apiGroup: rbac, kind: 'User', name: requester }],
      },
    );
    await objects.until(request('shop'), (object) => hasCondition(object, 'Approved'));
    await ask('forbidden');
    await objects.until(request('forbidden'), (object) => hasCondition(object, 'Denied'));
    await objects.merge(policy, { spec: { allowed: { dnsNames: { validations: [] } } } });
    await objects.until(
      policy,
      (object) => hasCondition(object, 'Ready') && valueAt(object, 'metadata.generation') === 2,
    );
    const all = [policy, role, { ...role, kind: 'ClusterRoleBinding' }, request('shop'), request('forbidden')];
    await objects.delete(...all);
    await objects.untilGone(...all);
  },
};

/** A request for a certificate of a host, as cert-manager takes it: PEM in base64. */
async function signingRequest(host: string): Promise<string> {
  x509.cryptoProvider.set(webcrypto as never);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    keys: await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
  });
  return Buffer.from(`${made.toString('pem')}\n`).toString('base64');
}

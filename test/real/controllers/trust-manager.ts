import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificateAuthority } from '../certificate-authority.ts';
import { hasCondition, namespace, type ObjectAddress, valueAt } from './objects.ts';
import type { Scenario } from './scenario.ts';

const home = 'trust';
const key = 'bundle.pem';

/** trust-manager joins certificates and writes them into every namespace that matches, and follows both. */
export const trustManager: Scenario = {
  name: 'trust-manager',
  async prepare({ objects, authority, folder, kubeconfig, ports }) {
    await objects.apply(namespace(home));
    const certificates = join(folder, 'webhook');
    const { certPem, keyPem } = await authority.issueServer('trust-manager');
    mkdirSync(certificates, { mode: 0o700 });
    writeFileSync(join(certificates, 'tls.crt'), certPem);
    writeFileSync(join(certificates, 'tls.key'), keyPem, { mode: 0o600 });
    const port = await ports(3);
    return {
      args: [
        ...['--kubeconfig', kubeconfig.path, '--trust-namespace', home, '--secret-targets-enabled'],
        // It would lead from the namespace of its pod only.
        '--leader-elect=false',
        ...['--webhook-host', '127.0.0.1', '--webhook-port', String(port), '--webhook-certificate-dir', certificates],
        ...['--readiness-probe-port', String(port + 1), '--metrics-port', String(port + 2)],
      ],
    };
  },
  async work({ objects, authority }, round) {
    const name = `round-${round}-roots`;
    const team = `round-${round}-team`;
    const labels = { team };
    const bundle: ObjectAddress = { apiVersion: 'trust.cert-manager.io/v1alpha1', kind: 'Bundle', name };
    const source: ObjectAddress = { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: home };
    const target = (number: number): ObjectAddress => ({ ...source, namespace: `${team}-${number}` });
    const pemAt = (object: unknown) => (valueAt(object, 'data') as Record<string, string> | undefined)?.[key] ?? '';
    const countIn = (object: unknown) => pemAt(object).split('BEGIN CERTIFICATE').length - 1;
    const secret = (number: number): ObjectAddress => ({ ...target(number), kind: 'Secret' });
    const hasPem = (object: unknown) => pemAt(object) !== '';
    const other = await createCertificateAuthority('other');
    const third = await createCertificateAuthority('third');
    await objects.apply(
      namespace(`${team}-1`, labels),
      namespace(`${team}-2`, labels),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: home }, data: { [key]: authority.certPem } },
      {
        apiVersion: bundle.apiVersion,
        kind: bundle.kind,
        metadata: { name },
        spec: {
          sources: [{ configMap: { name, key } }, { inLine: other.certPem }],
          target: { configMap: { key }, secret: { key }, namespaceSelector: { matchLabels: labels } },
        },
      },
    );
    await objects.until(bundle, (object) => hasCondition(object, 'Synced'));
    await objects.until(target(1), (object) => countIn(object) === 2);
    await objects.until(secret(1), hasPem);
    await objects.until(secret(2), hasPem);
    await objects.merge(source, { data: { [key]: `${authority.certPem}${third.certPem}` } });
    await objects.until(target(2), (object) => countIn(object) === 3);
    await objects.apply(namespace(`${team}-3`, labels));
    await objects.until(target(3), (object) => countIn(object) === 3);
    await objects.until(secret(3), hasPem);
    await objects.delete(target(1));
    await objects.until(target(1), (object) => countIn(object) === 3);
    await objects.merge(bundle, { spec: { target: { secret: null } } });
    await objects.untilGone(secret(1), secret(2), secret(3));
    await objects.delete(bundle);
    await objects.untilGone(bundle, target(1), target(2), target(3));
    // Its namespaces stay: it may write once more into one, which is refused while that goes.
    await objects.delete(source);
  },
};

import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { CertifiedKey } from '../kube/index.ts';
import { createCertificateAuthority, issueServerCertificate, makeDirectory, readCertificate } from '../kube/index.ts';
import { writeWhole } from './store/durable-file.ts';

/** What a data directory holds besides the database: who the server is and who its first administrator is. */
export interface ServerIdentity {
  readonly authority: CertifiedKey;
  readonly server: CertifiedKey;
  /** The administrator's bearer token. */
  readonly adminToken: string;
}

const renewBeforeMs = 30 * 86_400_000;

/** Reads the server's identity from its data directory, making what is missing or about to expire. */
export async function loadIdentity(dataDir: string, names: { host: string; now: Date }): Promise<ServerIdentity> {
  const pki = join(dataDir, 'pki');
  makeDirectory(pki, { mode: 0o700 });
  const { now } = names;
  const authority =
    readPair(join(pki, 'ca')) ??
    writePair(join(pki, 'ca'), await createCertificateAuthority({ commonName: 'rackwright', now }));
  return {
    authority,
    server: await serverPair(pki, authority, names),
    adminToken: adminToken(join(dataDir, 'admin-token')),
  };
}

async function serverPair(
  pki: string,
  authority: CertifiedKey,
  names: { host: string; now: Date },
): Promise<CertifiedKey> {
  const known = readPair(join(pki, 'server'));
  if (known !== undefined && isUsable(known, names)) return known;
  const { dns, ips } = certifiedNames(names.host);
  const issued = await issueServerCertificate(authority, {
    now: names.now,
    commonName: 'rackwright-apiserver',
    dns,
    ips,
  });
  return writePair(join(pki, 'server'), issued);
}

/** Names a client may reach the server by. A server that listens everywhere is reached by every address it has. */
function certifiedNames(host: string): { dns: string[]; ips: string[] } {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  const own = isEverywhere ? [hostname(), ...addresses.filter((address) => !address.includes('%'))] : [host];
  const names = [
    ...new Set(['127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', ...own]),
  ];
  return { dns: names.filter((name) => isIP(name) === 0), ips: names.filter((name) => isIP(name) !== 0) };
}

/** A certificate that ends soon, or that does not know a name the server has now, is replaced. */
function isUsable(pair: CertifiedKey, { host, now }: { host: string; now: Date }): boolean {
  if (readCertificate(pair.certificatePem).notAfter.getTime() - now.getTime() <= renewBeforeMs) return false;
  const certificate = new X509Certificate(pair.certificatePem);
  const { dns, ips } = certifiedNames(host);
  return (
    dns.every((name) => certificate.checkHost(name) !== undefined) &&
    ips.every((ip) => certificate.checkIP(ip) !== undefined)
  );
}

function readPair(base: string): CertifiedKey | undefined {
  const certificatePem = readIfThere(`${base}.crt`);
  const privateKeyPem = readIfThere(`${base}.key`);
  if (certificatePem === undefined || privateKeyPem === undefined) return undefined;
  // A process that died between writing the two leaves a key and a certificate of different making.
  const isPair = new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(privateKeyPem));
  return isPair ? { certificatePem, privateKeyPem } : undefined;
}

function writePair(base: string, pair: CertifiedKey): CertifiedKey {
  writeWhole(`${base}.key`, pair.privateKeyPem, { mode: 0o600 });
  writeWhole(`${base}.crt`, pair.certificatePem, { mode: 0o644 });
  return pair;
}

function adminToken(file: string): string {
  const known = readIfThere(file)?.trim();
  if (known !== undefined && known !== '') return known;
  const token = randomBytes(24).toString('base64url');
  writeWhole(file, `${token}\n`, { mode: 0o600 });
  return token;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A kubeconfig for the administrator. */
export function kubeconfigOf(identity: ServerIdentity, url: string): string {
  const ca = Buffer.from(identity.authority.certificatePem).toString('base64');
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: rackwright',
    `  cluster: {server: "${url}", certificate-authority-data: ${ca}}`,
    'users:',
    '- name: admin',
    `  user: {token: ${identity.adminToken}}`,
    'contexts:',
    '- name: rackwright',
    '  context: {cluster: rackwright, user: admin, namespace: default}',
    'current-context: rackwright',
    '',
  ].join('\n');
}

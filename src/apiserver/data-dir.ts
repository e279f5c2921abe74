import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertifiedKey } from '../kube/index.ts';
import { createCertificateAuthority, issueServerCertificate, readCertificate } from '../kube/index.ts';

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
  mkdirSync(pki, { recursive: true, mode: 0o700 });
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
  const ips = [...new Set(['127.0.0.1', '::1', ...(/^[\d.]+$|:/.test(names.host) ? [names.host] : [])])];
  const dns = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    ...(ips.includes(names.host) ? [] : [names.host]),
  ];
  const issued = await issueServerCertificate(authority, {
    now: names.now,
    commonName: 'rackwright-apiserver',
    dns,
    ips,
  });
  return writePair(join(pki, 'server'), issued);
}

function isUsable(pair: CertifiedKey, names: { host: string; now: Date }): boolean {
  const summary = readCertificate(pair.certificatePem);
  return summary.notAfter.getTime() - names.now.getTime() > renewBeforeMs;
}

function readPair(base: string): CertifiedKey | undefined {
  const certificatePem = readIfThere(`${base}.crt`);
  const privateKeyPem = readIfThere(`${base}.key`);
  return certificatePem === undefined || privateKeyPem === undefined ? undefined : { certificatePem, privateKeyPem };
}

function writePair(base: string, pair: CertifiedKey): CertifiedKey {
  writeFileSync(`${base}.key`, pair.privateKeyPem, { mode: 0o600 });
  writeFileSync(`${base}.crt`, pair.certificatePem);
  return pair;
}

function adminToken(file: string): string {
  const known = readIfThere(file)?.trim();
  if (known !== undefined && known !== '') return known;
  const token = randomBytes(24).toString('base64url');
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
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

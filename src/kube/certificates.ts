import { createPrivateKey, KeyObject, X509Certificate as NodeCertificate, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
// Has to come first: the X.509 library resolves its parts through decorators.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { CertifiedKey } from './pem.ts';

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' };
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
const dayMs = 86_400_000;
/** Certificates count as valid a little before they were made, for peers whose clock is behind. */
const backdateMs = 5 * 60_000;

/** What an authority is named and how long it lasts. */
export interface AuthorityOptions {
  readonly commonName: string;
  readonly now: Date;
  /** 10 years unless given. */
  readonly validForMs?: number;
}

/** How long an issued certificate lasts. */
export interface IssueOptions {
  readonly now: Date;
  /** One year unless given; never past the end of the authority. */
  readonly validForMs?: number;
}

/** Makes a new certificate authority: a P-256 key and a self-signed certificate. */
export async function createCertificateAuthority(options: AuthorityOptions): Promise<CertifiedKey> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: randomSerial(),
      name: subjectName(options.commonName),
      notBefore: new Date(options.now.getTime() - backdateMs),
      notAfter: new Date(options.now.getTime() + (options.validForMs ?? 3650 * dayMs)),
      signingAlgorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificatePem: toPem(certificate), privateKeyPem: await exportKey(keys.privateKey) };
}

/** Issues a certificate for a TLS server that is reached by the given names and addresses. */
export function issueServerCertificate(
  authority: CertifiedKey,
  options: IssueOptions & {
    readonly dns?: readonly string[];
    readonly ips?: readonly string[];
    readonly commonName?: string;
  },
): Promise<CertifiedKey> {
  const dns = options.dns ?? [];
  const ips = options.ips ?? [];
  const wrong = ips.find((ip) => isIP(ip) === 0);
  if (wrong !== undefined) throw new TypeError(`"${wrong}" is not an IP address`);
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...ips.map((value) => ({ type: 'ip' as const, value })),
  ];
  if (names.length === 0) throw new TypeError('a server certificate needs at least one DNS name or IP address');
  return issue(authority, options, {
    subject: subjectName(options.commonName ?? names[0]?.value ?? 'server'),
    usage: x509.ExtendedKeyUsage.serverAuth,
    extensions: [new x509.SubjectAlternativeNameExtension(names)],
  });
}

/** Issues a client certificate: Kubernetes reads the user from the common name and the groups from the organizations. */
export function issueClientCertificate(
  authority: CertifiedKey,
  options: IssueOptions & { readonly commonName: string; readonly organizations?: readonly string[] },
): Promise<CertifiedKey> {
  return issue(authority, options, {
    subject: subjectName(options.commonName, options.organizations),
    usage: x509.ExtendedKeyUsage.clientAuth,
    extensions: [],
  });
}

interface Issued {
  readonly subject: x509.Name;
  readonly usage: x509.ExtendedKeyUsage;
  readonly extensions: x509.Extension[];
}

async function issue(authority: CertifiedKey, options: IssueOptions, issued: Issued): Promise<CertifiedKey> {
  const issuer = new x509.X509Certificate(authority.certificatePem);
  const keys = await generateKeys();
  const wanted = options.now.getTime() + (options.validForMs ?? 365 * dayMs);
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: randomSerial(),
      subject: issued.subject,
      issuer: issuer.subjectName,
      notBefore: new Date(options.now.getTime() - backdateMs),
      notAfter: new Date(Math.min(wanted, issuer.notAfter.getTime())),
      signingAlgorithm,
      publicKey: keys.publicKey,
      signingKey: await importKey(authority.privateKeyPem),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([issued.usage]),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, webcrypto),
        ...issued.extensions,
      ],
    },
    webcrypto,
  );
  return { certificatePem: toPem(certificate), privateKeyPem: await exportKey(keys.privateKey) };
}

/** What others need to know about a certificate, read from its PEM. */
export interface CertificateSummary {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SHA-256 of the certificate in hex. */
  readonly fingerprint: string;
}

/** Reads the first certificate of a PEM text. */
export function readCertificate(pem: string): CertificateSummary {
  const parsed = new x509.X509Certificate(pem);
  const node = new NodeCertificate(Buffer.from(parsed.rawData));
  return {
    commonName: parsed.subjectName.getField('CN')[0] ?? '',
    organizations: parsed.subjectName.getField('O'),
    notBefore: parsed.notBefore,
    notAfter: parsed.notAfter,
    fingerprint: node.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

/** True when the authority signed the certificate and both are valid at that time. */
export function isIssuedBy(certificatePem: string, authorityPem: string, now: Date): boolean {
  const certificate = new NodeCertificate(certificatePem);
  const authority = new NodeCertificate(authorityPem);
  const valid = [certificate, authority].every((c) => c.validFromDate <= now && now < c.validToDate);
  return valid && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Takes PKCS#8 and SEC1 keys, so that an authority made by other tools can be used. */
async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', new Uint8Array(der), keyAlgorithm, false, ['sign']);
}

/** Plain strings would be read as quoted and escaped text, so that one name could be taken for another. */
function subjectName(commonName: string, organizations: readonly string[] = []): x509.Name {
  return new x509.Name([
    ...organizations.map((utf8String) => ({ O: [{ utf8String }] })),
    { CN: [{ utf8String: commonName }] },
  ]);
}

function toPem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

function randomSerial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  // A serial number is a positive integer: no sign bit, no leading zero byte.
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

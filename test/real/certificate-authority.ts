import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its private key, both PEM. */
export interface CertificatePair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Who a certificate speaks for; groups become organisations, as Kubernetes reads them. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly groups?: readonly string[];
}

/** A throw-away certificate authority for one test run. */
export interface CertificateAuthority {
  readonly certPem: string;
  readonly keyPem: string;
  /** A serving certificate for loopback. */
  issueServer(commonName: string): Promise<CertificatePair>;
  /** A client certificate. */
  issueClient(subject: CertificateSubject): Promise<CertificatePair>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

type KeyPair = Awaited<ReturnType<typeof newKeys>>;

/** Makes a new authority, valid from yesterday for ten days. */
export async function createCertificateAuthority(commonName: string): Promise<CertificateAuthority> {
  x509.cryptoProvider.set(webcrypto as never);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    serialNumber: serialNumber(),
    name: `CN=${commonName}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const issuer = { name: certificate.subject, key: keys.privateKey };
  return {
    certPem: pem(certificate),
    keyPem: await privateKeyPem(keys),
    issueServer: (name) => issue(issuer, { subject: [{ CN: [name] }], usage: x509.ExtendedKeyUsage.serverAuth }),
    issueClient: ({ commonName: cn, groups = [] }) =>
      issue(issuer, {
        subject: [...groups.map((group) => ({ O: [group] })), { CN: [cn] }],
        usage: x509.ExtendedKeyUsage.clientAuth,
      }),
  };
}

async function issue(
  issuer: { name: string; key: KeyPair['privateKey'] },
  wanted: { subject: x509.JsonName; usage: x509.ExtendedKeyUsage },
): Promise<CertificatePair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(),
    serialNumber: serialNumber(),
    subject: wanted.subject,
    issuer: issuer.name,
    signingKey: issuer.key,
    publicKey: keys.publicKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.ExtendedKeyUsageExtension([wanted.usage]),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
        { type: 'dns', value: 'kubernetes.default.svc' },
      ]),
    ],
  });
  return { certPem: pem(certificate), keyPem: await privateKeyPem(keys) };
}

async function newKeys() {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 10 * dayMs) };
}

function serialNumber(): string {
  // The first byte stays below 0x80 so that the DER integer is positive.
  return `01${Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex')}`;
}

function pem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function privateKeyPem(keys: KeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`;
}

/** A certificate and its private key, both PEM. The key is a secret. */
export interface CertifiedKey {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** Puts several PEM certificates into one bundle, each once. */
export function bundleCertificates(pems: readonly string[]): string {
  const unique = new Set(pems.flatMap(splitCertificates));
  return [...unique].map((pem) => `${pem}\n`).join('');
}

/** Takes a PEM bundle apart. */
export function splitCertificates(bundle: string): string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}

import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/** How the other end proves itself; the gate's TlsTrust, as far as TLS is concerned. */
export type Trust = (
  | { readonly kind: 'system' }
  | { readonly kind: 'ca'; readonly caPem: string }
  | { readonly kind: 'fingerprint'; readonly sha256: string }
  | { readonly kind: 'insecure' }
) & { readonly allowsHttp?: boolean };

/** TLS contexts by trust. One with the system's roots takes megabytes, so all BMCs of one trust share one. */
export interface TrustStore {
  contextOf(trust: Trust): SecureContext;
}

const maxBundles = 64;

/**
 * The key exchanges that are offered. OpenSSL would also send a post-quantum key: with it the first message takes two
 * packets, which firmware of many BMCs does not understand, and its key costs more than all else in a handshake.
 */
const groups = { ecdhCurve: 'X25519:P-256:P-384:P-521' };

/** Makes a store of TLS contexts. */
export function createTrustStore(): TrustStore {
  let system: SecureContext | undefined;
  let bare: SecureContext | undefined;
  const bundles = new Map<string, SecureContext>();

  const bundle = (caPem: string): SecureContext => {
    const known = bundles.get(caPem);
    if (known !== undefined) return known;
    const made = createSecureContext({ ...groups, ca: caPem });
    const [oldest] = bundles.keys();
    if (bundles.size >= maxBundles && oldest !== undefined) bundles.delete(oldest);
    bundles.set(caPem, made);
    return made;
  };

  return {
    contextOf(trust) {
      if (trust.kind === 'ca') return bundle(trust.caPem);
      if (trust.kind === 'system') {
        system ??= createSecureContext({ ...groups, ca: systemRoots() });
        return system;
      }
      bare ??= createSecureContext({ ...groups, ca: [] });
      return bare;
    },
  };
}

function systemRoots(): string[] {
  return [...getCACertificates('default'), ...getCACertificates('system')];
}

/** A fingerprint as 64 small hex digits, or undefined when it is none. */
export function plainFingerprint(text: string): string | undefined {
  const plain = text
    .trim()
    .replace(/^sha-?256[:=/ ]/i, '')
    .replaceAll(/[:\s]/g, '')
    .toLowerCase();
  return /^[0-9a-f]{64}$/.test(plain) ? plain : undefined;
}

import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Clock, createCertificateAuthority, issueServerCertificate } from '../../src/kube/index.ts';
import type { Machine } from '../machine/machine.ts';

/**
 * Contexts kept ready, about 30 KiB each; those of BMCs that were not asked for longest are made anew from their keys when
 * needed, and then know no TLS session of before. More than a busy client has in hand at once: in turn, with fewer, each
 * would be thrown away just before it is needed.
 */
const defaultMostContexts = 1024;

/** A BMC's certificate with its key. */
type Pair = Awaited<ReturnType<typeof issueServerCertificate>>;

interface Shown {
  readonly generation: number;
  readonly pair: Promise<Pair>;
}

/** Keys and certificates of all BMCs of a data centre, made when first needed. */
export interface Certificates {
  /** The authority that signs them all. */
  readonly caPem: string;
  /** What a BMC shows now; another one once its certificate has changed. */
  contextOf(machine: Machine, address: string): Promise<SecureContext>;
  /** SHA-256 of that certificate: `AB:CD:...`. */
  fingerprintOf(machine: Machine, address: string): Promise<string>;
}

/** Makes the authority. The clock is the real one: clients check certificates by theirs. */
export async function createCertificates(
  clock: Clock,
  { mostContexts = defaultMostContexts }: { readonly mostContexts?: number } = {},
): Promise<Certificates> {
  const authority = await createCertificateAuthority({
    commonName: 'Simulated data centre',
    now: new Date(clock.now()),
  });
  const shown = new WeakMap<Machine, Shown>();
  const contexts = new Map<Machine, { generation: number; context: SecureContext }>();

  const pairOf = (machine: Machine, address: string): Shown => {
    const generation = machine.manager.certificateGeneration;
    const known = shown.get(machine);
    if (known?.generation === generation) return known;
    const now = new Date(clock.now());
    const pair = issueServerCertificate(authority, {
      now,
      ips: [address],
      dns: [machine.name],
      commonName: machine.name,
    });
    const fresh = { generation, pair };
    shown.set(machine, fresh);
    return fresh;
  };

  return {
    caPem: authority.certificatePem,
    async contextOf(machine, address) {
      const { generation, pair } = pairOf(machine, address);
      const known = contexts.get(machine);
      const { certificatePem, privateKeyPem } = await pair;
      const context =
        known?.generation === generation
          ? known.context
          : createSecureContext({ cert: certificatePem, key: privateKeyPem, minVersion: 'TLSv1.2' });
      contexts.delete(machine);
      contexts.set(machine, { generation, context });
      for (const [oldest] of contexts) {
        if (contexts.size <= mostContexts) break;
        contexts.delete(oldest);
      }
      return context;
    },
    async fingerprintOf(machine, address) {
      const { certificatePem } = await pairOf(machine, address).pair;
      return new X509Certificate(certificatePem).fingerprint256;
    },
  };
}

import { join } from 'node:path';
import { type CertifiedKey, type Clock, type RotatingCertificates, sleep } from '../../kube/index.ts';
import { readOptionFile } from '../read-option-file.ts';

/** A certificate that somebody else renews in a folder, and who is told of it. */
export interface CertificateFolder {
  readonly folder: string;
  readonly publish: (caBundlePem: string) => Promise<void>;
  readonly serve: (certificate: CertifiedKey) => Promise<void>;
  readonly clock: Clock;
}

const lookEveryMs = 30_000;

/** Serves with what a folder holds, and tells everyone who checks what to trust. */
export function followCertificateFolder({ folder, publish, serve, clock }: CertificateFolder): RotatingCertificates {
  let served: string | undefined;
  const tick = async (): Promise<void> => {
    const certificatePem = read(folder, 'tls.crt');
    if (certificatePem !== served) {
      await serve({ certificatePem, privateKeyPem: read(folder, 'tls.key') });
      served = certificatePem;
    }
    await publish(read(folder, 'ca.crt'));
  };
  return {
    tick,
    async run(signal) {
      while (!signal.aborted) {
        await sleep(clock, lookEveryMs, signal);
        // Written in this moment, or the API server is away: the next look will do.
        if (!signal.aborted) await tick().catch(() => undefined);
      }
    },
  };
}

function read(folder: string, name: string): string {
  return readOptionFile(join(folder, name), '--webhook-certificate');
}

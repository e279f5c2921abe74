import {
  type CertifiedKey,
  type Clock,
  createCertificateAuthority,
  issueServerCertificate,
  systemClock,
} from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { usageError } from '../errors.ts';
import { readOptionFile } from '../read-option-file.ts';
import type { Settings } from '../settings.ts';
import type { ServedRest } from './work-plane.ts';

/** Where the certificate is. */
export type CertificateSettings = Settings<'tlsCert' | 'tlsKey'>;

/** The certificate to serve with; undefined for none. */
export function readCertificate({ tlsCert, tlsKey }: CertificateSettings): CertifiedKey | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw usageError('--tls-cert and --tls-key go together');
  return { certificatePem: readOptionFile(tlsCert, '--tls-cert'), privateKeyPem: readOptionFile(tlsKey, '--tls-key') };
}

/** Far longer than a process lives. */
const selfCertifiedMs = 10 * 365 * 86_400_000;

/** A certificate that nobody can check: what passes is not read by others, and that is all. */
export async function selfCertified(): Promise<CertifiedKey> {
  const now = new Date(systemClock.now());
  const authority = await createCertificateAuthority({ commonName: 'rackwright', now, validForMs: selfCertifiedMs });
  return issueServerCertificate(authority, { dns: ['localhost'], now, validForMs: selfCertifiedMs });
}

const lookEveryMs = 60_000;

/** What following a certificate needs. */
export interface FollowedCertificate {
  readonly settings: CertificateSettings;
  readonly rest: Pick<ServedRest, 'setCertificate'>;
  readonly logger: Logger;
  readonly clock?: Clock;
}

/** Looks whether the files changed, and serves with what they hold then; gives what ends it. */
export function followCertificate({ settings, rest, logger, clock = systemClock }: FollowedCertificate): () => void {
  let served = readCertificate(settings);
  if (served === undefined) return () => undefined;
  const look = (): void => {
    timer = clock.after(lookEveryMs, look);
    try {
      const found = readCertificate(settings);
      if (found === undefined || found.certificatePem === served?.certificatePem) return;
      rest.setCertificate(found);
      served = found;
      logger.info('another certificate is served from now on');
    } catch (error) {
      // Written in this moment, or wrong: the one that is served stays.
      logger.warn('the certificate could not be read again', { error });
    }
  };
  let timer = clock.after(lookEveryMs, look);
  return () => timer.cancel();
}

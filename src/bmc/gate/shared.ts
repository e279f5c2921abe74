import { createHash } from 'node:crypto';
import type { Clock, Random } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { TrustStore } from '../http/trust.ts';
import type { CredentialMark } from './breaker.ts';
import type { GateMetrics } from './gate-metrics.ts';
import type { GateSettings } from './settings.ts';

/** What all gates of a process share. */
export interface Shared {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: GateMetrics;
  readonly settings: GateSettings;
  readonly trustStore: TrustStore;
  /** Makes digests of credentials worthless outside of this process. */
  readonly salt: Buffer;
  /** Gates whose credentials are refused. */
  readonly stopped: Set<string>;
}

/** A log-in name and password. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Tells whether credentials changed, without keeping them. */
export function markOf({ username, password }: Credentials, salt: Buffer): CredentialMark {
  const hash = createHash('sha256').update(salt).update(username).update('\0').update(password);
  return { username, digest: hash.digest('base64') };
}

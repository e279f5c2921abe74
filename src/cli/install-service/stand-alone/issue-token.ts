import { SignJWT } from 'jose';
import { type Clock, systemClock } from '../../../kube/index.ts';
import { usageError } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import { readSecretFile } from '../secret-url.ts';
import type { issueTokenSettings } from './setting-names.ts';

/** A token to be made. */
export interface TokenOrder {
  readonly settings: Settings<(typeof issueTokenSettings)[number]>;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly validForMs: number;
}

/** Makes a token with the key that services share, and prints it. */
export async function issueToken(order: TokenOrder, terminal: Terminal, clock: Clock = systemClock): Promise<void> {
  const { jwtKeyFile, jwtIssuer, jwtAudience } = order.settings;
  if (jwtKeyFile === undefined) throw usageError('--jwt-key-file is missing: the key that the services share');
  if (jwtIssuer === undefined) throw usageError('--jwt-issuer is missing: as the services were told it');
  const key = new TextEncoder().encode(readSecretFile(jwtKeyFile, '--jwt-key-file'));
  const now = Math.floor(clock.now() / 1000);
  const token = await new SignJWT({ scope: order.scopes.join(' ') })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(jwtIssuer)
    .setAudience(jwtAudience)
    .setSubject(order.subject)
    .setIssuedAt(now)
    .setExpirationTime(now + Math.floor(order.validForMs / 1000))
    .sign(key);
  terminal.out(`${token}\n`);
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Makes tokens of machines that can be told from others before anything is read of a machine. */
export interface TokenSeal {
  /** A new token for that machine, that nobody can guess. */
  newToken(machine: string): string;
  /** Whether a token was ever made for that machine; takes as long whichever part of it is wrong. */
  isOf(machine: string, token: string): boolean;
}

const secretBytes = 32;
const sealBytes = 16;

/**
 * Makes tokens with a seal that names the machine. The seal keeps strangers from having the store asked; whether a token
 * is the one that the machine has now is said by its digest there.
 */
export function createTokenSeal(key: string): TokenSeal {
  const sealOf = (machine: string, secret: string): Buffer =>
    createHmac('sha256', key).update(`${machine}\n${secret}`).digest().subarray(0, sealBytes);
  return {
    newToken(machine) {
      const secret = randomBytes(secretBytes).toString('base64url');
      return `${secret}.${sealOf(machine, secret).toString('base64url')}`;
    },
    isOf(machine, token) {
      const [secret = '', seal = ''] = token.split('.');
      const wanted = sealOf(machine, secret);
      const seen = Buffer.alloc(sealBytes);
      const given = Buffer.from(seal, 'base64url');
      given.copy(seen);
      return timingSafeEqual(wanted, seen) && given.length === sealBytes;
    },
  };
}

/** A new key for seals. */
export function newSealKey(): string {
  return randomBytes(secretBytes).toString('base64url');
}

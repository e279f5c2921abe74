import { createHmac, timingSafeEqual } from 'node:crypto';
import { UpdateError } from '../errors.ts';

/** How a job proves that it is the one that was launched: its id and the token it was given. */
export interface JobProof {
  readonly jobId: string;
  readonly token: string;
}

/** A lease as its holder names it. */
export interface HeldLease {
  readonly conditionId: string;
  readonly token: number;
}

/** Gives and checks tokens of jobs. */
export interface JobTokens {
  /** The token of a job under one lease; the same each time it is asked for. */
  issue(lease: HeldLease): string;
  /** The lease that a job was launched under, held or not. Throws `badProof`. */
  verify(proof: JobProof): HeldLease;
}

const form = /^(\d{1,15})\.([A-Za-z0-9_-]{43})$/;

/**
 * Makes tokens with a key. A token names the lease it was given under and is signed: fencing tokens alone are small
 * numbers that anybody could guess. Nothing is stored for it, so that it holds after a restart too.
 */
export function createJobTokens(key: Buffer): JobTokens {
  const sign = ({ conditionId, token }: HeldLease): Buffer =>
    createHmac('sha256', key).update(`job\n${conditionId}\n${token}`).digest();
  return {
    issue: (lease) => `${lease.token}.${sign(lease).toString('base64url')}`,
    verify({ jobId, token }) {
      const [, fencing = '', signature = ''] = form.exec(token) ?? [];
      const lease = { conditionId: jobId, token: Number(fencing) };
      const given = Buffer.from(signature, 'base64url');
      const wanted = sign(lease);
      const isGood = fencing !== '' && given.length === wanted.length && timingSafeEqual(given, wanted);
      if (!isGood) throw new UpdateError('badProof', { job: JSON.stringify(jobId.slice(0, 80)) });
      return lease;
    },
  };
}

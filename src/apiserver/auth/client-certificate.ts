import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { UserInfo } from '../resource.ts';
import { withAuthenticated } from './static-tokens.ts';

/** What a connection's client certificate proves. */
export type CertificateVerdict = { readonly user: UserInfo; readonly notAfterMs: number } | 'none' | 'untrusted';

/** Reads client certificates once per connection. */
export class ClientCertificates {
  readonly #verdicts = new WeakMap<object, CertificateVerdict>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Who the certificate of the request's connection belongs to. */
  verdictOf(request: Pick<IncomingMessage, 'socket'>): CertificateVerdict {
    const { socket } = request;
    const known = this.#verdicts.get(socket);
    const verdict = known ?? judge(socket as TLSSocket);
    if (known === undefined) this.#verdicts.set(socket, verdict);
    // A connection may outlive the certificate it was opened with.
    if (typeof verdict === 'object' && this.#now().getTime() > verdict.notAfterMs) return 'untrusted';
    return verdict;
  }
}

function judge(socket: Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>): CertificateVerdict {
  if (typeof socket.getPeerCertificate !== 'function') return 'none';
  const certificate: Partial<PeerCertificate> | null = socket.getPeerCertificate();
  if (certificate === null || certificate.subject === undefined) return 'none';
  // The common name is the user; a certificate without one names nobody.
  const username = textOf(certificate.subject.CN)[0] ?? '';
  if (!socket.authorized || username === '') return 'untrusted';
  const groups = textOf(certificate.subject.O);
  const notAfterMs = Date.parse(certificate.valid_to ?? '');
  return { user: { username, groups: withAuthenticated(groups) }, notAfterMs };
}

/** A part of a name that occurs several times is a list. */
function textOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

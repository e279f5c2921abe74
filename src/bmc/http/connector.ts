import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Clock } from '../../kube/index.ts';
import { HttpFailure, toHttpFailure } from './http-failure.ts';
import { plainFingerprint, type Trust, type TrustStore } from './trust.ts';

/** Where to connect, and what must be shown there. */
export interface ConnectorOptions {
  /** Without brackets, with zone: `fe80::1%eth0`. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly trust: Trust;
  readonly trustStore: TrustStore;
  readonly clock: Clock;
  readonly connectMs: number;
}

/**
 * Opens connections. Where a BMC closes them after each answer, the next one resumes the TLS session of the one before,
 * if that one was accepted: a name is not checked again when a session is resumed. Before TLS 1.3 sessions are not bound
 * to the handshake that made them, so they are not resumed; nor is one of a pinned certificate, which is asked for each
 * time.
 */
export interface Connector {
  readonly connect: buildConnector.connector;
  /** Gives up the connection that is being made. */
  abandon(reason: () => HttpFailure): void;
  /** Closes the connection if it is idle: what is sent next gets a fresh one. */
  dropIdle(): void;
}

const notBegun = { hasBegun: false };
const keepAliveProbeMs = 30_000;

/** Makes a connector for one connection at a time. */
export function createConnector(options: ConnectorOptions): Connector {
  let current: Socket | undefined;
  let isConnecting = false;
  let session: Buffer | undefined;

  const connect: buildConnector.connector = (_, callback) => {
    const socket = openSocket(options, session);
    current = socket;
    isConnecting = true;
    let isAccepted = false;
    // Failures are made when they are needed: an error costs more than all else that happens when a connection ends.
    const give = (judge: () => HttpFailure | undefined): void => {
      if (!isConnecting || current !== socket) return;
      isConnecting = false;
      timer.cancel();
      const failure = judge();
      if (failure === undefined) {
        isAccepted = true;
        callback(null, socket);
      } else {
        current = undefined;
        session = undefined;
        socket.destroy();
        callback(failure, null);
      }
    };
    const timer = options.clock.after(options.connectMs, () =>
      give(() => new HttpFailure('unreachable', `no connection within ${options.connectMs} ms`, notBegun)),
    );
    socket.setNoDelay(true);
    // A stream of events may be silent for long: the kernel finds out whether the BMC is still there.
    socket.setKeepAlive(true, keepAliveProbeMs);
    socket.once(options.isTls ? 'secureConnect' : 'connect', () => give(() => distrust(socket, options)));
    socket.on('session', (ticket: Buffer) => {
      if (isAccepted && mayResume(socket, options.trust)) session = ticket;
    });
    // Stays for good: an error after the connection was given up must not end the process.
    socket.on('error', (error) => give(() => toHttpFailure(error, notBegun)));
    socket.once('close', () => {
      give(() => new HttpFailure('unreachable', 'the connection was closed before it was ready', notBegun));
      if (current === socket) current = undefined;
    });
  };

  return {
    connect,
    abandon(reason) {
      if (isConnecting) current?.destroy(reason());
    },
    dropIdle() {
      if (!isConnecting) current?.destroy();
    },
  };
}

function openSocket(options: ConnectorOptions, session: Buffer | undefined): Socket {
  const { host, port } = options;
  if (!options.isTls) return connectTcp({ host, port });
  const name = withoutZone(host);
  return connectTls({
    host,
    port,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext: options.trustStore.contextOf(options.trust),
    ALPNProtocols: ['http/1.1'],
    ...(session === undefined ? {} : { session }),
    // Judged below, before anything is sent: a refusal can then say which certificate was shown.
    rejectUnauthorized: false,
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
  });
}

/** Whether a session that was just judged stands for the same other end when it is resumed. */
function mayResume(socket: Socket, trust: Trust): boolean {
  return trust.kind !== 'fingerprint' && (socket as TLSSocket).getProtocol() === 'TLSv1.3';
}

const noCertificate =
  'it shows none, since its address says plain HTTP, and whoever is on the way could read the password; use https, or allow plain HTTP (--bmc-http yes)';

/** Why the other end is not to be trusted, if it is not. */
function distrust(socket: Socket, { isTls, trust }: ConnectorOptions): HttpFailure | undefined {
  if (!isTls) return trust.allowsHttp === true ? undefined : untrusted(noCertificate);
  if (trust.kind === 'insecure') return undefined;
  const tls = socket as TLSSocket;
  // To read a certificate costs as much as a request: only where it matters.
  if (trust.kind !== 'fingerprint' && tls.authorized) return undefined;
  const seen = tls.getPeerX509Certificate()?.fingerprint256;
  const shown = seen === undefined ? 'it shows none' : `it shows SHA-256 ${seen}`;
  if (trust.kind === 'fingerprint') {
    const wanted = plainFingerprint(trust.sha256);
    if (wanted === undefined) return untrusted(`the pinned fingerprint is not a SHA-256 in hex; ${shown}`);
    if (seen !== undefined && plainFingerprint(seen) === wanted) return undefined;
    return untrusted(`it is not the pinned one; ${shown}, and pinned is ${colons(wanted)}`);
  }
  return untrusted(`${String(tls.authorizationError ?? 'it is not signed by a trusted authority')}; ${shown}`);
}

/** A fingerprint as tools show it, so that the two can be compared. */
function colons(fingerprint: string): string {
  return fingerprint.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:');
}

function untrusted(detail: string): HttpFailure {
  return new HttpFailure('certificate', detail, notBegun);
}

function withoutZone(host: string): string {
  const at = host.indexOf('%');
  return at === -1 ? host : host.slice(0, at);
}

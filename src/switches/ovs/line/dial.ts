import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { TlsCredentials } from '../../switch-providers.ts';
import type { SwitchFailure, SwitchResult } from '../../switch-result.ts';
import { formatRemote, type Remote } from './remote.ts';

/** Where to and how to dial. */
export interface DialTarget {
  readonly remote: Remote;
  readonly tls?: TlsCredentials | undefined;
  readonly isCertificateUnchecked?: boolean | undefined;
}

/** Opens a line; the failure says whether it is the network, the certificate or our own login. */
export function dial(target: DialTarget, signal: AbortSignal): Promise<SwitchResult<Socket>> {
  return new Promise((resolve) => {
    const opened = open(target);
    if ('kind' in opened) return resolve(opened);
    const { socket, event } = opened;
    const leave = (result: SwitchResult<Socket>): void => {
      signal.removeEventListener('abort', give);
      socket.removeListener('error', fail);
      socket.removeListener(event, ready);
      if (result.kind === 'done') socket.on('error', () => undefined);
      else {
        socket.on('error', () => undefined);
        socket.destroy();
      }
      resolve(result);
    };
    const give = (): void =>
      leave({ kind: 'cancelled', message: `dialling ${formatRemote(target.remote)} was given up` });
    const fail = (error: NodeJS.ErrnoException): void => leave(failureOf(error, target.remote));
    const ready = (): void => leave({ kind: 'done', value: socket });
    if (signal.aborted) return give();
    signal.addEventListener('abort', give, { once: true });
    socket.once('error', fail);
    socket.once(event, ready);
  });
}

/** Key material that cannot be read fails before anything is sent. */
function open(target: DialTarget): { readonly socket: Socket; readonly event: string } | SwitchFailure {
  const { remote } = target;
  if (remote.kind === 'unix') return { socket: connectPlain({ path: remote.path }), event: 'connect' };
  if (remote.kind === 'tcp')
    return { socket: connectPlain({ host: remote.host, port: remote.port, noDelay: true }), event: 'connect' };
  try {
    return { socket: connectTls(tlsOptions(target)), event: 'secureConnect' };
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'unreadable';
    return { kind: 'denied', message: `the certificate or key for ${formatRemote(remote)} cannot be used: ${detail}` };
  }
}

function tlsOptions({ remote, tls = {}, isCertificateUnchecked }: DialTarget): ConnectionOptions {
  return {
    ...(remote.kind === 'unix' ? {} : { host: remote.host, port: remote.port }),
    ...(tls.authority === undefined ? {} : { ca: tls.authority }),
    ...(tls.certificate === undefined ? {} : { cert: tls.certificate }),
    ...(tls.privateKey === undefined ? {} : { key: tls.privateKey }),
    rejectUnauthorized: isCertificateUnchecked !== true,
    // Switch certificates are made by ovs-pki and name no host: the authority vouches for them, as ovsdb-client does.
    checkServerIdentity: () => undefined,
  };
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO|ISSUER/;

function failureOf(error: NodeJS.ErrnoException, remote: Remote): SwitchFailure {
  const code = error.code ?? '';
  const at = formatRemote(remote);
  // An alert from the other side comes as an SSL error; a certificate that we refuse has a code of its own.
  if (code.startsWith('ERR_SSL') && /ALERT/i.test(code)) {
    return { kind: 'denied', message: `${at} refused our certificate (${code})` };
  }
  if (certificateCodes.test(code))
    return { kind: 'untrusted', message: `the certificate of ${at} is not trusted (${code})` };
  return { kind: 'unreachable', message: `${at} cannot be reached: ${code || error.message}` };
}

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ExtraRoute, usualLimits } from '../../apiserver/index.ts';
import { type CertifiedKey, type ClusterAddress, closeUnaskedConnections, limitConnections } from '../../kube/index.ts';
import { isLoopback, RestError } from '../../rest/index.ts';
import { explainListenError } from '../plane/listen-error.ts';
import type { ConsoleFront } from './console-front.ts';
import { answerExtraPath } from './extra-paths.ts';
import { passOn, refuse } from './pass-on.ts';

/** What a console with a port of its own is served with. */
export interface ClusterConsoleParts {
  readonly front: ConsoleFront;
  /** Where the API server is and how its certificate is checked; nothing that proves who we are. */
  readonly cluster: ClusterAddress;
  /** What is passed on to it; the paths of Kubernetes unless given. */
  readonly passed?: RegExp;
  /** Paths beside those of Kubernetes that are answered here. */
  readonly routes?: readonly ExtraRoute[];
  /** Without it only loopback addresses are listened on, others are refused. */
  readonly certificate: CertifiedKey | undefined;
  readonly host: string;
  readonly port: number;
}

/** A console that is served. */
export interface ServedConsole {
  readonly url: string;
  /** Serves new connections with another certificate; only for a console that began with one. */
  setCertificate(certificate: CertifiedKey): void;
  close(): Promise<void>;
}

const kubernetesPaths = /^\/apis?\//;

/** Serves the console on a port of its own, and passes what it asks the Kubernetes API on with the token of whoever asks. */
export async function serveClusterConsole(parts: ClusterConsoleParts): Promise<ServedConsole> {
  const { front, certificate, host, port, passed = kubernetesPaths } = parts;
  const listener = (request: IncomingMessage, response: ServerResponse<IncomingMessage>): void => {
    if (front.handle(request, response)) return;
    if (answerExtraPath(parts.routes ?? [], request, response)) return;
    if (passed.test(request.url ?? '')) passOn({ behind: parts.cluster, name: 'the cluster' }, request, response);
    else refuse(response, 404, 'there is nothing here; the console is at /console/');
  };
  const secure = certificate === undefined ? undefined : createHttpsServer(contextOf(certificate), listener);
  const server: Server = secure ?? createHttpServer(listener);
  closeUnaskedConnections(server);
  limitConnections(server, usualLimits.connection);
  const bound = await listen(server, { host, port, isSafe: certificate !== undefined || isLoopback(host) });
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://${name}:${bound}/console/`,
    setCertificate: (renewed) => secure?.setSecureContext(contextOf(renewed)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function contextOf({ certificatePem, privateKeyPem }: CertifiedKey): { cert: string; key: string } {
  return { cert: certificatePem, key: privateKeyPem };
}

interface Place {
  readonly host: string;
  readonly port: number;
  /** Whether tokens stay on this machine, or pass encrypted. */
  readonly isSafe: boolean;
}

async function listen(server: Server, { host, port, isSafe }: Place): Promise<number> {
  try {
    if (!isSafe) throw new RestError('plaintextRefused', { host });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw explainListenError(error, { host, port, option: '--console-port' });
  }
}

import { isLoopback } from '../../rest/index.ts';
import type { Settings } from '../settings.ts';
import { type ServedConsole, serveClusterConsole } from './cluster-console.ts';
import type { ConsoleFront } from './console-front.ts';

/** What the console asks the embedded API server for: Kubernetes, plans and the audit log. */
const asked = /^\/(?:apis?\/|(?:audit|plan|plan\/network)(?:\?|$))/;

/** The embedded API server, whose certificate is checked. */
export interface OwnServer {
  readonly url: string;
  readonly caPem: string;
}

/**
 * Serves the console of the embedded API server to browsers of this machine, over plain HTTP: they know no authority of
 * ours and would warn of it, and what passes loopback is seen by nobody else.
 */
export function servePlainConsole(
  front: ConsoleFront,
  { url, caPem }: OwnServer,
  { host, port, consolePort }: Settings<'host' | 'port' | 'consolePort'>,
): Promise<ServedConsole> {
  return serveClusterConsole({
    front,
    cluster: { server: url, tls: { ca: caPem } },
    passed: asked,
    certificate: undefined,
    host: isLoopback(host) ? host : '127.0.0.1',
    // The API has the port itself, the REST services the next.
    port: consolePort ?? (port === 0 ? 0 : port + 2),
  });
}

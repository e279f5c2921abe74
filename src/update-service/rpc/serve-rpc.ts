import { connectNodeAdapter } from '@connectrpc/connect-node';
import { isLoopback, maxBodyBytes, RestError } from '../../rest/index.ts';
import { auditCallers, createAccessGate } from './access.ts';
import { type Listener, type ListenOptions, listen, type NodeHandler } from './listener.ts';
import { paceBodies } from './pace-bodies.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';
import { type RpcParts, updateServiceRoutes } from './routes.ts';
import { traceCalls } from './trace-calls.ts';

const longestCallMs = 15 * 60_000;

/** How calls are answered. */
export interface RpcHandlerOptions extends RpcParts {
  /** Ends streams when the service stops. */
  readonly shutdownSignal?: AbortSignal;
  /** Answers what is no call: `/healthz` and the like; 404 unless given. */
  readonly fallback?: NodeHandler;
}

/** Makes the handler of gRPC, gRPC-Web and HTTP/JSON calls, for any server of Node. */
export function createRpcHandler(options: RpcHandlerOptions): NodeHandler {
  const handler = connectNodeAdapter({
    routes: refuseUnreadable(updateServiceRoutes(options)),
    requestGate: createAccessGate(options.authorizer, options.audit),
    interceptors: [
      ...(options.tracer === undefined ? [] : [traceCalls(options.tracer)]),
      ...(options.audit === undefined ? [] : [auditCallers(options.audit)]),
    ],
    readMaxBytes: maxBodyBytes,
    maxTimeoutMs: longestCallMs,
    // JSON is typed by people: a word that is misspelt must not be as good as one that was left out.
    jsonOptions: { ignoreUnknownFields: false },
    ...(options.shutdownSignal === undefined ? {} : { shutdownSignal: options.shutdownSignal }),
    ...(options.fallback === undefined ? {} : { fallback: options.fallback }),
  });
  return paceBodies(handler);
}

/** Serves the update service on a port of its own, all protocols at once; in clear text on loopback addresses only. */
export async function serveRpc(options: Omit<RpcHandlerOptions, 'shutdownSignal'> & ListenOptions): Promise<Listener> {
  if (options.certificate === undefined && !isLoopback(options.host)) {
    throw new RestError('plaintextRefused', { host: options.host });
  }
  const stopping = new AbortController();
  const handler = createRpcHandler({ ...options, shutdownSignal: stopping.signal });
  const listener = await listen(handler, options);
  return {
    ...listener,
    async close() {
      stopping.abort();
      await listener.close();
    },
  };
}

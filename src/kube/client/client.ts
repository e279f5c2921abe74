import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { type Clock, type Random, systemClock } from '../clock.ts';
import type { KubeObject, ResourceRef } from '../object.ts';
import {
  type Connection,
  connectDirect,
  type DirectConnectionOptions,
  type Impersonation,
  impersonate,
} from './connection.ts';
import { connectInCluster, connectKubeconfig } from './kubeconfig.ts';
import { type ApiRequest, createRequester } from './request.ts';
import { createResourceClient, type ResourceClient } from './resource-client.ts';
import { createHttpTransport, type Transport } from './transport.ts';

/** Where the API is: a kubeconfig, the cluster this pod runs in, or a server given field by field. */
export type ConnectionSpec =
  | { readonly kubeconfig: string | undefined; readonly context?: string | undefined }
  | { readonly kubeconfigText: string; readonly context?: string | undefined }
  | { readonly isInCluster: true }
  | DirectConnectionOptions;

/** What a client uses besides the connection; everything has a default. */
export interface ClientOptions {
  /** Owner of the fields this client writes. */
  readonly fieldManager?: string;
  readonly userAgent?: string;
  /** For every request that does not say otherwise; 30 s unless given. */
  readonly timeoutMs?: number;
  readonly impersonate?: Impersonation | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly metrics?: Metrics;
  readonly logger?: Logger;
  /** Told what the server warns about; logged unless given. */
  readonly onWarning?: (text: string) => void;
  readonly maxConnections?: number;
}

/** A client of one Kubernetes API. */
export interface KubeClient {
  /** Where it is, for messages. */
  readonly server: string;
  /** The namespace commands use when none is named. */
  readonly namespace: string | undefined;
  /** A typed client of one resource. */
  resource<T extends KubeObject>(ref: ResourceRef): ResourceClient<T>;
  /** Any other request that is answered with JSON. */
  request<T>(request: ApiRequest): Promise<T>;
  /** Any other request that is answered with text, such as /readyz. */
  requestText(request: ApiRequest): Promise<string>;
  /** Ends all connections, watches included. */
  close(): Promise<void>;
}

/** Connects to an API as the spec says. Nothing is sent before the first request. */
export async function createClient(spec: ConnectionSpec, options: ClientOptions = {}): Promise<KubeClient> {
  const clock = options.clock ?? systemClock;
  const found = await resolveConnection(spec, clock);
  const connection = options.impersonate === undefined ? found : impersonate(found, options.impersonate);
  const transport = createHttpTransport(connection, {
    userAgent: options.userAgent ?? 'rackwright',
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
  });
  return createClientOver(transport, { ...options, server: connection.server, namespace: connection.namespace });
}

/** The connection that a spec describes. */
export function resolveConnection(spec: ConnectionSpec, clock: Clock): Promise<Connection> {
  if ('server' in spec) return Promise.resolve(connectDirect(spec));
  if ('isInCluster' in spec) return connectInCluster({ clock });
  if ('kubeconfigText' in spec) return connectKubeconfig({ text: spec.kubeconfigText, context: spec.context, clock });
  return connectKubeconfig({ file: spec.kubeconfig, context: spec.context, clock });
}

function hostOf(server: string): string {
  return URL.canParse(server) ? new URL(server).host : server;
}

/** A client over any transport, such as one that calls a server in the same process. */
export function createClientOver(
  transport: Transport,
  options: ClientOptions & { readonly server: string; readonly namespace?: string | undefined },
): KubeClient {
  const logger = options.logger ?? silentLogger;
  const requester = createRequester({
    transport,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    metrics: options.metrics ?? noMetrics,
    timeoutMs: options.timeoutMs ?? 30_000,
    host: hostOf(options.server),
    onWarning: options.onWarning ?? ((text) => logger.warn('the API server warns', { warning: text })),
  });
  const defaults = { fieldManager: options.fieldManager ?? 'rackwright' };
  return {
    server: options.server,
    namespace: options.namespace,
    resource: <T extends KubeObject>(ref: ResourceRef) => createResourceClient<T>(requester, ref, defaults),
    request: (request) => requester.json(request),
    requestText: (request) => requester.text(request),
    close: () => transport.close(),
  };
}

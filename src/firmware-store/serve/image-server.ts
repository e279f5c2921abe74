import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../../telemetry/index.ts';
import type { FirmwareStore } from '../store.ts';
import { imageHandler } from './image-handler.ts';

/** What an image server is made of. */
export interface ImageServerOptions {
  readonly store: Pick<FirmwareStore, 'find' | 'open'>;
  /** 127.0.0.1 unless given. */
  readonly host?: string | undefined;
  /** A free one unless given. */
  readonly port?: number | undefined;
  /** Many BMCs fetch over plain HTTP only, or cannot be given an authority; with a certificate HTTPS is served. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly logger?: Logger | undefined;
}

/** A server of images that runs. */
export interface ImageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the images of a store over HTTP. */
export async function startImageServer(options: ImageServerOptions): Promise<ImageServer> {
  const { store, host = '127.0.0.1', port = 0, tls, logger } = options;
  const handler = imageHandler(store, logger);
  const server = tls === undefined ? createServer(handler) : createTlsServer({ ...tls }, handler);
  server.listen(port, host);
  await once(server, 'listening');
  const { port: found } = server.address() as AddressInfo;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${shown}:${found}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

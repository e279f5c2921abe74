import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FirmwareImage } from '../../../simulator/index.ts';

/** A file server that BMCs pull firmware from. */
export interface ImageServer {
  /** Offers an image and says where it is and which version it brings. Who fetches it waits for `ready`, if given. */
  add(image: FirmwareImage, ready?: () => Promise<unknown>): { readonly url: string; readonly version: string };
  stop(): Promise<void>;
}

/** Starts a file server on a free loopback port. */
export async function startImageServer(): Promise<ImageServer> {
  const images = new Map<string, { image: FirmwareImage; ready: () => Promise<unknown> }>();
  const server = createServer((request, response) => {
    const offered = images.get(request.url ?? '');
    if (offered === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { image, ready } = offered;
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': image.lengthBytes });
    if (request.method === 'HEAD') response.end();
    else
      void ready().then(
        () => image.stream().pipe(response),
        (error: Error) => response.destroy(error),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    add(image, ready = async () => {}) {
      const path = `/${image.sha256.slice(0, 16)}/${image.header.component}.bin`;
      images.set(path, { image, ready });
      return { url: `http://127.0.0.1:${port}${path}`, version: image.header.version };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

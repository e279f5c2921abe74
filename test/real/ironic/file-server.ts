import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A file server on loopback. */
export interface FileServer {
  /** Offers bytes under a name and says where they are. */
  add(name: string, bytes: Buffer): string;
  stop(): Promise<void>;
}

/** Starts a file server on a free loopback port; it also tells sizes without the files, as Ironic asks first. */
export async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.length });
    response.end(request.method === 'HEAD' ? undefined : file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    add(name, bytes) {
      files.set(`/${name}`, bytes);
      return `http://127.0.0.1:${port}/${name}`;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

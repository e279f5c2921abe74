import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A file server whose files come when it suits the test. */
export interface SlowImages {
  /** Offers bytes under a name and says where they are; whoever fetches them has all of them once `ready` resolves. */
  add(name: string, bytes: Buffer, ready: Promise<unknown>): string;
  /** Whether somebody has begun to fetch what is at an address. */
  isFetched(url: string): boolean;
  stop(): Promise<void>;
}

/** So often a byte comes meanwhile: nobody takes the server for dead. */
const dripMs = 500;

interface Offered {
  readonly bytes: Buffer;
  readonly ready: Promise<unknown>;
}

/** Starts such a server on a free loopback port. */
export async function startSlowImages(): Promise<SlowImages> {
  const files = new Map<string, Offered>();
  const fetched = new Set<string>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes.length });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    fetched.add(request.url ?? '');
    serve(response, file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    add(name, bytes, ready) {
      files.set(`/${name}`, { bytes, ready });
      return `http://127.0.0.1:${port}/${name}`;
    },
    isFetched: (url) => fetched.has(new URL(url).pathname),
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function serve(response: ServerResponse, { bytes, ready }: Offered): void {
  let sent = 0;
  const drip = (): void => {
    if (sent + 1 >= bytes.length) return;
    response.write(bytes.subarray(sent, sent + 1));
    sent += 1;
  };
  drip();
  const timer = setInterval(drip, dripMs);
  response.once('close', () => clearInterval(timer));
  void ready.then(() => {
    clearInterval(timer);
    response.end(bytes.subarray(sent));
  });
}

import { createServer, type Server } from 'node:net';

/** Finds so many neighbouring loopback ports that nothing listens on, and says the first. */
export async function freePortRange(count: number): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const first = await freePort();
    if (first + count < 65_536 && (await areFree(first, count))) return first;
  }
  throw new Error(`no ${count} neighbouring free ports found`);
}

async function freePort(): Promise<number> {
  const server = await listen(0);
  const address = server?.address();
  await close(server);
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function areFree(first: number, count: number): Promise<boolean> {
  const servers = await Promise.all(Array.from({ length: count }, (_, i) => listen(first + i)));
  await Promise.all(servers.map(close));
  return servers.every((server) => server !== undefined);
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(undefined));
    server.listen(port, '127.0.0.1', () => done(server));
  });
}

function close(server: Server | undefined): Promise<void> {
  return new Promise((done) => {
    if (server === undefined) done();
    else server.close(() => done());
  });
}

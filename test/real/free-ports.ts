import { createServer, type Server } from 'node:net';

/** Below the ports that systems give to outgoing connections, one of which could take a port between the look and its use. */
const [lowest, highest] = [20_000, 32_000];

/**
 * Finds so many neighbouring loopback ports that nothing listens on, and says the first. They are set aside for this
 * process: suites side by side never get the same ones, also when what is to listen there is slow to start.
 */
export async function freePortRange(count: number): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest - count));
    const claims = await Promise.all(Array.from({ length: count }, (_, index) => setAside(first + index)));
    if (claims.every((claim) => claim !== undefined) && (await areFree(first, count))) return first;
    await Promise.all(claims.map(close));
  }
  throw new Error(`no ${count} neighbouring free ports found between ${lowest} and ${highest}`);
}

/** A name of the kernel's stands for the port: it goes with the process, however that ends. */
async function setAside(port: number): Promise<Server | undefined> {
  const claim = await listen(`\0rackwright-test-port-${port}`);
  claim?.unref();
  return claim;
}

async function areFree(first: number, count: number): Promise<boolean> {
  const servers = await Promise.all(Array.from({ length: count }, (_, i) => listen(first + i)));
  await Promise.all(servers.map(close));
  return servers.every((server) => server !== undefined);
}

function listen(where: number | string): Promise<Server | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(undefined));
    server.listen(typeof where === 'string' ? { path: where } : { port: where, host: '127.0.0.1' }, () => done(server));
  });
}

function close(server: Server | undefined): Promise<void> {
  return new Promise((done) => {
    if (server === undefined) done();
    else server.close(() => done());
  });
}

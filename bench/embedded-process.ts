import { startApiServer } from '../src/apiserver/index.ts';

/** Runs the embedded API server as a process of its own, for the bench: one line with its facts, then until SIGTERM. */
const [dataDir = '', port = '0'] = process.argv.slice(2);
const server = await startApiServer({ dataDir, port: Number(port) });
process.stdout.write(`${JSON.stringify({ url: server.url, caPem: server.caPem, token: server.adminToken })}\n`);
process.once('SIGTERM', async () => {
  await server.close();
  process.exit(0);
});

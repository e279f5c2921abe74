import { Agent, get } from 'node:https';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';

/** Asks for /livez again and again, in a thread that does nothing else, and answers each message with the times so far. */
const { port, everyMs } = workerData as { readonly port: number; readonly everyMs: number };
const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 1 });
let times: number[] = [];
let failures = 0;

parentPort?.on('message', () => {
  parentPort?.postMessage({ times, failures });
  times = [];
  failures = 0;
});

for (;;) {
  const began = performance.now();
  const code = await ask();
  if (code === 200) times.push(performance.now() - began);
  else failures++;
  await new Promise((resolve) => setTimeout(resolve, everyMs));
}

function ask(): Promise<number> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/livez', agent, timeout: 60_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
  });
}

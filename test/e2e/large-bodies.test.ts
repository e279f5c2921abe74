import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { Type } from 'typebox';
import { restResources } from '../../src/rest/access/resources.ts';
import { createFixedAuthorizer } from '../../src/rest/index.ts';
import { defineRoute } from '../../src/rest/route.ts';
import { AnyObject, Struct } from '../../src/rest/shapes.ts';
import { startedRest } from '../../src/rest/testing/started-rest.ts';
import { noMetrics, silentLogger } from '../../src/telemetry/index.ts';
import { serveRpc } from '../../src/update-service/rpc/serve-rpc.ts';
import { setUpUpdates } from '../../src/update-service/testing/update-rig.ts';

const requests = 24;
/** The dearest that is let in: a megabyte of as many values as fit. */
const body = `{"data":[${'[],'.repeat(330_000)}[]]}`;

const postThing = defineRoute({
  method: 'POST',
  path: '/things',
  operation: 'postThing',
  summary: 'A new thing.',
  tag: 'things',
  access: { verb: 'create', resource: restResources.server },
  body: Struct({ data: Type.Optional(Type.Unknown()) }),
  answers: { 200: AnyObject('It.') },
  handle: () => ({ status: 200, body: {} }),
});

test('large bodies of many REST requests are read in a turn of the event loop each', async (t) => {
  const { port } = await startedRest(t, [postThing]);
  await assertTurns(port, { path: '/things', code: 400 });
});

test('so are those of calls that strangers can send', async (t) => {
  const { desks } = await setUpUpdates(t);
  const authorizer = createFixedAuthorizer({});
  const parts = { desks, authorizer, logger: silentLogger, metrics: noMetrics };
  const { port, close } = await serveRpc({ ...parts, host: '127.0.0.1', port: 0 });
  t.after(() => close());
  await assertTurns(port, { path: '/rackwright.update.v1.UpdateService/TakeJob', code: 400 });
});

/** Sends all of the requests but for their last bytes, then these at once, and looks how much is done in one turn. */
async function assertTurns(port: number, { path, code }: { path: string; code: number }): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: requests }, () => openRequest(port, path)));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const began = process.threadCpuUsage();
  const turns = measureTurns();
  const answers = sockets.map(async (socket) => String(await once(socket, 'data').then(([chunk]) => chunk)));
  for (const socket of sockets) socket.write('}');
  for (const answer of await Promise.all(answers)) assert.match(answer, new RegExp(`^HTTP/1.1 ${code} `));
  const all = cpuMs(process.threadCpuUsage(began));
  const longest = turns.longestMs();
  for (const socket of sockets) socket.destroy();
  assert.ok(longest < all / 4, `one turn took ${longest} ms of processor time, all of them ${all} ms`);
}

async function openRequest(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const length = `Content-Length: ${body.length}`;
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Authorization: Bearer writer',
    'Content-Type: application/json',
    length,
  ];
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`, () => resolve());
  });
  return socket;
}

/** Processor time of this thread between two turns of its event loop. */
function measureTurns(): { longestMs(): number } {
  let longest = 0;
  let isOver = false;
  let last = process.threadCpuUsage();
  const look = (): void => {
    longest = Math.max(longest, cpuMs(process.threadCpuUsage(last)));
    last = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return {
    longestMs() {
      isOver = true;
      return longest;
    },
  };
}

function cpuMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

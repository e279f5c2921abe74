import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { personalityNames, type RunningBmc, startDataCentre } from './index.ts';
import { ask, basic } from './redfish/front/testing/wire.ts';

const segment = fc.constantFrom(
  'redfish',
  'v1',
  'Systems',
  'Managers',
  'UpdateService',
  'Actions',
  'SessionService',
  'Sessions',
  'EventService',
  'Subscriptions',
  'TaskService',
  'Tasks',
  'Chassis',
  '1',
  '..',
  '%2e',
  '%00',
  '%zz',
  '$metadata',
  'constructor',
  '__proto__',
  'hasOwnProperty',
  'ComputerSystem.Reset',
  'UpdateService.SimpleUpdate',
  'Bios',
  'Settings',
  'FirmwareInventory',
  '',
);
const query = fc.constantFrom(
  '',
  '?',
  '?$expand=*',
  '?$expand=.($levels=9)',
  '?$top=0',
  '?$skip=99999',
  '?$select=x',
  '?%',
  '?$top=x',
);
const header = fc.constantFrom(
  '',
  'If-Match: "x"',
  'If-Match: *',
  'If-None-Match: W/"x", *',
  'Accept-Encoding: identity',
  'Accept-Encoding: gzip',
  'X-Auth-Token: x',
  'Authorization: Basic !!!',
  'Content-Type: text/html',
  'Content-Type: multipart/form-data',
  'Content-Type: multipart/form-data; boundary=a',
  'Content-Type: application/json',
  'Expect: 100-continue',
);
const body = fc.oneof(
  fc.constantFrom('', '{}', '[]', '{', 'null', '--a\r\n\r\n--a--\r\n', '{"__proto__":{"x":1}}'),
  fc.json(),
);
const odd = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'),
  path: fc.array(segment, { maxLength: 8 }).map((parts) => `/redfish/v1/${parts.join('/')}`),
  query,
  headers: fc.array(header, { maxLength: 3 }),
  body,
});

/** Sends a request by hand and returns the first line of the answer. */
async function send(bmc: RunningBmc, request: typeof odd extends fc.Arbitrary<infer T> ? T : never): Promise<string> {
  const socket = connect(Number(new URL(bmc.url).port), '127.0.0.1');
  const lines = [
    `${request.method} ${request.path}${request.query} HTTP/1.1`,
    'Host: bmc',
    'Connection: close',
    `Authorization: ${basic(bmc).authorization}`,
    `Content-Length: ${Buffer.byteLength(request.body)}`,
    ...request.headers.filter((line) => line !== ''),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${request.body}`);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  await once(socket, 'close');
  const final = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  return final.slice(0, final.indexOf('\r\n'));
}

test('whatever is sent gets an answer that is not an internal error, and the BMC goes on', async (t) => {
  const servers = personalityNames.length;
  const dataCentre = await startDataCentre({ seed: 1, servers, isPlain: true, addressing: 'port', speed: 1000 });
  t.after(() => dataCentre.close());
  let number = 0;
  await fc.assert(
    fc.asyncProperty(odd, async (request) => {
      const bmc = dataCentre.bmcs[number++ % servers];
      assert.ok(bmc);
      if (request.path.includes('SSE')) return;
      const line = await send(bmc, request);
      // A BMC that was told to restart is away for a moment.
      if (line === '' && !bmc.machine.manager.isReachable) return;
      assert.match(line, /^HTTP\/1\.1 (?!500)\d{3} /, JSON.stringify(request));
    }),
    { numRuns: 600 },
  );
  for (const bmc of dataCentre.bmcs) {
    if (bmc.machine.manager.isReachable) assert.equal((await ask(`${bmc.url}/redfish/v1`)).status, 200, bmc.name);
  }
});

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type BmcErrorCode, isBmcError } from '../errors.ts';
import type { SmallHandler } from '../http/testing/small-bmc.ts';
import type { GateRequest } from './gate.ts';
import { openTestGate } from './testing/test-gate.ts';
import { until } from './testing/until.ts';

const path = '/redfish/v1/Systems/1';
const logIn = 'POST /redfish/v1/SessionService/Sessions';
const reset: SmallHandler = (_, response) => {
  response.socket?.destroy();
  return 'handled';
};
const busy: SmallHandler = () => 503;
const comeBack: SmallHandler = () => ({ status: 503, headers: { 'retry-after': '5' } });
const withId =
  (status: number, id: string): SmallHandler =>
  () => ({ status, body: { error: { '@Message.ExtendedInfo': [{ MessageId: id, Message: 'Not now.' }] } } });

/** Answers with each in turn, then as a healthy BMC. */
function inTurn(...handlers: SmallHandler[]): SmallHandler {
  return (seen, response) => handlers.shift()?.(seen, response) ?? { body: { Name: 'fine' } };
}

interface Case {
  readonly name: string;
  readonly method: GateRequest['method'];
  readonly faults: readonly SmallHandler[];
  readonly isDisruptive?: boolean;
  /** How often it is sent. */
  readonly sent: number;
  readonly code?: BmcErrorCode;
}

const raw =
  (text: string, status = 200): SmallHandler =>
  () => ({ status, raw: text });

const cases: readonly Case[] = [
  { name: 'a GET is repeated after 503', method: 'GET', faults: [busy, busy], sent: 3 },
  {
    name: 'a GET is repeated after 500, 502, 504 and 429',
    method: 'GET',
    faults: [() => 500, () => 502, () => 429],
    sent: 4,
  },
  { name: 'a GET is repeated after a reset', method: 'GET', faults: [reset, reset], sent: 3 },
  { name: 'a GET is repeated after truncated JSON', method: 'GET', faults: [raw('{"Name":')], sent: 2 },
  { name: 'a GET is repeated after malformed JSON', method: 'GET', faults: [raw('{Name}'), raw('<html>')], sent: 3 },
  {
    name: 'a GET is given up after four tries',
    method: 'GET',
    faults: [busy, busy, busy, busy, busy],
    sent: 4,
    code: 'busy',
  },
  {
    name: 'a GET that stays unreadable is malformed',
    method: 'GET',
    faults: Array(9).fill(raw('{')),
    sent: 4,
    code: 'malformed',
  },
  {
    name: 'a GET that stays cut off is unreachable',
    method: 'GET',
    faults: Array(9).fill(reset),
    sent: 4,
    code: 'unreachable',
  },
  { name: 'a GET is not repeated after 404', method: 'GET', faults: [() => 404], sent: 1, code: 'notFound' },
  { name: 'a GET is not repeated after 400', method: 'GET', faults: [() => 400], sent: 1, code: 'refused' },
  { name: 'a GET is not repeated after 501', method: 'GET', faults: [() => 501], sent: 1, code: 'refused' },
  { name: 'a POST is never repeated after a reset', method: 'POST', faults: [reset], sent: 1, code: 'ambiguous' },
  { name: 'a PATCH is never repeated after a reset', method: 'PATCH', faults: [reset], sent: 1, code: 'ambiguous' },
  { name: 'a PUT is never repeated after a reset', method: 'PUT', faults: [reset], sent: 1, code: 'ambiguous' },
  { name: 'a DELETE is never repeated after a reset', method: 'DELETE', faults: [reset], sent: 1, code: 'ambiguous' },
  ...([true, false] as const).flatMap((isDisruptive) =>
    ([408, 500, 502, 503, 504, 520] as const).flatMap((status) =>
      (['POST', 'PATCH', 'PUT', 'DELETE'] as const).map(
        (method): Case => ({
          name: `a ${isDisruptive ? 'disruptive ' : ''}${method} that is answered ${status} may have been carried out`,
          method,
          isDisruptive,
          faults: [() => status],
          sent: 1,
          code: 'ambiguous',
        }),
      ),
    ),
  ),
  {
    name: 'a POST is not repeated after 503 with a time to come back: it may have been carried out',
    method: 'POST',
    faults: [comeBack],
    sent: 1,
    code: 'ambiguous',
  },
  {
    name: 'a disruptive POST is not repeated after 503 with a time to come back',
    method: 'POST',
    isDisruptive: true,
    faults: [comeBack],
    sent: 1,
    code: 'ambiguous',
  },
  { name: 'a POST is repeated after 429', method: 'POST', faults: [() => 429, () => 429], sent: 3 },
  {
    name: 'a disruptive POST is not repeated after a bare 429',
    method: 'POST',
    isDisruptive: true,
    faults: [() => 429],
    sent: 1,
    code: 'ambiguous',
  },
  { name: 'a POST that is not implemented is refused', method: 'POST', faults: [() => 501], sent: 1, code: 'refused' },
  ...['IDRAC.2.8.SYS518', 'Base.1.8.ServiceTemporarilyUnavailable', 'Base.1.13.ResourceNotReadyRetry'].map(
    (id): Case => ({
      name: `a disruptive POST is repeated when ${id} says that nothing was done`,
      method: 'POST',
      isDisruptive: true,
      faults: [withId(503, id), withId(500, id)],
      sent: 3,
    }),
  ),
  {
    name: 'a disruptive POST is not repeated for a message that leaves open what was done',
    method: 'POST',
    isDisruptive: true,
    faults: [withId(503, 'Base.1.8.GeneralError')],
    sent: 1,
    code: 'ambiguous',
  },
  {
    name: 'a POST that found the resource in use is refused',
    method: 'POST',
    isDisruptive: true,
    faults: [withId(409, 'Base.1.8.ResourceInUse')],
    sent: 1,
    code: 'refused',
  },
  {
    name: 'a POST that was carried out with a cut answer is ambiguous',
    method: 'POST',
    faults: [raw('{"Id":', 202)],
    sent: 1,
    code: 'ambiguous',
  },
  { name: 'a POST whose answer is not JSON has none', method: 'POST', faults: [raw('OK', 202)], sent: 1 },
  {
    name: 'a POST is repeated when Dell says that it is busy',
    method: 'POST',
    faults: [withId(500, 'IDRAC.2.8.SYS518'), withId(503, 'SYS518')],
    sent: 3,
  },
  {
    name: 'a PATCH is repeated when the service says that it is unavailable for now',
    method: 'PATCH',
    faults: [withId(503, 'Base.1.8.ServiceTemporarilyUnavailable')],
    sent: 2,
  },
  {
    name: 'a POST is not repeated when HPE says that the system is in the wrong state',
    method: 'POST',
    faults: [withId(400, 'iLO.2.14.InvalidOperationForSystemState')],
    sent: 1,
    code: 'refused',
  },
];

for (const { name, method, faults, sent, code, isDisruptive = false } of cases) {
  test(name, async (t) => {
    const { lane, bmc } = await openTestGate(t);
    await lane.request({ method: 'GET', path: '/redfish/v1/Systems' });
    bmc.on(`${method} ${path}`, inTurn(...faults));
    const outcome = lane.request({ method, path, isDisruptive, ...(method === 'GET' ? {} : { body: { a: 1 } }) });
    if (code === undefined) await outcome;
    else await assert.rejects(outcome, (error) => isBmcError(error, code));
    assert.equal(bmc.lines.filter((line) => line === `${method} ${path}`).length, sent);
  });
}

test('an answer that leaves open what was done is told with status, message ids, and where to look', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(`POST ${path}`, withId(500, 'Base.1.8.InternalError'));
  await assert.rejects(lane.request({ method: 'POST', path, body: {}, isDisruptive: true }), (error) => {
    assert.ok(isBmcError(error, 'ambiguous'));
    assert.deepEqual([error.status, error.messageIds, error.retry], [500, ['Base.1.8.InternalError'], 'blocked']);
    assert.match(error.message, /500 Not now\./);
    assert.match(error.message, /look at the tasks, the inventory and the state of the resource before/);
    return true;
  });
});

test('a refusal carries status, message ids and what the BMC said', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(`POST ${path}`, withId(400, 'iLO.2.14.InvalidOperationForSystemState'));
  await assert.rejects(lane.request({ method: 'POST', path, body: {} }), (error) => {
    assert.ok(isBmcError(error, 'refused'));
    assert.equal(error.status, 400);
    assert.deepEqual(error.messageIds, ['iLO.2.14.InvalidOperationForSystemState']);
    assert.match(error.message, /Not now\./);
    return true;
  });
});

test('a secret that the BMC quotes does not come back in the error (security.md: redaction)', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(`POST ${path}`, () => ({
    status: 400,
    body: { error: { '@Message.ExtendedInfo': [{ MessageId: 'x', Message: "The value 'hunter2' is wrong." }] } },
  }));
  await assert.rejects(
    lane.request({ method: 'POST', path, body: { Password: 'hunter2' } }),
    (error) => isBmcError(error, 'refused') && !JSON.stringify([error, error.message, error.stack]).includes('hunter2'),
  );
});

test('a secret that is quoted where the message is cut, or in a message id, does not come back either', async (t) => {
  const secret = 'hunter2-hunter2-hunter2-hunter2';
  const { lane, bmc } = await openTestGate(t);
  for (let before = 560; before < 610; before += 7) {
    bmc.on(`POST ${path}`, ({ headers }) => {
      const Message = `${'y '.repeat(before / 2)}${secret} ${headers['x-auth-token']}`;
      const infos = [{ MessageId: `Base.1.0.X ${secret} ${headers['x-auth-token']}`, Message }];
      return { status: 400, body: { error: { '@Message.ExtendedInfo': infos } } };
    });
    await assert.rejects(lane.request({ method: 'POST', path, body: { Password: secret } }), (error) => {
      const shown = JSON.stringify([error, (error as Error).message, (error as Error).stack]);
      return isBmcError(error, 'refused') && !/hunter2|token-1/.test(shown);
    });
  }
});

test('a session token or Basic credentials that the BMC quotes do not come back in the error', async (t) => {
  for (const isBasicOnly of [false, true]) {
    const { lane, bmc } = await openTestGate(t, { isBasicOnly });
    bmc.on(`GET ${path}`, ({ headers }) => {
      const sent = String(headers.authorization ?? headers['x-auth-token']);
      const Message = `Not with ${sent} or ${sent.split(' ').at(-1)} or secret.`;
      return { status: 400, body: { error: { '@Message.ExtendedInfo': [{ MessageId: `x${sent}`, Message }] } } };
    });
    const credentials = Buffer.from('admin:secret').toString('base64');
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => {
      const shown = JSON.stringify([error, (error as Error).message]);
      const secrets = isBasicOnly ? [credentials, 'secret'] : ['token-1'];
      return isBmcError(error, 'refused') && secrets.every((secret) => !shown.includes(secret));
    });
  }
});

test('a GET without an answer is tried twice, and no longer than its deadlines', async (t) => {
  const { lane, bmc, clock } = await openTestGate(t);
  await lane.request({ method: 'GET', path: '/redfish/v1/Systems' });
  bmc.on(`GET ${path}`, () => 'handled');
  const gets = (): number => bmc.lines.filter((line) => line === `GET ${path}`).length;
  const get = lane.request({ method: 'GET', path });
  await until(() => gets() === 1);
  clock.advance(30_000);
  await until(() => gets() === 2);
  clock.advance(30_000);
  await assert.rejects(get, (error) => isBmcError(error, 'timeout'));
  assert.equal(gets(), 2);
  assert.ok(lane.state.spacingMs > 0);
});

test('a POST without an answer is ambiguous', async (t) => {
  const { lane, bmc, clock } = await openTestGate(t);
  await lane.request({ method: 'GET', path: '/redfish/v1/Systems' });
  bmc.on(`POST ${path}`, () => 'handled');
  const post = lane.request({ method: 'POST', path, body: {}, deadlineMs: 5_000 });
  await until(() => bmc.lines.includes(`POST ${path}`));
  clock.advance(5_000);
  await assert.rejects(post, (error) => isBmcError(error, 'ambiguous'));
});

test('a POST whose connection is refused was not sent, and is tried again', async (t) => {
  const { lane, bmc, clock } = await openTestGate(t);
  await lane.request({ method: 'GET', path: '/redfish/v1/Systems' });
  await bmc.close();
  clock.advance(300);
  const before = lane.state.requests;
  const post = lane.request({ method: 'POST', path, body: {} });
  await assert.rejects(post, (error) => isBmcError(error, 'unreachable'));
  assert.equal(lane.state.requests - before, 4);
});

test('a caller can say how often', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(`GET ${path}`, busy);
  await assert.rejects(lane.request({ method: 'GET', path, maxTries: 1 }), (error) => isBmcError(error, 'busy'));
  assert.equal(bmc.lines.filter((line) => line === `GET ${path}`).length, 1);
});

test('statuses that the caller accepts are answers, whatever their body', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(`GET ${path}`, () => ({ status: 404, raw: '<html>gone</html>' }));
  const reply = await lane.request({ method: 'GET', path, accept: [404] });
  assert.deepEqual({ status: reply.status, body: reply.body }, { status: 404, body: {} });
});

test('406 is answered by asking without the wish for no compression', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(`GET ${path}`, ({ headers }, response) => {
    if (headers['accept-encoding'] === 'identity') return 406;
    response.writeHead(200, { 'content-encoding': 'gzip', etag: 'W/"7-gzip"' });
    response.end(gzipSync('{"Name":"packed"}'));
    return 'handled';
  });
  const { body, etag } = await lane.request({ method: 'GET', path });
  assert.deepEqual(body, { Name: 'packed' });
  assert.equal(etag, 'W/"7"');
});

test('a redirect is followed on the same BMC only, and only by a GET (security.md: bmc-redirects)', async (t) => {
  const { lane, bmc, endpoint } = await openTestGate(t);
  const to = (location: string) => () => ({ status: 308, headers: { location } });
  bmc.on('GET /redfish/v1', to('/redfish/v1/'));
  assert.deepEqual((await lane.request({ method: 'GET', path: '/redfish/v1', isPublic: true })).body, { Name: 'root' });
  bmc.on('GET /absolute', to(`${endpoint.origin}/redfish/v1/`));
  assert.deepEqual((await lane.request({ method: 'GET', path: '/absolute' })).body, { Name: 'root' });
  bmc.on('GET /loop', to('/loop'));
  for (const [line, location] of [
    ['GET /elsewhere', 'https://evil.example/redfish/v1/'],
    ['GET /elsewhere2', '//evil.example/redfish/v1/'],
    ['POST /redfish/v1/x', '/redfish/v1/'],
    ['GET /loop', '/loop'],
  ] as const) {
    const [method, target] = line.split(' ') as ['GET' | 'POST', string];
    bmc.on(line, to(location));
    await assert.rejects(lane.request({ method, path: target }), (error) => isBmcError(error, 'refused'));
  }
});

test('an absolute URL works on the same BMC and is refused on another', async (t) => {
  const { lane, bmc, endpoint } = await openTestGate(t);
  await lane.request({ method: 'GET', path: `${endpoint.origin}${path}?x=1#/a` });
  assert.equal(bmc.lines.at(-1), `GET ${path}?x=1`);
  for (const bad of ['https://evil.example/redfish/v1/', '//evil.example/x', 'redfish/v1', '/a\r\nb', '/a\\b']) {
    await assert.rejects(lane.request({ method: 'GET', path: bad }), (error) => isBmcError(error, 'badAddress'));
  }
  await lane.request({ method: 'GET', path: '/redfish/v1/Chassis/Große Kiste#/Fans/0' });
  assert.equal(bmc.lines.at(-1), 'GET /redfish/v1/Chassis/Gro%C3%9Fe%20Kiste');
});

test('every request says what it takes, and no POST carries If-Match', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  await lane.request({ method: 'POST', path, body: { a: 1 }, headers: { 'If-Match': '"1"', 'X-Own': 'yes' } });
  const { headers, body } = bmc.seen.at(-1) ?? assert.fail();
  assert.equal(headers.accept, 'application/json');
  assert.equal(headers['odata-version'], '4.0');
  assert.equal(headers['accept-encoding'], 'identity');
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['x-own'], 'yes');
  assert.equal(headers['if-match'], undefined);
  assert.equal(body, '{"a":1}');
});

test('an upload is opened again when the session had expired', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  bmc.sessions.clear();
  let opened = 0;
  const body = {
    contentType: 'application/octet-stream',
    lengthBytes: 5,
    open() {
      opened += 1;
      return Readable.from([Buffer.from('image')]);
    },
  };
  await lane.request({ method: 'POST', path: '/upload', body });
  assert.equal(opened, 2);
  assert.equal(bmc.seen.at(-1)?.body, 'image');
});

test('an upload whose file cannot be read is no matter of the BMC', async (t) => {
  const { lane } = await openTestGate(t);
  const open = (): Readable => {
    throw new Error('no such file');
  };
  const body = { contentType: 'application/octet-stream', lengthBytes: 5, open };
  await assert.rejects(
    lane.request({ method: 'POST', path: '/upload', body }),
    (error) => isBmcError(error, 'badImage') && /no such file/.test(error.message),
  );
});

test('a request that its caller ends tells what the BMC answered to the try before', async (t) => {
  const abort = new AbortController();
  const silent: SmallHandler = () => {
    abort.abort();
    return 'handled';
  };
  const { lane, bmc } = await openTestGate(t);
  bmc.on(`GET ${path}`, inTurn(busy, silent));
  await assert.rejects(
    lane.request({ method: 'GET', path, signal: abort.signal }),
    (error) => isBmcError(error, 'cancelled') && isBmcError(error.cause, 'busy'),
  );
});

test('a log-in that its caller ends is not tried again, and what was answered before it is the cause', async (t) => {
  const hang =
    (abort: AbortController): SmallHandler =>
    () => {
      abort.abort();
      return 'handled';
    };
  const alone = new AbortController();
  const { lane, bmc } = await openTestGate(t);
  bmc.on(logIn, hang(alone));
  await assert.rejects(
    lane.request({ method: 'GET', path, signal: alone.signal }),
    (error) => isBmcError(error, 'cancelled') && error.cause === undefined,
  );
  assert.equal(bmc.lines.filter((line) => line === logIn).length, 1);
  const afterBusy = new AbortController();
  bmc.on(logIn, inTurn(busy, hang(afterBusy)));
  await assert.rejects(
    lane.request({ method: 'GET', path, signal: afterBusy.signal }),
    (error) => isBmcError(error, 'cancelled') && isBmcError(error.cause, 'busy'),
  );
});

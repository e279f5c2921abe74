import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { runCommandLine } from '../../program.ts';
import { silentTerminal } from '../../reference-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'rackwright-services-'));
const at = (name: string): string => join(folder, name);
const keyFile = at('jwt.key');
const issuer = ['--jwt-issuer', 'https://issuer.example', '--jwt-key-file', keyFile];

interface Running {
  readonly url: string;
  /** Everything it printed so far. */
  readonly printed: () => string;
  /** Stops it and gives its exit code. */
  stop(): Promise<number>;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process until it ends. */
async function run(words: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  let [out, err] = ['', ''];
  const terminal = {
    ...silentTerminal,
    env,
    cwd: folder,
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
  };
  const code = await runCommandLine(words, terminal);
  return { code, out, err };
}

/** Starts a service in this process, on a free port, and waits for its line that it is ready. */
async function start(words: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const stop = new AbortController();
  let printed = '';
  const ready = Promise.withResolvers<string>();
  const write = (text: string): void => {
    printed += text;
    if (text.includes('"msg":"ready"')) ready.resolve((JSON.parse(text) as { url: string }).url);
  };
  const terminal = { ...silentTerminal, env, cwd: folder, interrupted: stop.signal, out: write, err: write };
  const ended = runCommandLine([...words, '--rest-port', '0'], terminal);
  void ended.then((code) => ready.reject(new Error(`it ended with ${code}:\n${printed}`)));
  return {
    url: await ready.promise,
    printed: () => printed,
    stop() {
      stop.abort();
      return ended;
    },
  };
}

async function ask(
  url: string,
  token = '',
  sent?: { readonly method: 'POST' | 'PUT'; readonly body: object },
): Promise<{ status: number; text: string }> {
  const headers = {
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const { statusCode, body } = await request(url, {
    headers,
    ...(sent === undefined ? {} : { method: sent.method, body: JSON.stringify(sent.body) }),
  });
  return { status: statusCode, text: await body.text() };
}

async function tokenFor(...scopes: readonly string[]): Promise<string> {
  const words = ['issue-token', ...issuer, '--subject', 'me', ...scopes.flatMap((scope) => ['--scope', scope])];
  const { code, out, err } = await run(words);
  assert.equal(code, 0, err);
  return out.trim();
}

before(() => writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 }));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a conditionorc on a data directory', () => {
  let orc: Running;
  before(async () => {
    orc = await start(['conditionorc', '--data-dir', at('one'), ...issuer]);
  });

  test('is alive and ready, and lets in whoever has the scopes, nobody else', async () => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      assert.deepEqual(await ask(orc.url + path), { status: 200, text: '{"status":"ok"}' });
    }
    const reader = await tokenFor('read:condition', 'read:metrics');
    assert.equal((await ask(`${orc.url}/api/v1/conditions`, reader)).status, 200);
    // Nobody else can open this store, so the inventory is served here too.
    assert.equal((await ask(`${orc.url}/api/v1/servers`, reader)).status, 403);
    assert.equal((await ask(`${orc.url}/api/v1/servers`, await tokenFor('read'))).status, 200);
    assert.equal((await ask(`${orc.url}/api/v1/conditions`)).status, 401);
    assert.equal((await ask(`${orc.url}/metrics`)).status, 401);
    assert.match((await ask(`${orc.url}/metrics`, reader)).text, /^rackwright_rest_requests_total\{/m);
  });

  test('keeps a second process out, and says what to do instead', async () => {
    for (const command of ['conditionorc', 'serverservice']) {
      const { code, err } = await run([command, '--data-dir', at('one'), '--rest-port', '0', ...issuer]);
      assert.equal(code, 3, err);
      assert.match(err, /is in use by process \d+ .*several processes can share a database server: see --database-url/);
    }
  });

  test('says of work in a facility without a worker where workers are, and gives it out once the facility is corrected', async () => {
    const tokenFile = at('default-flasher.token');
    writeFileSync(tokenFile, await tokenFor('update:worker'));
    // Typed without a facility, it works for the one that servers are in unless told.
    const words = ['flasher', '--orchestrator-url', orc.url, '--token-file', tokenFile];
    const flasher = await start([...words, '--data-dir', at('default-flasher')]);
    const token = await tokenFor('read', 'write');
    const uuid = '0a000000-0000-4000-8000-00000000000a';
    const server = { uuid, name: 'r1', facility_code: 'lab', bmc_address: 'https://127.0.0.1:9' };
    const send = async (method: 'POST' | 'PUT', path: string, body: object) => {
      const { status, text } = await ask(`${orc.url}/api/v1/${path}`, token, { method, body });
      assert.ok(status < 300, text);
    };
    await send('POST', 'servers', server);
    await send('POST', `servers/${uuid}/condition`, { kind: 'inventoryOOB', parameters: {} });
    const look = async () => {
      const { text } = await ask(`${orc.url}/api/v1/conditions?server=${uuid}`, token);
      type Shown = {
        readonly state: string;
        readonly leases: number;
        readonly reason: { readonly message: string } | null;
      };
      const [shown] = (JSON.parse(text) as { readonly records: readonly Shown[] }).records;
      return shown ?? assert.fail(text);
    };
    const waiting = await look();
    assert.equal(waiting.state, 'pending');
    assert.match(
      waiting.reason?.message ?? '',
      /^no worker for inventoryOOB is online in facility lab; workers are in default: start one with --facility lab, or correct/,
    );
    await send('PUT', `servers/${uuid}`, { facility_code: 'default' });
    while ((await look()).leases === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await flasher.stop(), 0);
  });

  test('gives work to a flasher that opens no store, and both stop when they are told to', async () => {
    const tokenFile = at('flasher.token');
    writeFileSync(tokenFile, await tokenFor('update:worker'));
    const places = ['--facility', 'ams1', '--facility', 'fra2,lon3'];
    const words = ['flasher', ...places, '--without', 'firmwareinstall', '--orchestrator-url', orc.url];
    const flasher = await start([...words, '--token-file', tokenFile, '--data-dir', at('flasher')]);
    assert.equal((await ask(`${flasher.url}/readyz`)).status, 200);
    assert.equal((await ask(`${flasher.url}/metrics`, await tokenFor('read'))).status, 401);
    const { text } = await ask(`${orc.url}/api/v1/workers`, await tokenFor('read:worker'));
    type Worker = { kinds: string[]; facilities: string[]; online: boolean };
    const worker = (JSON.parse(text) as { records: Worker[] }).records.find(({ online }) => online);
    assert.deepEqual(worker?.facilities, ['ams1', 'fra2', 'lon3']);
    assert.equal(worker?.online, true);
    assert.ok(worker?.kinds.includes('powerOn') && !worker.kinds.includes('firmwareInstall'), worker?.kinds.join());
    assert.equal(await flasher.stop(), 0);
    assert.equal(await orc.stop(), 0);
    const lines = orc.printed().trim().split('\n');
    const messages = lines.map((line) => (JSON.parse(line) as { service: string; msg: string }).msg);
    assert.deepEqual(
      messages.filter((message) => /^(starting|ready|stopping|stopped)$/.test(message)),
      ['starting', 'ready', 'stopping', 'stopped'],
    );
    for (const secret of [readFileSync(keyFile, 'utf8'), readFileSync(tokenFile, 'utf8')]) {
      assert.ok(!(orc.printed() + flasher.printed()).includes(secret));
    }
  });

  test('refuses a store whose credentials its key file cannot open (security.md: attacker-with-database)', async () => {
    const service = await start(['conditionorc', '--data-dir', at('one'), ...issuer]);
    const all = await tokenFor('read', 'write', 'write:server:credentials');
    const send = async (path: string, method: 'POST' | 'PUT', body: object) => {
      const headers = { authorization: `Bearer ${all}`, 'content-type': 'application/json' };
      const answer = await request(service.url + path, { method, headers, body: JSON.stringify(body) });
      return (await answer.body.json()) as { slug: string };
    };
    const { slug } = await send('/api/v1/servers', 'POST', { name: 'one', facility_code: 'ams1' });
    await send(`/api/v1/servers/${slug}/credentials/bmc`, 'PUT', { username: 'admin', password: 'not-to-be-seen' });
    assert.equal(await service.stop(), 0);
    const words = ['conditionorc', '--data-dir', at('one'), '--rest-port', '0', ...issuer];
    const missing = await run([...words, '--credential-keys', at('missing.key')]);
    assert.equal(missing.code, 4, missing.err);
    assert.match(missing.err, /missing\.key is missing, and .* holds credentials of BMCs/);
    const key = { id: '0123456789abcdef', secret: randomBytes(32).toString('base64') };
    writeFileSync(at('other.key'), JSON.stringify({ keys: [key] }), { mode: 0o600 });
    const other = await run([...words, '--credential-keys', at('other.key')]);
    assert.equal(other.code, 4, other.err);
    assert.match(other.err, /other\.key lacks the key [0-9a-f]{16}/);
  });
});

describe('what cannot be meant', () => {
  const orc = ['conditionorc', '--rest-port', '0', '--data-dir', 'bad'];
  const flasher = ['flasher', '--rest-port', '0', '--data-dir', 'bad'];
  const url = 'postgres://me@127.0.0.1/db';
  const urlWithPassword = 'postgres://me:not-to-be-seen@127.0.0.1/db';
  const cases: [string, readonly string[], RegExp][] = [
    ['nobody who could be let in', orc, /nobody would be let in: name the issuer/],
    ['keys without an issuer', [...orc, '--jwt-key-file', keyFile], /go with --jwt-issuer/],
    ['an issuer without keys', [...orc, '--jwt-issuer', 'me'], /goes with one of --jwt-jwks-url/],
    ['two sets of keys', [...orc, ...issuer, '--jwt-jwks-file', 'x'], /goes with one of --jwt-jwks-url/],
    ['an issuer and a cluster', [...orc, ...issuer, '--kubeconfig', 'x'], /only one of them can say who is let in/],
    [
      'a key file that is not there',
      [...orc, '--jwt-issuer', 'me', '--jwt-key-file', 'x'],
      /key file .*cannot be used/,
    ],
    ['a certificate without its key', [...orc, ...issuer, '--tls-cert', 'x'], /--tls-cert and --tls-key go together/],
    [
      'an open address without a certificate',
      [...orc, ...issuer, '--host', '0.0.0.0'],
      /clear text: name a certificate with --tls-cert/,
    ],
    [
      'a password on a command line',
      [...orc, ...issuer, '--database-url', urlWithPassword],
      /--database-url \.\.\.: .* set RACKWRIGHT_DATABASE_URL, or keep it in a file/,
    ],
    [
      'a database twice',
      [...orc, ...issuer, '--database-url', url, '--database-url-file', 'x'],
      /say the same thing twice/,
    ],
    [
      'a database in no file',
      [...orc, ...issuer, '--database-url-file', 'x'],
      /--database-url-file: .*x cannot be read/,
    ],
    ['a bus without an address', [...orc, ...issuer, '--nats-creds', 'x'], /go with --nats-url/],
    ['a token for no webhook', [...orc, ...issuer, '--notify-token-file', 'x'], /go with --notify-url/],
    ['a flasher without work', flasher, /where is the work\?/],
    [
      'a flasher with two masters',
      [...flasher, '--facility', 'a', '--database-url', url, '--orchestrator-url', 'http://x'],
      /not for both/,
    ],
    [
      'a flasher without a token',
      [...flasher, '--facility', 'a', '--orchestrator-url', 'http://x'],
      /goes with --token-file/,
    ],
    [
      'a CA that is not needed',
      [...flasher, '--facility', 'a', '--bmc-ca', 'x', '--bmc-insecure', 'yes'],
      /contradict/,
    ],
    ['a size without a unit', [...flasher, '--image-cache-size', '20'], /a size like 500MiB or 20GiB/],
    ['a duration that is none', [...flasher, '--poll-first', 'soon'], /--poll-first soon: not a duration/],
    ['a level that is none', [...orc, '--log-level', 'loud'], /one of debug, info, warn, error/],
    ['a token for nothing', ['issue-token', ...issuer, '--subject', 'me'], /--scope is missing/],
    [
      'an option that there is not',
      [...orc, `--databse-url=${urlWithPassword}`],
      /unknown option '--databse-url=postgres:\/\/\[redacted\]@/,
    ],
  ];
  for (const [what, words, message] of cases) {
    test(`${what} is refused with a line that says so, without secrets`, async () => {
      const { code, out, err } = await run(words);
      assert.match(err, message);
      assert.equal(code, 2);
      assert.doesNotMatch(out + err, /not-to-be-seen/);
    });
  }

  test('a bad address in a file is told by the name of the file', async () => {
    writeFileSync(at('database-url'), 'mysql://me:not-to-be-seen@db/x\n');
    const { code, err } = await run([...orc, ...issuer], { RACKWRIGHT_DATABASE_URL_FILE: at('database-url') });
    assert.equal(code, 2);
    assert.match(err, /--database-url-file .*database-url: not a URL like postgres:/);
    assert.doesNotMatch(err, /not-to-be-seen/);
  });
});

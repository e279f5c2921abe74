import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { describe, test } from 'node:test';
import { Agent, buildConnector, request } from 'undici';
import { createEgress, type Egress } from './index.ts';

const whyNot = (egress: Egress, text: string) => egress.whyNot(new URL(text));

describe('without rules', () => {
  const egress = createEgress();
  for (const host of [
    ...['169.254.169.254', '2852039166', '0xa9fea9fe', '[::ffff:169.254.169.254]', '[fe80::1]', '[fd00:ec2::254]'],
    ...['[64:ff9b::169.254.169.254]', '[2002:a9fe:a9fe::1]', '100.100.100.200', '0.0.0.0', '[::]', '224.0.0.1'],
  ]) {
    test(`http://${host}/ is refused (security.md: egress-hosts)`, async () => {
      assert.match(whyNot(egress, `http://${host}/latest`) ?? '', /none that may be connected to/);
      assert.notEqual(await egress.check(new URL(`http://${host}/latest`)), undefined);
    });
  }
  for (const url of ['https://images.example/a', 'http://10.0.0.7/a', 'http://127.0.0.1:1/', 'https://[fd00::7]/']) {
    test(`${url} is taken`, () => assert.equal(whyNot(egress, url), undefined));
  }
  for (const url of ['ftp://images.example/a', 'file:///etc/passwd', 'gopher://10.0.0.1/']) {
    test(`${url} is refused for its scheme (security.md: egress-schemes)`, () =>
      assert.match(whyNot(egress, url) ?? '', /its scheme/));
  }
});

describe('with rules', () => {
  const hosts = ['images.example', '*.vendor.example', '10.1.0.0/16', 'fd00::/8'];
  const egress = createEgress({ schemes: ['https'], hosts });
  for (const [url, isTaken] of [
    ['https://images.example/a', true],
    ['https://IMAGES.example./a', true],
    ['https://a.images.example/a', true],
    ['https://downloads.vendor.example/a', true],
    ['https://10.1.2.3/a', true],
    ['https://10.2.2.3/a', false],
    ['https://[fd00::1]/a', true],
    ['http://images.example/a', false],
    ['https://169.254.169.254/a', false],
  ] as const) {
    // Where networks are named too, what a name stands for decides, and that is not known yet.
    test(`${url} is ${isTaken ? 'taken' : 'refused'}`, () => assert.equal(whyNot(egress, url) === undefined, isTaken));
  }

  test('names alone leave out all others (security.md: egress-hosts)', () => {
    const named = createEgress({ hosts: ['images.example', '*.vendor.example'] });
    for (const host of ['evil.example', 'vendor.example', 'evilvendor.example', '10.1.2.3', 'localhost'])
      assert.notEqual(whyNot(named, `https://${host}/`), undefined, host);
  });

  test('a wide network does not open guarded addresses, and naming one does (security.md: egress-hosts)', () => {
    const wide = createEgress({ hosts: ['0.0.0.0/0', '::/0'] });
    assert.notEqual(whyNot(wide, 'http://169.254.169.254/'), undefined);
    assert.notEqual(whyNot(wide, 'http://[fe80::1]/'), undefined);
    assert.equal(whyNot(wide, 'http://10.0.0.1/'), undefined);
    const named = createEgress({ hosts: ['169.254.10.0/24'] });
    assert.equal(whyNot(named, 'http://169.254.10.9/'), undefined);
    assert.notEqual(whyNot(named, 'http://169.254.169.254/'), undefined);
  });

  for (const text of ['', 'a b', 'https://x', '10.0.0.0/33', '*.', '*', '10.0.0', 'x/24']) {
    test(`${JSON.stringify(text)} is no rule`, () => {
      assert.throws(() => createEgress({ hosts: [text] }), /neither a name, \*\.domain, an address nor a network/);
    });
  }
});

describe('connections', () => {
  async function serve(t: { after(work: () => void): void }) {
    const seen: string[] = [];
    const server = createServer((asked, response) => {
      seen.push(String(asked.url));
      response.end('internal');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    return { seen, port: (server.address() as AddressInfo).port };
  }

  async function ask(egress: Egress, url: string): Promise<string> {
    const agent = new Agent({ connect: egress.guard(buildConnector({ lookup: egress.lookup })) });
    try {
      return await (await request(url, { dispatcher: agent })).body.text();
    } finally {
      await agent.destroy();
    }
  }

  test('go where they may, by address and by name', async (t) => {
    const { port } = await serve(t);
    assert.equal(await ask(createEgress(), `http://127.0.0.1:${port}/`), 'internal');
    assert.equal(await ask(createEgress({ hosts: ['localhost'] }), `http://localhost:${port}/`), 'internal');
    assert.equal(await ask(createEgress({ hosts: ['127.0.0.0/8', '::1'] }), `http://localhost:${port}/`), 'internal');
  });

  test('by a name that stands for what is not allowed are not made, and the message does not say what it stands for (security.md: egress-lookups)', async (t) => {
    const { port, seen } = await serve(t);
    const egress = createEgress({ hosts: ['10.0.0.0/8'] });
    assert.equal(whyNot(egress, `http://localhost:${port}/`), undefined);
    await assert.rejects(ask(egress, `http://localhost:${port}/`), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'EGRESS_REFUSED');
      assert.doesNotMatch(error.message, /127|::1/);
      return true;
    });
    assert.notEqual(await egress.check(new URL('http://localhost/')), undefined);
    await assert.rejects(ask(createEgress({ hosts: ['10.0.0.0/8'] }), `http://127.0.0.1:${port}/`), /egress-hosts/);
    assert.deepEqual(seen, []);
  });

  test('go to the very address that was looked up and judged (security.md: egress-lookups)', async () => {
    const egress = createEgress({ hosts: ['127.0.0.0/8', '::1'] });
    const looked = Promise.withResolvers<unknown>();
    const answer: Parameters<LookupFunction>[2] = (_, found) => looked.resolve(found);
    egress.lookup('localhost', { all: true }, answer);
    for (const { address } of (await looked.promise) as { address: string }[]) assert.match(address, /^(127\.|::1$)/);
  });
});

describe('what a source answers (security.md: egress-answers)', () => {
  for (const [host, hosts, isTold] of [
    ['93.184.216.34', [], true],
    ['10.0.0.7', [], false],
    ['127.0.0.1', [], false],
    ['localhost', [], false],
    ['[::ffff:10.0.0.7]', [], false],
    ['no-such-host.invalid', [], false],
    ['10.0.0.7', ['10.0.0.0/8'], true],
    ['localhost', ['localhost'], true],
  ] as const) {
    test(`of ${host} is ${isTold ? 'told' : 'kept'}${hosts.length === 0 ? '' : ` where ${hosts} is named`}`, async () => {
      assert.equal(await createEgress({ hosts }).mayDescribe(new URL(`http://${host}/`)), isTold);
    });
  }
});

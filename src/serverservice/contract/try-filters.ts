import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { JsonObject } from '../../engine/index.ts';
import type { Rig } from '../testing/rig.ts';
import type { OpenRig } from './inventory-contract.ts';

const data: Readonly<Record<string, JsonObject>> = {
  one: { cpu: { cores: 8, name: 'Xeon_4' }, isOn: true, rack: 'A1', tag: '8', odd: "it's" },
  two: { cpu: { cores: 16, name: 'EPYC 7' }, isOn: false, rack: 'a1', price: 1.5 },
  three: { cpu: { cores: '16', name: 'Xeon*4' }, rack: 'B%1', list: [8], nested: { cpu: { cores: 8 } } },
};

async function filled(rig: Rig): Promise<void> {
  for (const [name, each] of Object.entries(data)) {
    const attributes = [{ namespace: 'hw', data: each }];
    const { id } = await rig.service.servers.create({ facility: 'a', name, attributes });
    const owner = { kind: 'server', id } as const;
    await rig.service.versionedAttributes.append(owner, { namespace: 'hw', data: { old: 1 } });
    await rig.service.versionedAttributes.append(owner, { namespace: 'hw', data: each });
  }
}

/** Filters by attributes, and what people put into filters. */
export function tryFilters(open: OpenRig): void {
  const cases: [string[], string[]][] = [
    [['hw'], ['one', 'three', 'two']],
    [['nothing'], []],
    [['hw~cpu.cores~eq~8'], ['one']],
    [['hw~cpu.cores~eq~16'], ['three', 'two']],
    [['hw~cpu.cores~gt~8'], ['two']],
    [['hw~cpu.cores~lt~16'], ['one']],
    [['hw~cpu.cores~gt~7.5'], ['one', 'two']],
    [['hw~price~eq~1.5'], ['two']],
    [['hw~isOn~eq~true'], ['one']],
    [['hw~isOn~eq~false'], ['two']],
    [['hw~rack~eq~A1'], ['one']],
    [['hw~rack~like~%1'], ['one', 'three', 'two']],
    [['hw~rack~like~A%'], ['one']],
    [['hw~cpu.name~like~Xeon%'], ['one', 'three']],
    [['hw~cpu.name~like~Xeon_4'], ['one']],
    [['hw~cpu.name~like~Xeon*4'], ['three']],
    [['hw~cpu.name~like~%[a-z]%'], []],
    [['hw~tag~eq~8'], ['one']],
    [['hw~list~eq~8'], []],
    [['hw~cpu~eq~8'], []],
    [['hw~cpu.cores.deeper~eq~8'], []],
    [["hw~odd~eq~it's"], ['one']],
    [['hw~cpu.cores~gt~8', 'hw~rack~eq~a1'], ['two']],
    [['hw~cpu.cores~gt~8', 'hw~rack~eq~A1'], []],
    [
      ['hw~cpu.cores~gt~8', 'hw~rack~eq~A1~or'],
      ['one', 'two'],
    ],
    [['hw~cpu.cores~gt~8', 'hw~rack~eq~A1~and'], []],
    [['hw~rack~eq~A1', 'hw~rack~eq~a1~or', 'hw~isOn~eq~true'], ['one']],
  ];

  test('attributes are compared as their operator says, plain and versioned alike', async (t) => {
    const rig = await open(t);
    await filled(rig);
    for (const name of ['attr', 'ver_attr']) {
      for (const [filters, expected] of cases) {
        const query = new URLSearchParams(filters.map((filter): [string, string] => [name, filter]));
        const { status, body } = await rig.call('GET', `/servers?orderby=name&${query}`);
        assert.equal(status, 200, `${query} ${JSON.stringify(body)}`);
        assert.deepEqual(
          body.records.map((one: { name: string }) => one.name),
          expected,
          `${query}`,
        );
      }
    }
    const old = (await rig.call('GET', '/servers?ver_attr=hw~old~eq~1')).body;
    assert.equal(old.total_record_count, 0, 'only the newest version counts');
  });

  const bad: [string, RegExp][] = [
    ['attr=~a~eq~1', /begins with a namespace/],
    ['attr=hw~a', /operator is one of eq, like, gt, lt/],
    ['attr=hw~a~ne~1', /operator is one of eq, like, gt, lt/],
    ['attr=hw~a~eq', /has no value/],
    ['attr=hw~a~gt~abc', /gt compares numbers/],
    ['attr=hw~a..b~eq~1', /names with dots between/],
    ['attr=hw~a%22b~eq~1', /names with dots between/],
    ['attr=hw~a.0~eq~1', /without quotes or positions/],
    [`attr=hw~a~like~${'%25'.repeat(9)}`, /at most 8 times %/],
    [`attr=${'x'.repeat(1001)}`, /longer than 1000|more than 1024|NOT/],
    [Array(11).fill('attr=hw').join('&'), /more than 10/],
    ['orderby=id', /query\.orderby: must be one of created_at/],
    ['orderby=name;DROP TABLE inventory_servers', /query\.orderby/],
    ['limit=0', /query\.limit: must be >= 1/],
    ['limit=1001', /query\.limit: must be <= 1000/],
    ['page=0', /query\.page: must be >= 1/],
    ['page=1e99', /query\.page/],
    ['include-deleted=maybe', /query\.include-deleted: must be boolean/],
    ['facility=a', /unknown member facility/],
  ];
  test('a filter that cannot be read is refused with the reason', async (t) => {
    const { call } = await open(t);
    for (const [query, reason] of bad) {
      const { status, body } = await call('GET', `/servers?${query}`);
      assert.equal(status, 400, query);
      assert.match(body.error, reason);
    }
  });

  const injections = [
    `'; DROP TABLE inventory_servers; --`,
    `' OR '1'='1`,
    `" OR ""="`,
    `1) OR (1=1`,
    `a' UNION SELECT sealed FROM inventory_credentials --`,
    `$1`,
    `?`,
    `\\'; DELETE FROM inventory_servers; --`,
    `%' AND 1=CAST((SELECT 1) AS INTEGER) --`,
    `/* */ OR 1=1`,
    `E'\\x27'`,
    `$$; DROP TABLE inventory_servers; $$`,
    `$."a"`,
    `{"a":1}`,
  ];
  const lists: Readonly<Record<string, readonly string[]>> = {
    '/servers': ['facility-code', 'name', 'vendor', 'model', 'serial', 'attr', 'ver_attr', 'orderby'],
    '/servers/components': ['server-component-type', 'name', 'vendor', 'model', 'serial', 'orderby'],
    '/server-component-types': ['name', 'orderby'],
    '/server-component-firmwares': [
      'vendor',
      'model',
      'component',
      'version',
      'filename',
      'checksum',
      'repository_url',
      'orderby',
    ],
    '/server-component-firmware-sets': ['name', 'vendor', 'model', 'labels', 'orderby'],
    '/firmware-set': ['name', 'labels', 'id'],
    '/server-credential-types': ['orderby'],
    '/server-bios-config-sets': ['name', 'version', 'component', 'vendor', 'model', 'orderby'],
  };

  /** Nothing that a filter holds may find more than the same text in quotes would, or break anything. */
  async function isHarmless(rig: Rig, path: string, pairs: [string, string][]): Promise<void> {
    const { status, body } = await rig.call('GET', `${path}?${new URLSearchParams(pairs)}`);
    assert.ok(
      status === 200 || status === 400,
      `${path} ${JSON.stringify(pairs)} answered ${status} ${JSON.stringify(body)}`,
    );
    if (status === 200) assert.deepEqual(body.records, [], `${path} ${JSON.stringify(pairs)}`);
  }

  test('SQL in every filter is a value like any other', async (t) => {
    const rig = await open(t);
    await filled(rig);
    for (const [path, names] of Object.entries(lists)) {
      for (const name of names) {
        for (const text of injections) {
          const pairs: [string, string][] = [[name, text]];
          if (path.endsWith('sets') && (name === 'vendor' || name === 'model'))
            pairs.push([name === 'vendor' ? 'model' : 'vendor', text]);
          await isHarmless(rig, path, pairs);
        }
      }
    }
    for (const text of injections) {
      for (const filter of [
        `${text}~a~eq~1`,
        `hw~${text}~eq~1`,
        `hw~a~${text}~1`,
        `hw~rack~eq~${text}`,
        `hw~rack~like~${text}`,
      ]) {
        await isHarmless(rig, '/servers', [['attr', filter]]);
        await isHarmless(rig, '/servers', [['ver_attr', filter]]);
      }
    }
    assert.equal((await rig.call('GET', '/servers')).body.total_record_count, 3);
  });

  test('whatever text a filter holds, the answer is a list or a reason', async (t) => {
    const rig = await open(t);
    await filled(rig);
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom(...injections));
    const pair = fc.constantFrom(
      ...Object.entries(lists).flatMap(([path, names]) => names.map((name) => ({ path, name }))),
    );
    await fc.assert(
      fc.asyncProperty(pair, text, async ({ path, name }, value) => {
        const { status } = await rig.call('GET', `${path}?${new URLSearchParams([[name, value]])}`);
        assert.ok(status === 200 || status === 400);
      }),
      { numRuns: 150 },
    );
    const part = fc.oneof(text, fc.constantFrom('hw', 'cpu.cores', 'eq', 'like', 'gt', '8', 'or'));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
        const query = new URLSearchParams([['attr', parts.join('~')]]);
        const { status } = await rig.call('GET', `/servers?${query}`);
        assert.ok(status === 200 || status === 400);
      }),
      { numRuns: 150 },
    );
    assert.equal((await rig.call('GET', '/servers')).body.total_record_count, 3);
  });
}

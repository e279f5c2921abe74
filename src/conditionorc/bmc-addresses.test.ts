import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type AddressRelation, addressPairs, badAddresses } from '../bmc/index.ts';
import type { JsonObject } from '../engine/index.ts';
import { type BothServices, startBoth } from './testing/both-services.ts';

const login = { facility: 'fc1', 'bmc-user': 'root', 'bmc-pwd': 'calvin' };
const unused = 'https://192.0.2.99';

let both: BothServices;
const closing: (() => unknown)[] = [];
before(async () => {
  both = await startBoth({ after: (close) => closing.push(close as () => unknown) });
});
after(async () => {
  for (const close of closing) await close();
});

type Answer = Awaited<ReturnType<BothServices['call']>>;

async function enrol(path: string, address: string): Promise<{ answer: Answer; id: string }> {
  const answer = await both.call('POST', path, { parameters: { ...login, 'bmc-ip': address } });
  const record = answer.body.record as JsonObject | undefined;
  if (answer.status < 400)
    await both.engine.cancel(String(record?.id), { client: 't', isForced: false, doesInsist: false });
  return { answer, id: String(record?.target) };
}

/** Ways to say where the BMC of a server is; each gives the answer and the id of the server. */
const entrances: Readonly<Record<string, (address: string) => Promise<{ answer: Answer; id: string }>>> = {
  async 'POST /servers'(address) {
    const answer = await both.call('POST', '/servers', { facility_code: 'fc1', bmc_address: address });
    return { answer, id: String((answer.body.record as JsonObject | undefined)?.uuid) };
  },
  async 'PUT /servers'(address) {
    const { id } = await both.service.servers.create({ facility: 'fc1', bmcAddress: unused });
    const answer = await both.call('PUT', `/servers/${id}`, { bmc_address: address });
    if (answer.status >= 400) await both.service.servers.remove(id);
    return { answer, id };
  },
  async 'the attribute sh.hollow.bmc_info'(address) {
    const { id } = await both.service.servers.create({ facility: 'fc1', bmcAddress: unused });
    const answer = await both.call('PUT', `/servers/${id}/attributes/sh.hollow.bmc_info`, { data: { address } });
    if (answer.status >= 400) await both.service.servers.remove(id);
    return { answer, id };
  },
  'POST /serverEnroll': (address) => enrol('/serverEnroll', address),
  'POST /serverEnroll/UUID': (address) => enrol(`/serverEnroll/${randomUUID()}`, address),
};

async function lockOf(id: string): Promise<string | undefined> {
  return (await both.engine.machines.get(id))?.bmcId;
}

async function expectPair(
  enter: (typeof entrances)[string],
  [first, second]: readonly [string, string],
  relation: AddressRelation,
) {
  const one = await enter(first);
  assert.ok(one.answer.status < 300, JSON.stringify(one.answer.body));
  const other = await enter(second);
  try {
    if (relation === 'same' || relation === 'overlap') {
      assert.equal(other.answer.status, 409, JSON.stringify(other.answer.body));
      assert.match(String(other.answer.body.message), new RegExp(one.id), 'it names the server that is there');
      assert.deepEqual((other.answer.body.record as JsonObject | undefined)?.held_by, [one.id]);
      return;
    }
    assert.ok(other.answer.status < 300, JSON.stringify(other.answer.body));
    assert.equal((await lockOf(one.id)) === (await lockOf(other.id)), relation === 'siblings');
  } finally {
    await both.service.servers.remove(one.id);
    if (other.answer.status < 300) await both.service.servers.remove(other.id);
  }
}

for (const [name, enter] of Object.entries(entrances)) {
  describe(`by ${name}`, () => {
    for (const [one, other, relation] of addressPairs) {
      test(`${one} and ${other}: ${relation}`, async () => {
        await expectPair(enter, [one, other], relation);
        await expectPair(enter, [other, one], relation);
      });
    }

    for (const [text, why] of badAddresses) {
      test(`${text} is refused with what is wrong and what a right one looks like`, async () => {
        const { answer } = await enter(text);
        assert.equal(answer.status, 400, JSON.stringify(answer.body));
        assert.match(JSON.stringify(answer.body), why);
        assert.match(JSON.stringify(answer.body), /write it as https:\/\/10\.0\.0\.7:8443/);
        assert.doesNotMatch(JSON.stringify(answer.body), /hunter2/);
      });
    }
  });
}

describe('the filter bmc-address', () => {
  for (const [one, other, relation] of addressPairs) {
    test(`finds ${one} by ${other}: ${relation}`, async () => {
      const { id } = await both.service.servers.create({ facility: 'fc1', bmcAddress: one });
      const { body } = await both.call('GET', `/servers?bmc-address=${encodeURIComponent(other)}`);
      await both.service.servers.remove(id);
      const found = (body.records as JsonObject[]).map(({ uuid }) => uuid);
      assert.deepEqual(found, relation === 'same' || relation === 'overlap' ? [id] : []);
    });
  }

  test('refuses what is no address', async () => {
    const { status, body } = await both.call('GET', '/servers?bmc-address=https://10.0.0');
    assert.equal(status, 400);
    assert.match(String(body.message), /not a complete IPv4 address; write it as/);
  });
});

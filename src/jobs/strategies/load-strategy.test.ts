import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStrategyError, type StrategyErrorCode } from './errors.ts';
import { loadStrategy } from './load-strategy.ts';
import { defineStrategy, type Strategy } from './strategy.ts';

const work = async () => ({ outcome: 'succeeded' }) as const;
const plain: Strategy = { name: 'mine', update: work, scan: work };
const exported = (strategy: unknown) => async () => ({ strategy });

function refused(code: StrategyErrorCode, message: RegExp) {
  return (error: unknown) => {
    assert.ok(isStrategyError(error, code), String(error));
    assert.match(error.message, message);
    return true;
  };
}

test('redfish comes along and takes no settings', async () => {
  assert.equal((await loadStrategy({ enabled: ['redfish'] })).name, 'redfish');
  await assert.rejects(loadStrategy({ enabled: ['redfish'], settings: { a: 1 } }), refused('badStrategy', /settings/));
});

test('exactly one strategy can be enabled', async () => {
  await assert.rejects(loadStrategy({ enabled: [] }), refused('noStrategy', /redfish/));
  await assert.rejects(
    loadStrategy({ enabled: ['redfish', 'vendor-cli'] }),
    refused('severalStrategies', /redfish, vendor-cli/),
  );
  assert.equal((await loadStrategy({ enabled: ['redfish', ' redfish'] })).name, 'redfish');
});

test('a strategy of another package is loaded by the name of the package', async () => {
  const seen: string[] = [];
  const factory = defineStrategy({ name: 'mine', create: (settings) => ({ ...plain, name: String(settings) }) });
  const importPackage = async (name: string) => {
    seen.push(name);
    return { strategy: factory };
  };
  const made = await loadStrategy({ enabled: ['@acme/mine'], settings: 'told', importPackage });
  assert.deepEqual([made.name, seen], ['told', ['@acme/mine']]);
});

test('an unknown strategy and one that is none are told apart', async () => {
  await assert.rejects(
    loadStrategy({ enabled: ['no-such-strategy-package'] }),
    refused('unknownStrategy', /no-such-strategy-package.*redfish/),
  );
  for (const name of ['../x', '/etc/passwd', 'file:///x', 'a b', 'data:text/javascript,1', 'node:fs']) {
    await assert.rejects(loadStrategy({ enabled: [name] }), refused('unknownStrategy', /no name of a package/), name);
  }
  for (const wrong of [undefined, null, 1, {}, { name: 'x' }, { name: '', create: () => plain }]) {
    const choice = { enabled: ['acme'], importPackage: exported(wrong) };
    await assert.rejects(loadStrategy(choice), refused('badStrategy', /defineStrategy/));
  }
});

test('a strategy that refuses its settings, or makes nothing of use, says why at start', async () => {
  const refusing = defineStrategy({
    name: 'acme',
    create() {
      throw new Error('the command is missing');
    },
  });
  const half = defineStrategy({ name: 'acme', create: () => ({ name: 'acme', update: work }) as unknown as Strategy });
  await assert.rejects(
    loadStrategy({ enabled: ['acme'], importPackage: exported(refusing) }),
    refused('badStrategy', /the command is missing/),
  );
  await assert.rejects(
    loadStrategy({ enabled: ['acme'], importPackage: exported(half) }),
    refused('badStrategy', /no function scan/),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { Firmware, ServerFirmwareStatus } from '../../api/index.ts';
import { decideMember } from '../group/decide-member.ts';
import { readMemberSeen } from '../group/member-controller.ts';
import { decideServer } from '../server/decide-server.ts';
import { desiredHash, desiredOf } from '../server/desired.ts';
import { readServerSeen } from '../server/read-server.ts';
import {
  ago,
  planFacts,
  plannedFirmware,
  plannedGroup,
  plannedServer,
  planReading,
  planTime,
} from '../testing/plan-facts.ts';
import { fw } from '../testing/rig.ts';
import { planFirmware } from './plan-firmware.ts';
import { nameOf, type PlanFacts, settleFleet } from './settle-fleet.ts';

const list = fc
  .uniqueArray(fc.record({ name: fc.constantFrom('ssd', 'nic', 'bmc'), version: fc.constantFrom('1', '2', '3') }), {
    selector: ({ name }) => name,
    maxLength: 3,
  })
  .map((entries) => entries.map(({ name, version }): Firmware => fw(name, version)));

const groupName = fc.constantFrom('g', 'h');

const firmware = fc.record({
  labels: fc.option(groupName, { nil: undefined }),
  isBoth: fc.boolean(),
  group: fc.option(groupName, { nil: undefined }),
  entries: list,
  own: list,
  installed: list,
  scannedAgo: fc.option(fc.integer({ min: 0, max: 90 }), { nil: undefined }),
  failed: fc.integer({ min: 0, max: 4 }),
  failedAgo: fc.integer({ min: 0, max: 10 }),
  hasRequest: fc.constantFrom('no', 'scan', 'update', 'other-update'),
  isRetry: fc.boolean(),
  model: fc.constantFrom('7x21', 'other', undefined),
  hasServer: fc.boolean(),
});

const group = fc.record({ firmwares: list, isPaused: fc.boolean(), wasHalted: fc.boolean(), isRetry: fc.boolean() });

const facts = fc
  .record({ firmwares: fc.array(firmware, { minLength: 1, maxLength: 8 }), groups: fc.tuple(group, group) })
  .map(({ firmwares, groups }): PlanFacts => {
    const objects = firmwares.map((each, at) => {
      const labels = {
        ...(each.labels === undefined ? {} : { group: each.labels }),
        ...(each.isBoth ? { both: 'yes' } : {}),
      };
      const entries =
        each.group === undefined ? [] : each.entries.filter((one) => !each.own.some(({ name }) => name === one.name));
      const annotations = each.isRetry ? { 'metal.ironcore.dev/operation': 'retry' } : {};
      const bare = plannedFirmware(`s${at}`, {
        labels,
        annotations,
        entries,
        own: each.own,
        installed: each.installed,
        isNeverScanned: each.scannedAgo === undefined,
        ...(each.group === undefined ? {} : { group: each.group }),
      });
      const hash = desiredHash(desiredOf(bare, 'Lenovo'));
      const status: ServerFirmwareStatus = {
        ...bare.status,
        ...(each.scannedAgo === undefined ? {} : { lastScanTime: ago(each.scannedAgo) }),
        ...(each.failed === 0
          ? {}
          : { attempts: { desiredHash: hash, failed: each.failed, lastFailureTime: ago(each.failedAgo) } }),
        ...(each.hasRequest === 'scan' ? { request: { kind: 'Scan' as const, jobID: 'j', time: ago(1) } } : {}),
        ...(each.hasRequest.endsWith('update')
          ? {
              request: {
                kind: 'Update' as const,
                jobID: 'j',
                time: ago(1),
                desiredHash: each.hasRequest === 'update' ? hash : 'x',
              },
            }
          : {}),
      };
      return { ...bare, status };
    });
    const servers = firmwares.flatMap(({ hasServer, model }, at) =>
      hasServer ? [plannedServer(`s${at}`, { status: model === undefined ? { model: '' } : { model } })] : [],
    );
    const made = groups.map(({ firmwares: wanted, isPaused, wasHalted, isRetry }, at) => {
      const halted = {
        conditions: [
          {
            type: 'Halted',
            status: 'True' as const,
            reason: 'TooManyFailed',
            message: '',
            lastTransitionTime: ago(9),
            observedGeneration: 1,
          },
        ],
      };
      const name = at === 0 ? 'g' : 'h';
      const expression = { key: 'group', operator: 'In' as const, values: [name] };
      const selector = at === 0 ? { matchExpressions: [expression] } : { matchLabels: { both: 'yes' } };
      return plannedGroup(
        name,
        { firmwares: wanted, paused: isPaused, serverSelector: selector },
        {
          ...(wasHalted ? { status: halted } : {}),
          ...(isRetry ? { annotations: { 'metal.ironcore.dev/operation': 'retry' } } : {}),
        },
      );
    });
    return planFacts({ servers, firmwares: objects, groups: made });
  });

test('once groups have done what a plan takes to be done, they have nothing more to write, whatever the fleet', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { fleet, firmwares } = settleFleet(given, planReading, planTime);
      for (const each of firmwares) {
        const seen = readMemberSeen(fleet, nameOf(each));
        assert.ok(seen !== undefined);
        assert.deepEqual(decideMember(seen).effects, []);
      }
    }),
    { numRuns: 300 },
  );
});

test('what a plan says would be asked for is what the server-controller decides once groups have acted, effect for effect', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { fleet } = settleFleet(given, planReading, planTime);
      const { servers } = planFirmware({ facts: given, reading: planReading }, planTime);
      for (const plan of servers) {
        if (plan.serverFirmware === undefined) continue;
        const seen = readServerSeen(fleet, plan.serverFirmware, planReading);
        assert.ok(seen !== undefined);
        const { effects } = decideServer(seen, planTime);
        const asked = effects.filter(({ kind }) => kind === 'scan' || kind === 'update' || kind === 'withdraw');
        assert.deepEqual(
          plan.asks,
          asked.map(({ kind }) => kind),
        );
        const update = effects.find((effect) => effect.kind === 'update');
        if (update === undefined) continue;
        assert.equal(plan.state, 'update');
        const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
        assert.deepEqual(
          plan.installs
            .map(({ name, manufacturer, wanted: version }) => ({ name, manufacturer, version }))
            .toSorted(byName),
          update.request.firmwares.toSorted(byName),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test('a server is in one state, and one that is not as wanted says what would be done about it or why not', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { servers, totals } = planFirmware({ facts: given, reading: planReading }, planTime);
      assert.equal(
        Object.values(totals.byState).reduce((a, b) => a + b),
        servers.length,
      );
      for (const { state, installs, waiting, reasons, asks } of servers) {
        assert.equal(state === 'update', installs.length > 0);
        if (state === 'up-to-date')
          assert.deepEqual([waiting, reasons, asks.filter((ask) => ask !== 'withdraw')], [[], [], []]);
        if (state === 'blocked' || state === 'waits' || state === 'inert') assert.ok(reasons.length > 0);
      }
    }),
    { numRuns: 300 },
  );
});

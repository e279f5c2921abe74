import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { groupAnnotation, ironcoreApiVersion, operationAnnotation } from '../../src/api/index.ts';
import {
  checkGroup,
  checkServers,
  conditionOf,
  entriesOf,
  firmwaresOf,
  missingOf,
  missingOfGroup,
  ownersOf,
  type Wanted,
  type Wishes,
} from './expectations.ts';
import { type FaultPlan, planFaults } from './faults.ts';
import { type FirmwareFleet, type FleetOrder, operator, startFirmwareFleet } from './fleet.ts';
import { isFlashing, judgeLog } from './judge-log.ts';
import { dealRoles, type RoleServer, type Roles, type Tier } from './roles.ts';
import { tellTrouble } from './tell-trouble.ts';

/** How a run of the suite differs from another. */
export interface FleetRun extends FleetOrder {
  /**
   * The API server is restarted and `rackwright up` killed while images are written, and every twentieth BMC is faulty.
   */
  readonly isDisturbed: boolean;
}

const tierLabel = 'example.com/tier';

/**
 * Desired firmware from end to end, seen from outside only: objects through the API, servers through the simulator. Each step goes on from
 * the one before.
 */
export function runFirmwareFleetContract(name: string, run: FleetRun): void {
  describe(`firmware of ${run.servers} servers on ${name}${run.isDisturbed ? ', with disturbances' : ''}`, () => {
    const began = performance.now();
    let fleet: FirmwareFleet;
    let roles: Roles;
    let faults: FaultPlan | undefined;
    let isBroken = false;
    /** A step that goes on from one that failed would only wait for nothing. */
    const step = (title: string, work: (t: TestContext) => Promise<void>): void => {
      test(title, async (t) => {
        assert.equal(isBroken, false, 'an earlier step failed');
        isBroken = true;
        try {
          await work(t);
        } catch (error) {
          const trouble = await tellTrouble(fleet, roles).catch(String);
          throw new Error([error, trouble, fleet.complaints()].join('\n'), { cause: error });
        }
        isBroken = false;
        const seconds = Math.round((performance.now() - began) / 1000);
        t.diagnostic(`after ${seconds} s, with ${Math.round(fleet.cpuSeconds())} s of processor time in all processes`);
      });
    };

    before(async () => {
      fleet = await startFirmwareFleet(run);
      const { simulator } = fleet;
      roles = dealRoles(await simulator.servers(), await simulator.catalog());
      faults = run.isDisturbed ? planFaults(roles) : undefined;
      await simulator.setFaults(faults?.rules ?? []);
    });
    after(() => fleet?.close());

    step('BMCs become servers whose firmware, and what can be had for it, is known', async () => {
      await fleet.applyBmcs();
      await fleet.until('all servers are scanned', async () => {
        const firmwares = await firmwaresOf(fleet);
        return firstOf(roles.all.map((server) => missingOf(firmwares.get(server.object), server)));
      });
      const servers = new Map((await fleet.servers.list()).items.map((each) => [each.metadata.name, each]));
      assert.equal(servers.size, roles.all.length);
      for (const server of roles.all) {
        const { manufacturer, model, serialNumber } = servers.get(server.object)?.status ?? {};
        const is = { manufacturer, model, serialNumber };
        assert.deepEqual(is, {
          manufacturer: roles.manufacturerOf(server),
          model: server.model,
          serialNumber: server.serial,
        });
      }
      const models = new Set(roles.all.map(({ model }) => model));
      await fleet.until('all models are discovered', async () => {
        const { items } = await fleet.discovered.list();
        const known = items.filter((each) => (each.status?.bios?.versions ?? []).length > 0);
        return items.length === models.size && known.length === models.size ? undefined : JSON.stringify(items);
      });
    });

    step('labels put servers into two groups, and all of them get what they are to have', async () => {
      await override(fleet, roles.overridden, entriesOf(overrideOf(roles), roles.manufacturerOf(roles.overridden)));
      for (const server of roles.alone) {
        await override(fleet, server, entriesOf(ownWishOf(roles, server), roles.manufacturerOf(server)));
      }
      for (const { object, tier } of roles.all) await label(fleet, object, tier);
      for (const tier of ['steady', 'edge'] as const) await applyGroup(fleet, roles, { tier, fromNewest: 2 });
      if (faults !== undefined) {
        await untilFlashing(fleet, roles.steady);
        await fleet.restartApi();
        await untilStuck(fleet, roles, faults);
        await mend(fleet, faults);
      }
      await untilConverged(fleet, roles, ['steady', 'edge']);
      await checkServers(fleet, roles, wantedOf(roles, { steady: 2, edge: 2 }));
      for (const tier of ['steady', 'edge'] as const) {
        checkGroup(await fleet.groups.get({ name: tier }), roles[tier].length);
      }
    });

    step('a group that wants another version gets it everywhere but where somebody wants another', async () => {
      await override(fleet, roles.kept, entriesOf(keptOf(roles), roles.manufacturerOf(roles.kept)));
      await applyGroup(fleet, roles, { tier: 'steady', fromNewest: 1 });
      if (run.isDisturbed) {
        await untilFlashing(fleet, roles.steady);
        await fleet.killUp();
      }
      await untilConverged(fleet, roles, ['steady', 'edge']);
      await checkServers(fleet, roles, wantedOf(roles, { steady: 1, edge: 2, kept: keptOf(roles) }));
      checkGroup(await fleet.groups.get({ name: 'steady' }), roles.steady.length);
      const overridden = await fleet.firmwares.get({ name: roles.overridden.object });
      const manufacturer = roles.manufacturerOf(roles.overridden);
      assert.deepEqual(ownersOf(overridden, { name: 'bios', manufacturer }), [operator]);
      assert.deepEqual(ownersOf(overridden, { name: 'bmc', manufacturer }), ['rackwright-server-group']);
    });

    step('a deleted group takes its entries back and leaves the rest', async () => {
      const written = await countWritten(fleet, roles, faults);
      await fleet.groups.delete({ name: 'edge' });
      await fleet.until('the entries of the group are gone', async () => {
        const firmwares = await firmwaresOf(fleet);
        return firstOf(
          roles.edge.map(({ object, name }) => {
            const { spec, metadata } = firmwares.get(object) ?? {};
            const entries = spec?.firmwares?.length ?? 0;
            const isOfGroup = metadata?.annotations?.[groupAnnotation] !== undefined;
            return entries === (name === roles.kept.name ? 2 : 0) && !isOfGroup
              ? undefined
              : `${object} has ${entries}`;
          }),
        );
      });
      await untilConverged(fleet, roles, ['steady']);
      await checkServers(fleet, roles, wantedOf(roles, { steady: 1, kept: keptOf(roles) }));
      assert.equal(await countWritten(fleet, roles, faults), written, 'nothing is installed for that');
    });

    step('no image was written where it was already, and no two updates met on a BMC', async (t) => {
      const verdicts = await judgeAll(fleet, roles, faults);
      assert.deepEqual(
        verdicts.flatMap(({ server, violations }) => violations.map((each) => `${server.name}: ${each}`)),
        [],
      );
      // Where a BMC did not tell whether it took an image, the power of its host is left as it is.
      const power = (await fleet.simulator.servers())
        .filter((each) => each.power !== 'Off' && faults?.faulty.has(each.name) !== true)
        .map(({ name }) => name);
      assert.deepEqual(power, [], 'hosts that were off are off again');
      const [written, again] = [sum(verdicts.map((each) => each.written)), sum(verdicts.map((each) => each.again))];
      t.diagnostic(`${written} images written, ${again} of them again after the BMC had failed`);
    });
  });
}

function firstOf(all: readonly (string | undefined)[]): string | undefined {
  const found = all.filter((each) => each !== undefined);
  return found.length === 0 ? undefined : `${found.length} are not ready, such as: ${found.slice(0, 5).join('; ')}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function version(roles: Roles, server: RoleServer, order: { component: 'bios' | 'bmc'; fromNewest: number }): string {
  return roles.versionsOf(server, order.component).at(-order.fromNewest) ?? assert.fail(`${server.model} has too few`);
}

/** What a group wants: two components, or one. */
function wishesOf(roles: Roles, { tier, fromNewest }: { tier: Tier; fromNewest: number }): Wishes {
  const [server] = roles[tier];
  assert.ok(server !== undefined);
  const bmc = version(roles, server, { component: 'bmc', fromNewest });
  return tier === 'edge' ? { bmc } : { bmc, bios: version(roles, server, { component: 'bios', fromNewest }) };
}

function overrideOf(roles: Roles): Wishes {
  return { bios: version(roles, roles.overridden, { component: 'bios', fromNewest: 3 }) };
}

function keptOf(roles: Roles): Wishes {
  return {
    bmc: version(roles, roles.kept, { component: 'bmc', fromNewest: 3 }),
    bios: version(roles, roles.kept, { component: 'bios', fromNewest: 1 }),
  };
}

function ownWishOf(roles: Roles, server: RoleServer): Wishes {
  return { bios: version(roles, server, { component: 'bios', fromNewest: 1 }) };
}

/** What each server is to have while the groups want these versions. */
function wantedOf(roles: Roles, at: { steady: number; edge?: number; kept?: Wishes }): Wanted {
  const steady = wishesOf(roles, { tier: 'steady', fromNewest: at.steady });
  const edge = at.edge === undefined ? {} : wishesOf(roles, { tier: 'edge', fromNewest: at.edge });
  return new Map<RoleServer, Wishes>([
    ...roles.steady.map((server) => [server, steady] as const),
    ...roles.edge.map((server) => [server, edge] as const),
    ...roles.alone.map((server) => [server, ownWishOf(roles, server)] as const),
    [roles.overridden, { ...steady, ...overrideOf(roles) }],
    [roles.kept, { ...edge, ...at.kept }],
  ]);
}

async function override(fleet: FirmwareFleet, { object }: RoleServer, firmwares: object[]): Promise<void> {
  const body = {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmware',
    metadata: { name: object },
    spec: { firmwares },
  };
  await fleet.firmwares.patch({ name: object }, { type: 'apply', body, isForced: true }, { fieldManager: operator });
}

async function label(fleet: FirmwareFleet, name: string, tier: Tier): Promise<void> {
  const body = { metadata: { labels: { [tierLabel]: tier } } };
  await fleet.servers.patch({ name }, { type: 'merge', body }, { fieldManager: operator });
}

async function applyGroup(
  fleet: FirmwareFleet,
  roles: Roles,
  { tier, fromNewest }: { readonly tier: Tier; readonly fromNewest: number },
): Promise<void> {
  const [server] = roles[tier];
  assert.ok(server !== undefined);
  const manufacturer = roles.manufacturerOf(server);
  await fleet.groups.apply(
    {
      apiVersion: ironcoreApiVersion,
      kind: 'ServerFirmwareGroup',
      metadata: { name: tier },
      spec: {
        manufacturer,
        model: server.model,
        serverSelector: { matchLabels: { [tierLabel]: tier } },
        firmwares: entriesOf(wishesOf(roles, { tier, fromNewest }), manufacturer),
      },
    },
    { fieldManager: operator },
  );
}

/** Until several servers are in the middle of it. */
async function untilFlashing(fleet: FirmwareFleet, servers: readonly RoleServer[]): Promise<void> {
  const wanted = Math.ceil(servers.length / 10);
  await fleet.until('images are being written', async () => {
    const logs = await Promise.all(servers.map(({ name }) => fleet.simulator.logOf(name)));
    const flashing = logs.filter(isFlashing).length;
    return flashing >= wanted ? undefined : `${flashing} of ${wanted}`;
  });
}

/** The groups count first: what they say has to be so when the servers are looked at. */
async function untilConverged(fleet: FirmwareFleet, roles: Roles, tiers: readonly Tier[]): Promise<void> {
  for (const tier of tiers) {
    const { length } = roles[tier];
    await fleet.until(`all servers of ${tier} are as wanted`, () => missingOfGroup(fleet, tier, { servers: length }));
  }
  await fleet.until('all servers are as wanted', async () => {
    const firmwares = await firmwaresOf(fleet);
    return firstOf(roles.all.map((server) => missingOf(firmwares.get(server.object), server)));
  });
}

/** A server that fails with the same again and again gives up, and its group counts it. */
async function untilStuck(fleet: FirmwareFleet, roles: Roles, { stuck }: FaultPlan): Promise<void> {
  const { length } = roles.steady;
  await fleet.until('all but one of steady are as wanted', () =>
    missingOfGroup(fleet, 'steady', { servers: length, open: 1 }),
  );
  await fleet.until('it has given up', async () => {
    const firmware = await fleet.firmwares.get({ name: stuck.object });
    const is = conditionOf(firmware, 'Stalled');
    return is.startsWith('True') ? undefined : `${is}, ${conditionOf(firmware, 'UpToDate')}`;
  });
  await fleet.until('its group counts it as failed', async () => {
    const { status } = await fleet.groups.get({ name: 'steady' });
    return status?.updatesFailed === 1 && status.updatesNotApplied === 1 ? undefined : JSON.stringify(status);
  });
}

/** Somebody repairs the BMC and says so. */
async function mend(fleet: FirmwareFleet, { stuck, mended }: FaultPlan): Promise<void> {
  await fleet.simulator.setFaults(mended);
  const body = { metadata: { annotations: { [operationAnnotation]: 'retry' } } };
  await fleet.firmwares.patch({ name: stuck.object }, { type: 'merge', body }, { fieldManager: operator });
}

async function judgeAll(fleet: FirmwareFleet, roles: Roles, faults: FaultPlan | undefined) {
  return Promise.all(
    roles.all.map(async (server) => ({
      server,
      ...judgeLog(await fleet.simulator.logOf(server.name), { isFaulty: faults?.faulty.has(server.name) === true }),
    })),
  );
}

async function countWritten(fleet: FirmwareFleet, roles: Roles, faults: FaultPlan | undefined): Promise<number> {
  return sum((await judgeAll(fleet, roles, faults)).map((each) => each.written));
}

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { isEngineError, type JsonObject, type WorkOutcome } from '../../engine/index.ts';
import type { InventoryReport } from '../../flasher/index.ts';
import type { Strategy, StrategyFactory, StrategyTools } from '../strategies/strategy.ts';
import { createTestCondition, leaseTestWork, ProcessDied, type TestCondition } from './test-work.ts';

/** For tests of strategies: one server that wants firmware, and the tools to bring it there. */
export interface StrategyScene {
  readonly tools: StrategyTools;
  /** `server/...`, as `tools.servers` knows it. */
  readonly target: string;
  /** Of a `firmwareInstall`: images with their digests. The server does not have these versions yet. */
  readonly parameters: JsonObject;
  /** True once the server has what the parameters ask for. */
  isInstalled(): boolean | Promise<boolean>;
  /** How often something was written to the server: a flash that is begun twice counts twice. */
  countInstalls(): number;
  /** From now on another machine answers at the address of the server, which `tools.servers` knows by UUID or serial number. */
  putOtherMachine?(): void;
  /** Everything is run by it, for scenes whose time is not real; called at once unless given. */
  run?<T>(work: () => Promise<T>): Promise<T>;
}

/** For tests of strategies: what is tried, and on what. */
export interface StrategyContract {
  readonly factory: StrategyFactory;
  readonly settings?: unknown;
  /** Settings that it must refuse. */
  readonly badSettings: readonly unknown[];
  /** A fresh server for each test. */
  scene(context: TestContext): Promise<StrategyScene>;
  /** Tried for each of these numbers of reports after which a process dies; 1 to 4 unless given. */
  readonly deaths?: readonly number[];
  /** The scenes have `putOtherMachine`, which is tried then. False unless given. */
  readonly hasOtherMachine?: boolean;
}

/** Tries what every strategy has to keep. Call it from a test file of node:test. */
export function runStrategyContract(name: string, contract: StrategyContract): void {
  const { factory, settings } = contract;
  const open = async (context: TestContext) => {
    const scene = await contract.scene(context);
    const inventories: InventoryReport[] = [];
    const tools: StrategyTools = {
      ...scene.tools,
      inventorySink: {
        async write(report) {
          inventories.push(report);
        },
      },
    };
    const strategy = await factory.create(settings);
    return { scene, inventories, tools, strategy };
  };

  describe(`the strategy ${name}`, () => {
    test('has its name, and makes strategies of it', async () => {
      const strategy = await factory.create(settings);
      assert.equal(factory.name.trim(), factory.name);
      assert.notEqual(factory.name, '');
      assert.equal(strategy.name, factory.name);
    });

    test('says what is wrong with settings that it cannot use', async () => {
      for (const bad of contract.badSettings) {
        const created = async () => factory.create(bad);
        await assert.rejects(
          created,
          (error) => error instanceof Error && error.message.length > 10,
          JSON.stringify(bad),
        );
      }
    });

    test('a scan hands on what is installed, under its lease, and installs nothing', async (context) => {
      const { scene, strategy, tools, inventories } = await open(context);
      const condition = createTestCondition({ kind: 'inventoryOOB', target: scene.target, parameters: {} });
      assert.equal((await live('scan', { strategy, tools, condition, scene })).outcome, 'succeeded');
      const [report] = inventories;
      assert.equal(report?.target, scene.target);
      assert.equal(report?.lease.token, condition.leases);
      assert.ok((report?.inventory.firmware.length ?? 0) > 0, 'the inventory has no firmware in it');
      assert.equal(scene.countInstalls(), 0);
    });

    test('an update installs what is asked for, says how far it is, and done again installs nothing', async (context) => {
      const { scene, strategy, tools } = await open(context);
      const update = () =>
        createTestCondition({ kind: 'firmwareInstall', target: scene.target, parameters: scene.parameters });
      const first = update();
      assert.deepEqual(reasonOf(await live('update', { strategy, tools, condition: first, scene })), undefined);
      assert.equal(await scene.isInstalled(), true);
      assert.ok(first.reports.length > 0, 'it reported nothing: its lease would have ended');
      assert.equal(first.isCancelUnsafe, false, 'it ended and left a cancel forbidden');
      const installs = scene.countInstalls();
      assert.deepEqual(reasonOf(await live('update', { strategy, tools, condition: update(), scene })), undefined);
      assert.equal(scene.countInstalls(), installs);
    });

    for (const diesAfter of contract.deaths ?? [1, 2, 3, 4]) {
      test(`a process that dies after report ${diesAfter} is followed by one that ends the update`, async (context) => {
        const { scene, strategy, tools } = await open(context);
        const condition = createTestCondition({
          kind: 'firmwareInstall',
          target: scene.target,
          parameters: scene.parameters,
        });
        const died = await live('update', { strategy, tools, condition, scene, diesAfter }).catch(
          (error: unknown) => error,
        );
        if (died instanceof Error && !(died instanceof ProcessDied)) throw died;
        // It had ended before it could die.
        if (!(died instanceof Error)) return assert.equal((died as WorkOutcome).outcome, 'succeeded');
        assert.deepEqual(reasonOf(await live('update', { strategy, tools, condition, scene })), undefined);
        assert.equal(await scene.isInstalled(), true);
        const { firmwares } = scene.parameters;
        assert.equal(scene.countInstalls(), Array.isArray(firmwares) ? firmwares.length : 1, 'it installed twice');
      });
    }

    for (const diesAfter of contract.hasOtherMachine === true ? [undefined, 1] : []) {
      const what = diesAfter === undefined ? 'an update' : 'an update that a process has begun';
      test(`${what} leaves a machine alone that took the place of the server, as a scan does, and says so`, async (context) => {
        const { scene, strategy, tools, inventories } = await open(context);
        const { target, parameters } = scene;
        const condition = createTestCondition({ kind: 'firmwareInstall', target, parameters });
        if (diesAfter !== undefined) {
          const died = live('update', { strategy, tools, condition, scene, diesAfter });
          await assert.rejects(died, (error) => error instanceof ProcessDied);
        }
        scene.putOtherMachine?.();
        await assertOtherMachine(live('update', { strategy, tools, condition, scene }));
        const scan = createTestCondition({ kind: 'inventoryOOB', target, parameters: {} });
        await assertOtherMachine(live('scan', { strategy, tools, condition: scan, scene }));
        assert.equal(scene.countInstalls(), 0);
        assert.deepEqual(inventories, []);
      });
    }

    test('a cancel before anything was begun leaves the server alone', async (context) => {
      const { scene, strategy, tools } = await open(context);
      const condition = createTestCondition({
        kind: 'firmwareInstall',
        target: scene.target,
        parameters: scene.parameters,
      });
      condition.isCancelAsked = true;
      await assertCancelled(live('update', { strategy, tools, condition, scene }));
      assert.equal(scene.countInstalls(), 0);
    });

    test('a lost lease ends it, and nothing is installed after that', async (context) => {
      const { scene, strategy, tools } = await open(context);
      const condition = createTestCondition({
        kind: 'firmwareInstall',
        target: scene.target,
        parameters: scene.parameters,
      });
      await assert.rejects(live('update', { strategy, tools, condition, scene, isLost: true }), (error) =>
        hasCode(error, 'leaseLost'),
      );
      assert.equal(scene.countInstalls(), 0);
    });
  });
}

interface Life {
  readonly strategy: Strategy;
  readonly tools: StrategyTools;
  readonly condition: TestCondition;
  readonly scene: StrategyScene;
  readonly diesAfter?: number;
  readonly isLost?: boolean;
}

/** One process that works on a condition. */
function live(
  what: 'update' | 'scan',
  { strategy, tools, condition, scene, diesAfter, isLost }: Life,
): Promise<WorkOutcome> {
  const work = async (): Promise<WorkOutcome> => {
    const leased = leaseTestWork(condition, { clock: tools.clock, ...(diesAfter === undefined ? {} : { diesAfter }) });
    // Another has it by now.
    if (isLost === true) condition.leases += 1;
    return await strategy[what](leased, tools);
  };
  return scene.run === undefined ? work() : scene.run(work);
}

/** A strategy may throw the cancel on, or end with it. */
async function assertCancelled(ended: Promise<WorkOutcome>): Promise<void> {
  const end = await ended.catch((error: unknown) => error);
  if (isEngineError(end, 'cancelled')) return;
  assert.equal(reasonOf(end as WorkOutcome), 'Cancelled');
}

/** The same of a machine that is another one. */
async function assertOtherMachine(ended: Promise<WorkOutcome>): Promise<void> {
  const end = await ended.catch((error: unknown) => error);
  if (hasCode(end, 'otherMachine')) return;
  if (end instanceof Error) throw end;
  assert.equal(reasonOf(end as WorkOutcome), 'OtherMachine');
}

function reasonOf(end: WorkOutcome): string | undefined {
  if (end.outcome === 'succeeded') return undefined;
  return end.outcome === 'failed' ? end.reason.code : `released: ${end.why}`;
}

/** The gate of a BMC throws an error of its own for it. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

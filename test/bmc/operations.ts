import assert from 'node:assert/strict';
import {
  type Bmc,
  clearJobQueue,
  describeUpdateService,
  ejectMedia,
  findStartedUpdate,
  followInstall,
  insertMedium,
  type JsonObject,
  listVirtualDrives,
  machineIdOf,
  markBeforeInstall,
  parseEvents,
  planBiosChange,
  readBios,
  readBiosOutcome,
  readBmcClock,
  readBoot,
  readBootOptions,
  readFirmware,
  readIndicator,
  readInventory,
  readPower,
  readProgress,
  readSecureBoot,
  resetManager,
  setBmcClock,
  setBootOrder,
  setBootOverride,
  setIndicator,
  setPower,
  setSecureBoot,
  stageBios,
  startInstall,
  subscribe,
  unsubscribe,
  verifyInstalled,
  waitForPost,
  waysIn,
} from '../../src/bmc/index.ts';
import type { RecordedBmc } from './recorded-bmc.ts';
import { assertFirmware, assertInventory, assertStorable, assertWord } from './well-formed.ts';

/** Something that is done with a BMC that answers strangely; it checks what comes of it. */
export interface Operation {
  readonly name: string;
  /** Most requests that it may take. */
  readonly most: number;
  run(bmc: Bmc, recorded: RecordedBmc): Promise<void>;
}

const minute = 60_000;
const powerStates = ['on', 'off', 'changing', 'unknown'];
const progressKinds = [
  'running',
  'waits-for-host-reset',
  'waits-for-bmc-reset',
  'suspended',
  'waits-for-start',
  'completed',
  'gone',
  'unreachable',
  'failed',
];
const outcomeKinds = ['completed', 'gone', 'waits-for-reset', 'waits-for-start', 'failed', 'deadline', 'stopped'];

async function changeBios(bmc: Bmc): Promise<void> {
  const bios = await readBios(bmc);
  for (const value of [...bios.current.values(), ...bios.pending.values()]) {
    assertWord(typeof value, ['string', 'number', 'boolean']);
  }
  const known = Object.fromEntries([...bios.current].slice(0, 20).map(([name, value]) => [name, `${value}x`]));
  const plan = planBiosChange(bios, { ...known, ProcVirtualization: 'Disabled', NoSuchThing: 1, toString: true });
  for (const { message } of plan.problems) assert.ok(message.length > 5);
  const staged = await stageBios(bmc, bios, { ...plan, problems: [] });
  assertStorable(staged);
  const outcome = await readBiosOutcome(bmc, staged);
  assertWord(outcome.kind, ['applied', 'pending', 'failed']);
}

async function changeBoot(bmc: Bmc): Promise<void> {
  const boot = await readBoot(bmc);
  assertStorable(boot);
  await setBootOverride(bmc, { enabled: 'Once', target: 'Pxe' });
  const options = await readBootOptions(bmc);
  await setBootOrder(bmc, options.map(({ reference }) => reference).toReversed());
}

async function changeSettings(bmc: Bmc): Promise<void> {
  assertStorable(await readIndicator(bmc));
  await setIndicator(bmc, { state: 'lit' });
  assertStorable(await readSecureBoot(bmc));
  await setSecureBoot(bmc, { isEnabled: false });
  const { offsetMs } = await readBmcClock(bmc);
  assert.ok(offsetMs === undefined || Number.isFinite(offsetMs));
  await setBmcClock(bmc);
}

async function changeMedia(bmc: Bmc): Promise<void> {
  assertStorable(await listVirtualDrives(bmc));
  await insertMedium(bmc, { image: 'http://127.0.0.1:9/image.iso' });
  await ejectMedia(bmc);
}

async function changeSubscription(bmc: Bmc): Promise<void> {
  const { uri } = await subscribe(bmc, { destination: 'http://127.0.0.1:9/events', context: 'x' });
  await unsubscribe(bmc, uri);
}

/** Everything that is done with BMCs, by what it is called. */
export const operations: readonly Operation[] = [
  { name: 'inventory', most: 1500, run: async (bmc) => assertInventory(await readInventory(bmc)) },
  { name: 'firmware', most: 800, run: async (bmc) => assertFirmware(await readFirmware(bmc)) },
  {
    name: 'machine id',
    most: 60,
    run: async (bmc) => assert.match(await machineIdOf(bmc), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  },
  { name: 'BIOS', most: 100, run: changeBios },
  {
    name: 'power',
    most: 60,
    run: async (bmc) => assertWord((await readPower(bmc)).state, powerStates),
  },
  ...(['on', 'off', 'reset', 'cycle'] as const).map(
    (target): Operation => ({
      name: `power ${target}`,
      most: 400,
      async run(bmc) {
        const wish = { target, isGraceful: target === 'off', gracePeriodMs: minute, deadlineMs: 3 * minute };
        assertStorable(await setPower(bmc, wish));
      },
    }),
  ),
  { name: 'POST', most: 400, run: async (bmc) => assertStorable(await waitForPost(bmc, { deadlineMs: 15 * minute })) },
  {
    name: 'BMC reset',
    most: 600,
    run: async (bmc) => assertStorable(await resetManager(bmc, { deadlineMs: 5 * minute })),
  },
  { name: 'boot', most: 200, run: changeBoot },
  { name: 'settings', most: 100, run: changeSettings },
  { name: 'media', most: 200, run: changeMedia },
  { name: 'subscription', most: 100, run: changeSubscription },
  {
    name: 'update offer',
    most: 60,
    async run(bmc) {
      const offer = await describeUpdateService(bmc);
      assertStorable(offer);
      for (const way of waysIn(offer)) assertWord(way, ['multipart', 'push', 'pull']);
    },
  },
  {
    name: 'update progress',
    most: 60,
    run: async (bmc, { started }) => assertWord((await readProgress(bmc, started)).kind, progressKinds),
  },
  {
    name: 'update following',
    // A BMC that says something else each time is asked about every second.
    most: 1500,
    async run(bmc, { started }) {
      const outcome = await followInstall(bmc, started, { deadlineMs: 4 * minute });
      assertWord(outcome.kind, outcomeKinds);
      assertStorable(outcome);
    },
  },
  {
    name: 'update search',
    most: 300,
    async run(bmc, { release, mark }) {
      const finding = await findStartedUpdate(bmc, release.order, mark);
      assertWord(finding.kind, ['started', 'not-started', 'unknown']);
      assertStorable(finding);
      assertStorable(await markBeforeInstall(bmc, release.order));
    },
  },
  {
    name: 'update start',
    most: 400,
    async run(bmc, { release }) {
      const started = await startInstall(bmc, release.order, { checkDeadlineMs: 5 * minute });
      assertStorable(started);
      for (const uri of [started.taskUri, started.jobUri, started.monitorUri]) assert.ok(uri?.startsWith('/') ?? true);
    },
  },
  {
    name: 'update verification',
    most: 800,
    async run(bmc, { release }) {
      const match = ({ component }: { readonly component: string }) => component === 'bios';
      const order = { match, version: release.version, deadlineMs: 40_000, consecutiveReads: 2 };
      assertWord((await verifyInstalled(bmc, order)).kind, ['installed', 'staged', 'other-version', 'unreadable']);
    },
  },
  { name: 'job queue', most: 100, run: async (bmc) => clearJobQueue(bmc, { isForced: true }) },
];

/** Events are hints: whatever comes in is taken apart without an error. */
export function takeEvents(payload: unknown): void {
  const { hints, malformed } = parseEvents(payload);
  assert.ok(Number.isInteger(malformed) && malformed >= 0);
  for (const { origin, messageId, at } of hints) {
    assert.ok(origin === undefined || origin.startsWith('/'));
    assert.ok(messageId === undefined || typeof messageId === 'string');
    assert.ok(at === undefined || Number.isFinite(at));
  }
}

/** A payload as BMCs push it. */
export const samplePayload: JsonObject = {
  '@odata.type': '#Event.v1_4_0.Event',
  Id: '7',
  Name: 'Event Array',
  Context: 'x',
  Events: [
    {
      EventType: 'Alert',
      EventId: '1',
      EventTimestamp: '2026-01-01T00:00:00Z',
      Severity: 'OK',
      Message: 'The task with id 1 has completed.',
      MessageId: 'TaskEvent.1.0.TaskCompletedOK',
      MessageArgs: ['1'],
      OriginOfCondition: { '@odata.id': '/redfish/v1/TaskService/Tasks/1' },
    },
    { MessageId: 'ResourceEvent.1.0.ResourceChanged', OriginOfCondition: '/redfish/v1/Systems/1' },
  ],
};

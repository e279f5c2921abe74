import assert from 'node:assert/strict';
import {
  createSteppedClock,
  type PersonalityName,
  personalityNames,
  type RunningBmc,
  startDataCentre,
} from '../../simulator/index.ts';
import { connectOver } from '../../src/bmc/connect.ts';
import {
  type Bmc,
  createGates,
  ejectMedia,
  type GateLane,
  type GateReply,
  insertMedium,
  isBmcError,
  type JsonObject,
  type JsonValue,
  markBeforeInstall,
  planBiosChange,
  readBios,
  resetManager,
  type StartedUpdate,
  setBmcClock,
  setBootOverride,
  setIndicator,
  setPower,
  setSecureBoot,
  stageBios,
  startInstall,
  subscribe,
  unsubscribe,
} from '../../src/bmc/index.ts';
import { type Clock, sleep } from '../../src/kube/index.ts';
import { openShelf, type Release } from './release.ts';

/** Resources by path. */
export type Tree = Readonly<Record<string, JsonObject>>;

/** What a BMC really answers: its resources while an update runs and when it is over, and its answers to changes. */
export interface RecordedBmc {
  readonly personality: PersonalityName;
  readonly running: Tree;
  readonly over: Tree;
  /** Answers to POST, PATCH and DELETE by `METHOD path`. */
  readonly changes: ReadonlyMap<string, GateReply>;
  readonly started: StartedUpdate;
  readonly mark: Awaited<ReturnType<typeof markBeforeInstall>>;
  readonly release: Release;
  readonly canExpand: boolean;
}

/** Records one BMC of every vendor; the folder of images is theirs until `close`. */
export async function recordBmcs(): Promise<{ readonly bmcs: readonly RecordedBmc[]; close(): Promise<void> }> {
  const clock = createSteppedClock();
  const servers = personalityNames.length;
  const dataCentre = await startDataCentre({ seed: 31, servers, isPlain: true, arePoweredOn: true, clock });
  const shelf = await openShelf();
  try {
    const recordings = dataCentre.bmcs.map((running) =>
      clock.run(running.name, async (party) => {
        const release = await shelf.make(running.machine, 'bios');
        return recordOne(running, party, release);
      }),
    );
    return { bmcs: await Promise.all(recordings), close: () => shelf.close() };
  } finally {
    await dataCentre.close();
    clock.close();
  }
}

async function recordOne(running: RunningBmc, clock: Clock, release: Release): Promise<RecordedBmc> {
  const random = () => 0.5;
  const gates = createGates({ clock, random, settings: { idleLogOutMs: 1e9 } });
  const { url, username, password, machine } = running;
  const credentials = async () => ({ username, password });
  const changes = new Map<string, GateReply>();
  const lane = gates.open({ origin: url, credentials, trust: { kind: 'system', allowsHttp: true } });
  const bmc = connectOver({ gate: recordChanges(lane, changes), clock, random });
  try {
    await makeChanges(bmc);
    if (machine.personality.name === 'openbmc') await setPower(bmc, { target: 'off' });
    const mark = await markBeforeInstall(bmc, release.order);
    const started = await startInstall(bmc, release.order);
    await sleep(clock, 30_000);
    const whileRunning = await crawl(lane, started);
    await sleep(clock, 30 * 60_000);
    const over = await crawl(lane, started);
    const { hasExpand } = await bmc.root();
    const facts = { personality: machine.personality.name, changes, started, mark, release, canExpand: hasExpand };
    return { ...facts, running: whileRunning, over };
  } finally {
    await gates.close();
  }
}

/** Everything that can be changed is, once. */
async function makeChanges(bmc: Bmc): Promise<void> {
  for (const target of ['off', 'on', 'reset', 'cycle'] as const) await setPower(bmc, { target });
  const bios = await readBios(bmc);
  const wished = [...(bios.registry ?? [])].find(([, { isReadOnly, type }]) => !isReadOnly && type === 'Enumeration');
  assert.ok(wished !== undefined);
  const [name, { values }] = wished;
  const other = values.find(({ value }) => value !== bios.current.get(name))?.value ?? '';
  await stageBios(bmc, bios, planBiosChange(bios, { [name]: other }));
  const tries: readonly (() => Promise<unknown>)[] = [
    () => setBootOverride(bmc, { enabled: 'Once', target: 'Pxe' }),
    () => setIndicator(bmc, { state: 'lit' }),
    () => setSecureBoot(bmc, { isEnabled: true }),
    () => setBmcClock(bmc),
    () => insertMedium(bmc, { image: 'http://127.0.0.1:9/image.iso' }),
    () => ejectMedia(bmc),
    async () =>
      unsubscribe(bmc, (await subscribe(bmc, { destination: 'http://127.0.0.1:9/events', context: 'x' })).uri),
    () => resetManager(bmc),
  ];
  for (const each of tries) await each().catch(passOver);
}

/** What a vendor cannot do is not recorded. */
function passOver(error: unknown): void {
  if (!isBmcError(error, 'unsupported', 'refused', 'deadline')) throw error;
}

function recordChanges(lane: GateLane, changes: Map<string, GateReply>): GateLane {
  return {
    origin: lane.origin,
    endpoint: lane.endpoint,
    get sessionUri() {
      return lane.sessionUri;
    },
    get state() {
      return lane.state;
    },
    async request(request) {
      const reply = await lane.request(request);
      if (request.method !== 'GET') changes.set(`${request.method} ${request.path}`, reply);
      return reply;
    },
    openEventStream: (path, signal, headers) => lane.openEventStream(path, signal, headers),
    expectOutage: () => lane.expectOutage(),
    logOut: () => lane.logOut(),
  };
}

/** Follows every link that leads to a resource of this BMC. */
async function crawl(lane: GateLane, started: StartedUpdate): Promise<Tree> {
  const tree: Record<string, JsonObject> = {};
  const open = ['/redfish/v1', started.taskUri, started.jobUri, started.monitorUri].filter(
    (path) => path !== undefined,
  );
  const seen = new Set(open);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const { status, body } = await lane.request({ method: 'GET', path, accept: [400, 403, 404, 405, 410] });
    if (status >= 300) continue;
    tree[path] = body;
    for (const link of linksIn(body)) {
      const bare = link.split('#')[0]?.replace(/\/+$/, '') ?? '';
      if (!bare.startsWith('/') || /\/(?:Entries|Sessions|SSE|JsonSchemas|LogServices)\b/i.test(bare) || seen.has(bare))
        continue;
      seen.add(bare);
      open.push(bare);
    }
  }
  return tree;
}

function linksIn(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(linksIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const isLink = name === '@odata.id' || name === 'Uri' || name.endsWith('@odata.nextLink');
    return isLink && typeof member === 'string' ? [member] : linksIn(member);
  });
}

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fc } from '#fast-check';
import { personalityNames } from '../../simulator/index.ts';
import { connectOver } from '../../src/bmc/connect.ts';
import { type GateRequest, isBmcError, type JsonObject } from '../../src/bmc/index.ts';
import { createHurriedClock } from '../../src/bmc/testing/hurried-clock.ts';
import { createScriptedGate, type ScriptedAnswer, type ScriptedGate } from '../../src/bmc/testing/scripted-gate.ts';
import { type Answer, type Change, change, changed } from './mutate-answer.ts';
import { type Operation, operations, samplePayload, takeEvents } from './operations.ts';
import { type RecordedBmc, recordBmcs } from './recorded-bmc.ts';

const seed = 20_260_501;
const leastMutated = 20_000;

let recording: Awaited<ReturnType<typeof recordBmcs>>;
/** Digests of what was fed, so that an answer that is asked for again and again counts once. */
const fed = new Set<string>();
let fedAgain = 0;
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
const untouched = prototypes();

before(async () => {
  process.on('unhandledRejection', onUnhandled);
  recording = await recordBmcs();
});

after(async () => {
  process.off('unhandledRejection', onUnhandled);
  await recording.close();
});

/** All that could be put on objects which everybody shares. */
function prototypes(): string {
  return [Object.prototype, Array.prototype, String.prototype, Function.prototype]
    .map((each) => Reflect.ownKeys(each).map(String).join())
    .join('\n');
}

/** Which answers are changed, and how. */
interface Plan {
  readonly bmc: number;
  readonly isOver: boolean;
  /** Every so many answers, beginning with the given one, are changed. */
  readonly every: number;
  readonly first: number;
  readonly changes: readonly Change[];
}

const plan: fc.Arbitrary<Plan> = fc.record({
  bmc: fc.nat(personalityNames.length - 1),
  isOver: fc.boolean(),
  every: fc.constantFrom(1, 1, 2, 3, 7, 1000),
  first: fc.nat(12),
  changes: fc.array(change, { minLength: 1, maxLength: 6 }),
});

interface Bench {
  readonly recorded: RecordedBmc;
  readonly gate: ScriptedGate;
  readonly clock: ReturnType<typeof createHurriedClock>;
}

/** A BMC that answers as the recorded one did, but for what the plan changes. */
function spoiltBmc({ bmc, isOver, every, first, changes }: Plan, most: number): Bench {
  const recorded = recording.bmcs[bmc];
  assert.ok(recorded !== undefined);
  const tree = isOver ? recorded.over : recorded.running;
  const others = Object.values(tree);
  let index = -first;
  const alter = (answer: ScriptedAnswer, request: GateRequest) => {
    const turn = index++;
    // Told at once: what goes on without end would never come to be checked.
    assert.ok(gate.sent.length <= most, `more than ${most} requests`);
    if (turn < 0 || turn % every !== 0) return answer;
    return alterOnce(answer, request, { change: changes[(turn / every) % changes.length], others });
  };
  const gate = createScriptedGate({ tree, alter, canExpand: recorded.canExpand });
  for (const [line, { status, headers, body }] of recorded.changes) {
    const known = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? '']));
    gate.on(line, (request) => {
      obey(gate, request);
      return { status, headers: known, body };
    });
  }
  return { recorded, gate, clock: createHurriedClock(recorded.started.startedAt) };
}

/** The power of the host follows the reset that was asked for. */
function obey(gate: ScriptedGate, { path, body }: GateRequest): void {
  const type = typeof body?.open === 'function' ? undefined : (body as JsonObject | undefined)?.ResetType;
  const system = /^(.*)\/Actions\/ComputerSystem\.Reset$/.exec(path)?.[1];
  if (system !== undefined) gate.change(system, { PowerState: /off|shutdown/i.test(String(type)) ? 'Off' : 'On' });
}

function alterOnce(
  answer: ScriptedAnswer,
  request: GateRequest,
  how: { readonly change: Change | undefined; readonly others: readonly JsonObject[] },
): ScriptedAnswer | 'malformed' | 'ambiguous' {
  if (how.change === undefined) return answer;
  const { status = 200, headers = {}, body } = answer;
  const before: Answer = { status, headers, body, cut: 0 };
  const now = changed(before, how.change, how.others);
  const text = now.body === undefined ? '' : JSON.stringify(now.body);
  if (now.status === status && now.cut === 0 && text === JSON.stringify(body) && now.headers === headers) return answer;
  countOnce(`${request.method} ${request.path} ${now.status} ${now.cut} ${JSON.stringify(now.headers)} ${text}`);
  // What the gate itself makes of bodies that are cut, or no objects.
  const isObject =
    now.body === undefined || (typeof now.body === 'object' && now.body !== null && !Array.isArray(now.body));
  if (now.cut > 0 || !isObject) return request.method === 'GET' ? 'malformed' : 'ambiguous';
  const etag = now.headers.etag ?? answer.etag;
  const spoilt = {
    status: now.status,
    headers: now.headers,
    body: text === '' ? {} : (JSON.parse(text) as JsonObject),
  };
  return etag === undefined ? spoilt : { ...spoilt, etag };
}

function countOnce(answer: string): void {
  const digest = hash('sha256', answer, 'base64');
  if (fed.has(digest)) fedAgain += 1;
  else fed.add(digest);
}

async function tryOnce(operation: Operation, order: Plan): Promise<void> {
  const { recorded, gate, clock } = spoiltBmc(order, operation.most);
  const bmc = connectOver({ gate, clock, random: () => 0.5 });
  const startedMs = clock.monotonic();
  try {
    await operation.run(bmc, recorded);
  } catch (error) {
    if (!isBmcError(error)) throw error;
    assert.ok(error.message.length > 10 && !error.message.includes('secret'), error.message);
  }
  for (const { path } of gate.sent) assert.match(path, /^\/(?!\/)[^\s\\]*$/, 'only the BMC itself is asked');
  assert.ok(clock.monotonic() - startedMs <= 6 * 3_600_000, 'it ends');
  assert.equal(gate.outages, 0, 'an expected outage is taken back');
  assert.equal(clock.pending, 0, 'no timer is left');
  assert.equal(prototypes(), untouched);
}

const runs: Readonly<Record<string, number>> = { inventory: 1800, firmware: 800 };

for (const operation of operations) {
  test(`${operation.name}: whatever a BMC answers, there is a result or a BmcError, within bounds`, async () => {
    const property = fc.asyncProperty(plan, (order) => tryOnce(operation, order));
    await fc.assert(property, { seed, numRuns: runs[operation.name] ?? 300 });
    assert.deepEqual(unhandled, []);
  });
}

test('events: whatever a BMC pushes is taken apart without an error', () => {
  const property = fc.property(change, fc.anything(), (how, anything) => {
    const answer = changed({ status: 200, headers: {}, body: samplePayload, cut: 0 }, how, []);
    countOnce(JSON.stringify(answer));
    takeEvents(answer.body);
    takeEvents(anything);
  });
  fc.assert(property, { seed, numRuns: 2000 });
  assert.equal(prototypes(), untouched);
});

test('at least 20,000 mutated answers were fed to the client', (t) => {
  t.diagnostic(`${fed.size} different mutated answers were fed to the client, and ${fedAgain} of them again`);
  assert.ok(fed.size >= leastMutated, `${fed.size} mutated answers`);
});

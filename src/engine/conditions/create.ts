import { traced, traceparentHere } from '../../telemetry/index.ts';
import { heldBackBy, type MachineHolds } from '../claims/claim.ts';
import { findClaim } from '../claims/claim-row.ts';
import type { Condition } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import type { CreateOrder, CreateOutcome } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { ReadyWork } from '../hints.ts';
import type { MachineRecord } from '../machine.ts';
import { lockKeyOf, machineIdOf, modelKeyOf, readMachine } from '../machines/machine-row.ts';
import { type Row, type Transaction, UniqueViolation } from '../store/database.ts';
import { readCondition, readStored, type StoredCondition, textOf } from './condition-row.ts';
import { insertConditions, type NewCondition } from './insert-condition.ts';
import { findLeftWork, type LeftWork } from './left-work.ts';
import { decideLine } from './line.ts';
import { forUpdate, lockLines } from './lock-lines.ts';
import { writeEvents } from './outbox.ts';
import { type PlannedOrder, planOrder } from './plan-order.ts';
import type { QueueCount } from './queue-count.ts';
import { readInLine, readLineRows, type SeenInLine, settleKeys } from './settle-line.ts';

/** What was found before creating. */
interface Scene {
  readonly order: CreateOrder;
  readonly planned: readonly PlannedOrder[];
  readonly machine: MachineRecord | undefined;
  readonly holds: MachineHolds;
  readonly lockKey: string;
  /** Of whoever asks; the store may do several orders at once. */
  readonly traceparent: string | undefined;
}

interface Created {
  readonly outcome: CreateOutcome;
  readonly ready: readonly ReadyWork[];
}

/** Creates conditions, or finds that they are there already. Throws what `planOrder` throws, `unknownMachine`, `queueFull`, `kindQueueFull`, `blockedQueueFull`. */
export async function createConditions(
  context: EngineContext,
  queue: QueueCount,
  order: CreateOrder,
): Promise<CreateOutcome> {
  const planned = planOrder(context, order);
  const kinds = planned.map((one) => one.definition.kind).join(' ');
  const plan = { name: `order ${kinds}`, kind: 'producer', attributes: { 'rackwright.target': order.target } } as const;
  return await traced(plan, async (span) => {
    const outcome = await createPlanned(context, queue, { order, planned });
    const first = 'conditions' in outcome ? outcome.conditions[0] : undefined;
    span.set({ 'rackwright.outcome': outcome.outcome, 'rackwright.condition': first?.id });
    return outcome;
  });
}

async function createPlanned(
  context: EngineContext,
  queue: QueueCount,
  { order, planned }: Pick<Scene, 'order' | 'planned'>,
): Promise<CreateOutcome> {
  const traceparent = traceparentHere();
  const attempt = (): Promise<Created> =>
    context.write((tx) => createIn(context, tx, { order, planned, queue, traceparent }));
  // Two doors that ask at once: the unique index lets one in, and the other looks again and finds it.
  const { outcome, ready } = await retryOnUnique(attempt, 5);
  if (outcome.outcome === 'created') {
    for (const one of outcome.conditions) {
      context.metrics.created(one.kind);
      context.hints.changed(one);
    }
    context.hints.work(ready);
  }
  return outcome;
}

async function retryOnUnique<T>(attempt: () => Promise<T>, tries: number): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UniqueViolation) || left <= 1) throw error;
    }
  }
}

async function createIn(
  context: EngineContext,
  tx: Transaction,
  asked: Pick<Scene, 'order' | 'planned' | 'traceparent'> & { readonly queue: QueueCount },
): Promise<Created> {
  const { order, planned, queue, traceparent } = asked;
  const { machine, holds } = await findMachine(context, tx, order.target);
  const scene: Scene = { order, planned, machine, holds, lockKey: lockKeyOf(order.target, machine), traceparent };
  await lockLines(context, tx, [scene.lockKey]);
  // All of a target are in one line: what waits follows its machine, and a machine at work keeps its BMC.
  const rows = await readLineRows(tx, [scene.lockKey]);
  const found = findOpen(scene, rows);
  if (found !== undefined) return { outcome: found, ready: [] };
  const kinds = planned.map((one) => one.definition);
  const [first] = kinds;
  const holdCode = first === undefined ? undefined : heldBackBy({ ...first, owner: order.owner }, holds)?.code;
  await queue.admit(tx, { kinds, facility: facilityFor(scene), holdCode });
  return await store(context, tx, { ...scene, line: rows.map(readInLine) });
}

const nobody: MachineHolds = { hold: undefined, claim: undefined, rival: undefined };

/** The machine, locked: what holds it or where it is must not change before the condition is stored. */
async function findMachine(
  context: EngineContext,
  tx: Transaction,
  target: string,
): Promise<Pick<Scene, 'machine' | 'holds'>> {
  const machineId = machineIdOf(target);
  if (machineId === undefined) return { machine: undefined, holds: nobody };
  const row = await tx.first(`SELECT * FROM machines WHERE id = ?${forUpdate(context)}`, machineId);
  if (row === undefined) throw new EngineError('unknownMachine', { machine: machineId });
  const machine = readMachine(row);
  const claim = row.claim_owner === null ? undefined : await findClaim(tx, textOf(row, 'claim_owner'));
  const rival = row.claim_rival === null ? undefined : textOf(row, 'claim_rival');
  return { machine, holds: { hold: machine.hold, claim, rival } };
}

/** What is un-finalized on the target already: the same as asked for, or something in its way. */
function findOpen({ order, planned }: Scene, rows: readonly Row[]): CreateOutcome | undefined {
  const own = rows.filter((row) => row.target === order.target && row.owner === (order.owner ?? ''));
  const byKind = new Map(own.map((row): [string, Row] => [String(row.kind), row]));
  const matches: Condition[] = [];
  for (const one of planned) {
    const row = byKind.get(one.definition.kind);
    if (row === undefined) continue;
    const condition = readCondition(row);
    if (row.parameters !== one.parametersText) return { outcome: 'conflict', current: condition };
    matches.push(condition);
  }
  const [first] = matches;
  if (first === undefined) return undefined;
  const isWhole = matches.length === planned.length && matches.every((one) => one.unit === first.unit);
  return isWhole ? { outcome: 'existing', conditions: matches } : { outcome: 'conflict', current: first };
}

async function store(
  context: EngineContext,
  tx: Transaction,
  scene: Scene & { readonly line: readonly SeenInLine[] },
): Promise<Created> {
  const { lockKey, holds, line } = scene;
  const left: (LeftWork | undefined)[] = [];
  for (const one of scene.planned)
    left.push(await findLeftWork(context, tx, { target: scene.order.target, planned: one }));
  const drafts = draftConditions(context, tx, { ...scene, left });
  const standings = new Map(
    decideLine([...line, ...drafts.map((one) => inLineOf(one, holds))]).map((one) => [one.id, one]),
  );
  const rows = await insertConditions(
    tx,
    drafts.map((draft) => ({ draft, standing: standings.get(draft.id) })),
  );
  const stored = rows.map(readStored).sort((a, b) => a.condition.unitIndex - b.condition.unitIndex);
  // Somebody with a lesser priority may have to stand back; nobody else's standing changes.
  if (line.some((one) => !one.isActive)) await settleKeys(tx, [lockKey]);
  await writeEvents(
    context,
    tx,
    stored.map((one, index) => createdEvent(one, left[index])),
  );
  const ready = stored
    .filter((one) => one.isReady)
    .map(({ condition }) => ({ facility: condition.facility, kind: condition.kind, conditionId: condition.id }));
  return { outcome: { outcome: 'created', conditions: stored.map((one) => one.condition) }, ready };
}

function createdEvent(about: StoredCondition, left: LeftWork | undefined) {
  const { client, unit } = about.condition;
  return { event: 'created', about, detail: { client, unit, ...(left === undefined ? {} : { goesOnWith: left.id }) } };
}

function facilityFor({ machine, order }: Pick<Scene, 'machine' | 'order'>): string {
  return machine?.facility ?? order.facility ?? '';
}

function draftConditions(
  context: EngineContext,
  tx: Transaction,
  scene: Scene & { readonly left: readonly (LeftWork | undefined)[] },
): readonly NewCondition[] {
  const { order, planned, machine, lockKey, left, traceparent } = scene;
  const ids = planned.map(() => context.newId(tx.now));
  return planned.map((one, index): NewCondition => {
    const id = ids[index] ?? '';
    return {
      id,
      unit: ids[0] ?? id,
      unitIndex: index,
      unitSize: planned.length,
      target: order.target,
      machineId: machine?.id,
      lockKey,
      planned: one,
      facility: facilityFor(scene),
      modelKey: machine === undefined ? '' : modelKeyOf(machine),
      client: order.client,
      owner: order.owner,
      traceparent,
      now: tx.now,
      left: left[index],
    };
  });
}

function inLineOf(draft: NewCondition, holds: MachineHolds) {
  const { definition } = draft.planned;
  return {
    id: draft.id,
    isActive: false,
    sharing: definition.sharing,
    priority: draft.planned.priority,
    createdAt: draft.now,
    isBegun: false,
    isTurn: draft.unitIndex === 0,
    target: draft.target,
    hold: heldBackBy({ ...definition, owner: draft.owner }, holds),
  };
}

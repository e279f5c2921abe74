import {
  type Condition,
  type ConditionOrder,
  type Engine,
  isEngineError,
  isFinal,
  type JsonObject,
  type JsonValue,
  targetOf,
} from '../../engine/index.ts';
import type { DeskAnswer, DeskLook, DeskMade, DeskOrder, FirmwareDesk } from './ports.ts';

type EngineParts = Pick<Engine, 'cancel' | 'create' | 'get' | 'machines'>;

/** Orders changes of firmware as conditions of the engine: its workers do them, one at a time for each machine. */
export function createEngineDesk(engine: EngineParts): FirmwareDesk {
  return {
    order: (order) => place(engine, order),
    whyUnknown: async (order) => ((await findMachine(engine, order)) === undefined ? unknown(order) : undefined),
    async look(ids) {
      const conditions = await Promise.all(ids.map((id) => engine.get(id)));
      return judge(conditions);
    },
    async cancel(ids, client) {
      // The last first: what waits for another must not begin when that one ends.
      for (const id of ids.toReversed()) {
        const condition = await engine.get(id);
        if (condition === undefined || isFinal(condition.state)) continue;
        await engine.cancel(id, { client, isForced: false, doesInsist: false });
      }
    },
  };
}

async function place(engine: EngineParts, order: DeskOrder): Promise<DeskAnswer> {
  const { settings, firmwares, client, isLiveUpdate, gracePeriodMs } = order;
  const machine = await findMachine(engine, order);
  if (machine === undefined) {
    return { kind: 'refused', message: unknown(order) };
  }
  const hasSettings = Object.keys(settings).length > 0;
  const grace = gracePeriodMs === undefined ? {} : { grace_period_seconds: Math.round(gracePeriodMs / 1000) };
  const change = { action: 'set_config', attributes: { ...settings }, ...grace };
  const orders: ConditionOrder[] = [
    ...(hasSettings ? [{ kind: 'biosControl', parameters: change }] : []),
    ...(firmwares.length > 0 ? [{ kind: 'firmwareInstall', parameters: { firmwares: [...firmwares], ...grace } }] : []),
  ];
  const owner = isLiveUpdate ? { owner: client } : {};
  try {
    const created = await engine.create({ target: targetOf(machine), orders, client, ...owner });
    if (created.outcome === 'conflict') {
      const { kind, state, client: other } = created.current;
      return { kind: 'busy', message: `${other} asked for another ${kind} on it, which is ${state}` };
    }
    return { kind: 'taken', conditions: created.conditions.map(({ id }) => id) };
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return { kind: error.retry === 'transient' ? 'busy' : 'refused', message: error.message };
  }
}

function unknown({ machine, address }: MachineName): string {
  return `the install service does not know the machine ${machine} at ${address}: enrol it (POST /api/v1/serverEnroll) before its firmware is changed`;
}

type MachineName = Pick<DeskOrder, 'machine' | 'address'>;

async function findMachine({ machines }: EngineParts, order: MachineName): Promise<string | undefined> {
  const names = [
    { kind: 'machine-id', value: order.machine },
    { kind: 'bmc-address', value: order.address },
  ] as const;
  return (await machines.findByNames(names))?.id;
}

function judge(conditions: readonly (Condition | undefined)[]): DeskLook {
  const isAllOver = conditions.every((each) => each === undefined || isFinal(each.state));
  if (!isAllOver) return { kind: 'going', message: progressOf(conditions) };
  const failed = conditions.find((each) => each === undefined || each.state === 'failed');
  const made = madeIn(conditions);
  if (conditions.some((each) => each === undefined || each.state === 'failed')) {
    return { kind: 'failed', message: failed?.reason?.message ?? 'the record of the work is gone', made };
  }
  const left = conditions.flatMap((each) => leftOutOf(each?.status));
  return left.length === 0 ? { kind: 'done' } : { kind: 'failed', message: left.join('; '), made };
}

function madeIn(conditions: readonly (Condition | undefined)[]): DeskMade {
  const areSettingsMade = conditions.some((each) => each?.kind === 'biosControl' && each.state === 'succeeded');
  const images = conditions.flatMap((each) => [
    ...objectsIn(each?.status.actions).flatMap(({ state, firmware_id: id }) => (state === 'succeeded' ? [id] : [])),
    ...objectsIn(each?.status.skipped).flatMap(({ why, firmware_id: id }) => (isAsWished(why) ? [id] : [])),
  ]);
  return { areSettingsMade, images: images.filter((id) => typeof id === 'string') };
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is JsonObject => typeof each === 'object' && each !== null && !Array.isArray(each));
}

const whatOf: Readonly<Record<string, string>> = { biosControl: 'BIOS settings', firmwareInstall: 'firmware' };

/** What goes on, or what it waits for. Percents are rounded down to tens: a status is written whenever this changes. */
function progressOf(conditions: readonly (Condition | undefined)[]): string | undefined {
  const open = conditions.filter((each) => each !== undefined && !isFinal(each.state));
  const current = open.find((each) => each?.state === 'active') ?? open[0];
  if (current === undefined) return undefined;
  const { kind, state, status, reason } = current;
  const done = typeof status.percent === 'number' ? ` (${Math.floor(status.percent / 10) * 10} %)` : '';
  const said = typeof status.message === 'string' && status.message !== '' ? status.message : 'it begins';
  return `${whatOf[kind] ?? kind}: ${state === 'active' ? `${said}${done}` : (reason?.message ?? 'waits for a worker')}`;
}

/** An install may leave out what does not fit, and succeed. Who asked for that image on this host is told so. */
function isAsWished(why: JsonValue | undefined): boolean {
  return why === 'current' || why === 'duplicate';
}

function leftOutOf(status: JsonObject | undefined): readonly string[] {
  return objectsIn(status?.skipped).flatMap(({ why, message }) =>
    typeof why === 'string' && !isAsWished(why) ? [String(message ?? why)] : [],
  );
}

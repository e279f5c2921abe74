import {
  type Condition,
  type ConditionOrder,
  type CreateOrder,
  type CreateOutcome,
  type Engine,
  type JsonObject,
  type MachineRecord,
  targetOf,
} from '../../engine/index.ts';
import { OrcError } from '../errors.ts';
import type { OrcMetrics } from '../orc-metrics.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import { showCondition } from '../records/condition-record.ts';
import type { FollowUps } from '../store/follow-ups.ts';
import { type FirmwareCatalogue, freezeFirmware } from './freeze-firmware.ts';
import { isServed, requireServed } from './require-served.ts';
import { fromShippedKind } from './shipped-kinds.ts';

/** What orders are placed with. */
export interface OrderDesk {
  readonly engine: Pick<Engine, 'create' | 'machines' | 'kinds' | 'controllers'>;
  /** True where hosts boot an agent when they are asked to. */
  readonly areAgentsPromised: boolean;
  readonly inventory: InventoryPort | undefined;
  /** Where installs are noted whose inventory has to come later; without it they wait for the one that is there. */
  readonly store: { readonly followUps: FollowUps } | undefined;
  readonly metrics: Pick<OrcMetrics, 'queued' | 'watchDependency'>;
}

/** What somebody asks for on a server. */
export interface WorkOrder {
  readonly serverId: string;
  readonly kind: string;
  readonly parameters: JsonObject;
  readonly client: string;
  readonly priority?: number;
  readonly deadlineMs?: number;
  /** Runs after it, in the same unit. */
  readonly followedBy?: readonly ConditionOrder[];
}

/** What became of an order. */
export interface PlacedOrder {
  readonly machine: MachineRecord;
  /** The unit, in the order in which it is done. */
  readonly conditions: readonly Condition[];
  /** The one that was asked for. */
  readonly asked: Condition;
  /** False when it was there already, asked for with equal parameters. */
  readonly isNew: boolean;
}

/** The machine of a server. Throws `unknownServer`. */
export async function requireMachine(
  desk: { readonly engine: Pick<Engine, 'machines'> },
  serverId: string,
): Promise<MachineRecord> {
  const machine = await desk.engine.machines.get(serverId.toLowerCase());
  if (machine === undefined) throw new OrcError('unknownServer', { server: serverId });
  return machine;
}

/**
 * Places an order: a firmware install is frozen and followed by an inventory, in one unit. Throws `unknownServer`,
 * `badParameters`, `conflict` with the current record, and what the engine refuses.
 */
export async function placeOrder(desk: OrderDesk, order: WorkOrder): Promise<PlacedOrder> {
  const machine = await requireMachine(desk, order.serverId);
  const orders = await composeOrders(desk, { ...order, serverId: machine.id }, machine);
  for (const { kind } of orders) await requireServed(desk, machine, kind);
  const outcome = await create(desk, { target: targetOf(machine.id), orders, client: order.client });
  if (outcome.outcome === 'conflict') {
    const { kind, id, state } = outcome.current;
    throw new OrcError('conflict', { kind, id, state }, { record: showCondition(outcome.current) as JsonObject });
  }
  const isNew = outcome.outcome === 'created';
  for (const one of outcome.conditions) desk.metrics.queued(one.kind, isNew ? 'created' : 'existing');
  return { machine, conditions: outcome.conditions, asked: askedOf(outcome.conditions, order), isNew };
}

function askedOf(conditions: readonly Condition[], order: WorkOrder): Condition {
  const kind = fromShippedKind(order).kind.toLowerCase();
  const asked = conditions.find((one) => one.kind.toLowerCase() === kind) ?? conditions[0];
  if (asked === undefined) throw new TypeError('the engine took an order and made no condition');
  return asked;
}

/**
 * An inventory that somebody else asked for is no reason to refuse an install, nor is an install that another door asked
 * for alone another one: then the install goes alone, and its inventory is asked for when it has succeeded.
 */
async function create(desk: OrderDesk, order: CreateOrder): Promise<CreateOutcome> {
  const outcome = await desk.engine.create(order);
  const [install, inventory, ...more] = order.orders;
  if (outcome.outcome !== 'conflict' || desk.store === undefined) return outcome;
  if (install === undefined || inventory?.kind !== 'inventoryOOB' || more.length > 0) return outcome;
  const alone = await desk.engine.create({ ...order, orders: [install] });
  const [created] = alone.outcome === 'created' ? alone.conditions : [];
  if (created !== undefined) await desk.store.followUps.add(created.id);
  return alone;
}

async function composeOrders(
  desk: OrderDesk,
  order: WorkOrder,
  machine: MachineRecord,
): Promise<readonly ConditionOrder[]> {
  const wanted = fromShippedKind(order);
  const parameters = withoutAsset(wanted, order.serverId);
  const more = {
    ...(order.priority === undefined ? {} : { priority: order.priority }),
    ...(order.deadlineMs === undefined ? {} : { deadlineMs: order.deadlineMs }),
  };
  const after = (order.followedBy ?? []).map((one) => ({ ...more, ...one }));
  if (wanted.kind.toLowerCase() !== 'firmwareinstall') return [{ kind: wanted.kind, parameters, ...more }, ...after];
  const frozen = await freezeFirmware(parameters, catalogueOf(desk));
  const install = { kind: wanted.kind, parameters: frozen, ...more };
  const hasInventory = desk.engine.kinds.some(({ kind }) => kind === 'inventoryOOB');
  const inventory = hasInventory ? [{ kind: 'inventoryOOB', parameters: {}, ...more }] : [];
  const before = (await inbandSteps(desk, machine, frozen)).map((one) => ({ ...more, ...one }));
  return [...before, install, ...inventory, ...after];
}

/**
 * What only a tool on the host can install comes first, on a host that booted its agent. Where nobody does that, the
 * rest is still installed, and the install tells what it left out; an order with nothing else is refused.
 */
async function inbandSteps(
  desk: OrderDesk,
  machine: MachineRecord,
  frozen: JsonObject,
): Promise<readonly ConditionOrder[]> {
  const all = Array.isArray(frozen.firmwares) ? (frozen.firmwares as JsonObject[]) : [];
  const inband = all.filter(({ install_inband: isInband }) => isInband === true);
  if (inband.length === 0) return [];
  const kind = 'firmwareInstallInband';
  if (!(await isServed(desk, machine, kind))) {
    if (inband.length < all.length) return [];
    throw new OrcError('noWorker', { kind, facility: machine.facility });
  }
  const { boot_override: _, require_host_powered_off: __, ...parameters } = frozen;
  const boot = { kind: 'serverControl', parameters: { action: 'pxe_boot_persistent' } };
  const isBooted = desk.engine.kinds.some((one) => one.kind === boot.kind) && frozen.dry_run !== true;
  return [...(isBooted ? [boot] : []), { kind, parameters: { ...parameters, firmwares: inband } }];
}

/** The catalogue of the inventory, its failures counted. */
export function catalogueOf({
  inventory,
  metrics,
}: Pick<OrderDesk, 'inventory' | 'metrics'>): FirmwareCatalogue | undefined {
  if (inventory === undefined) return undefined;
  return {
    firmwareSet: (id) => metrics.watchDependency('serverservice', 'firmwareSet', inventory.firmwareSet(id)),
    firmware: (ids) => metrics.watchDependency('serverservice', 'firmware', inventory.firmware(ids)),
  };
}

/** The parameters that shipped name the server once more; it has to be the one of the path. */
export function withoutAsset(wanted: { kind: string; parameters: JsonObject }, serverId: string): JsonObject {
  const { asset_id: asset, ...rest } = wanted.parameters;
  if (asset === undefined || asset === null || asset === '') return rest;
  if (typeof asset === 'string' && asset.toLowerCase() === serverId) return rest;
  const problems = ['asset_id is another server than the one of the path'];
  throw new OrcError('badParameters', { kind: wanted.kind }, { problems });
}

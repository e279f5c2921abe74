import {
  type Condition,
  type ConditionOrder,
  type Engine,
  type JsonObject,
  type MachineRecord,
  targetOf,
} from '../../engine/index.ts';
import { OrcError } from '../errors.ts';
import type { OrcMetrics } from '../orc-metrics.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import { showCondition } from '../records/condition-record.ts';
import { type FirmwareCatalogue, freezeFirmware } from './freeze-firmware.ts';
import { isServed, requireServed } from './require-served.ts';
import { fromShippedKind } from './shipped-kinds.ts';

/** What orders are placed with. */
export interface OrderDesk {
  readonly engine: Pick<Engine, 'create' | 'machines' | 'kinds' | 'controllers'>;
  /** True where hosts boot an agent when they are asked to. */
  readonly areAgentsPromised: boolean;
  readonly inventory: InventoryPort | undefined;
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
 * Places an order: a firmware install is frozen. The engine has its server read afterwards. Throws `unknownServer`,
 * `badParameters`, `conflict` with the current record, and what the engine refuses.
 */
export async function placeOrder(desk: OrderDesk, order: WorkOrder): Promise<PlacedOrder> {
  const machine = await requireMachine(desk, order.serverId);
  const orders = await composeOrders(desk, { ...order, serverId: machine.id }, machine);
  for (const { kind } of orders) await requireServed(desk, machine, kind);
  const outcome = await desk.engine.create({ target: targetOf(machine.id), orders, client: order.client });
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
  const found = (name: string) => conditions.find((one) => one.kind.toLowerCase() === name);
  // An install of nothing but in-band images is the agent's alone.
  const asked = found(kind) ?? found(`${kind}inband`) ?? conditions[0];
  if (asked === undefined) throw new TypeError('the engine took an order and made no condition');
  return asked;
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
  const before = (await inbandSteps(desk, machine, frozen)).map((one) => ({ ...more, ...one }));
  if (before.length === 0) return [install, ...after];
  // What the agent installs is nothing that the BMC skips.
  const others = imagesOf(frozen).filter((one) => !isInband(one));
  const rest = others.length === 0 ? [] : [{ ...install, parameters: { ...frozen, firmwares: others } }];
  return [...before, ...rest, ...after];
}

function imagesOf({ firmwares }: JsonObject): readonly JsonObject[] {
  return Array.isArray(firmwares) ? (firmwares as JsonObject[]) : [];
}

function isInband({ install_inband: isInband }: JsonObject): boolean {
  return isInband === true;
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
  const all = imagesOf(frozen);
  const inband = all.filter(isInband);
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

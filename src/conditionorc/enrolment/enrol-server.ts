import { randomUUID } from 'node:crypto';
import { isBmcError, parseBmcAddress } from '../../bmc/index.ts';
import { OrcError } from '../errors.ts';
import { type PlacedOrder, placeOrder } from '../orders/place-order.ts';
import type { Enrolment, InventoryPort } from '../ports/inventory.ts';
import type { OrcContext } from '../routes/context.ts';

/** A server to be taken in, as somebody asks for it. */
export interface EnrolOrder extends Enrolment {
  readonly client: string;
}

/**
 * Takes a server in under the id that its BMC says, asks for its inventory, and shows its BMC on the plane beside; if any
 * of it cannot be done nothing stays. An id that is given is held against what the BMC says; where the BMC cannot be
 * reached from here it is taken as it is.
 */
export async function enrolServer(context: OrcContext, order: EnrolOrder): Promise<PlacedOrder> {
  const { inventory, plane, metrics } = context;
  if (inventory === undefined) throw new OrcError('noInventory', { what: 'enrolling' });
  const { client, ...enrolment } = await identified(context, spelledOnce(order));
  const server = await metrics.watchDependency('serverservice', 'enrol', inventory.enrol(enrolment));
  try {
    await plane?.bmcEnrolled({ id: server.id, facility: server.facility, bmc: enrolment.bmc });
    return await placeOrder(context, { serverId: server.id, kind: 'inventoryOOB', parameters: {}, client });
  } catch (error) {
    await takeBack(context, inventory, server.id);
    throw error;
  }
}

/** Before anybody is asked: what is no address is refused at once. */
function spelledOnce(order: EnrolOrder): EnrolOrder {
  try {
    return { ...order, bmc: { ...order.bmc, address: parseBmcAddress(order.bmc.address).canonical } };
  } catch (error) {
    throw explain(error);
  }
}

async function identified({ probe }: OrcContext, order: EnrolOrder): Promise<EnrolOrder> {
  const given = order.id?.toLowerCase();
  if (probe === undefined) return { ...order, id: given ?? randomUUID() };
  const found = await probe.identify(order.bmc).catch((error: unknown) => {
    if (given !== undefined && isBmcError(error) && error.retry === 'transient') return undefined;
    throw explain(error);
  });
  if (found === undefined) return { ...order, id: given };
  if (given !== undefined && given !== found.id) {
    throw new OrcError('otherMachine', { address: order.bmc.address, found: found.id, given });
  }
  const { vendor, model, serial, systemUuid, bmcUuid } = found;
  return {
    ...order,
    id: found.id,
    systemUuid,
    bmcUuid,
    vendor: order.vendor === '' ? vendor : order.vendor,
    model: order.model === '' ? model : order.model,
    serial: order.serial === '' ? serial : order.serial,
  };
}

function explain(error: unknown): unknown {
  if (!isBmcError(error)) return error;
  if (error.code === 'badAddress') {
    return new OrcError('badEnrolment', {}, { problems: [`bmc-ip: ${error.message}`], cause: error });
  }
  const code = error.retry === 'transient' ? 'bmcAway' : 'bmcRefused';
  return new OrcError(code, { detail: error.message }, { cause: error });
}

/** What cannot be taken back is told to operators; the error that led here is what the caller gets. */
async function takeBack(context: OrcContext, inventory: InventoryPort, serverId: string): Promise<void> {
  const { metrics, logger, plane } = context;
  const steps = [
    ['plane', 'bmcRemoved', () => plane?.bmcRemoved(serverId)],
    ['serverservice', 'removeServer', () => inventory.removeServer(serverId)],
  ] as const;
  for (const [dependency, operation, step] of steps) {
    try {
      await step();
    } catch (error) {
      metrics.dependencyFailed(dependency, operation);
      logger.error('something of a server whose enrolment failed stays', { server: serverId, dependency, error });
    }
  }
}

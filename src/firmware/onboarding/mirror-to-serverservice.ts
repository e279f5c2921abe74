import { type Engine, type Machines, machineIdOf } from '../../engine/index.ts';
import { isInventoryError, onboardingNamespace as mark, type Serverservice } from '../../serverservice/index.ts';
import type { InventoryMirror, MirroredServer, MirrorOutcome, ToldServer } from '../ports.ts';

/** What servers are mirrored into. */
export interface MirrorOptions {
  readonly service: Pick<Serverservice, 'servers' | 'credentials' | 'attributes'>;
  /** Where machines also get the names of their Server and BMC objects. */
  readonly machines?: Pick<Machines, 'get' | 'aliasesOf' | 'put' | 'duplicatesOf'> | undefined;
  /** Where news of work comes from; without it duplicates are found when the inventory is asked the next time. */
  readonly onHint?: Engine['onHint'] | undefined;
  /** Where servers are that the inventory does not know yet, or knows from here alone. */
  readonly facilityOf: (server: MirroredServer) => string;
  /** Whose Servers these are, where several clusters share an inventory: nobody takes away those of another. */
  readonly origin?: string | undefined;
}

const pageSize = 1000;

function ownerOf(id: string) {
  return { kind: 'server', id: id.toLowerCase() } as const;
}

/** Tells Serverservice of Servers, where they become machines that work can be done on. */
export function createServerserviceMirror(options: MirrorOptions): InventoryMirror {
  const { service, machines, onHint, facilityOf, origin = 'kubernetes' } = options;
  const { servers, credentials, attributes } = service;
  const put = async (server: MirroredServer): Promise<void> => {
    const { id, name, manufacturer: vendor, model, serialNumber: serial, bmcAddress, macs } = server;
    const known = await orUndefined(servers.get(id));
    const facility = facilityOf(server);
    const marked = { namespace: mark, data: { origin, server: name, facility } };
    if (known === undefined) {
      const fields = { name, vendor, model, serial, bmcId: server.bmcId, bmcAddress, macs };
      await servers.create({ id, facility, ...fields, attributes: [marked] });
    } else {
      // What the inventory calls it, and where somebody put it, was said there; what the BMC tells is newer here.
      // All systems behind a BMC are worked on under one lock, so it moves too, or throws `busy` while work goes on.
      const { bmcId } = server;
      const place = facility === known.facility ? undefined : await attributes.get(ownerOf(id), mark);
      const isMoving = place?.data.origin === origin && place.data.facility === known.facility;
      const shown = { vendor, model, serial, bmcId, bmcAddress, ...(macs.length === 0 ? {} : { macs }) };
      const fresh = { ...shown, ...(isMoving ? { facility } : {}) };
      const isSame = Object.entries(fresh).every(
        ([field, value]) => JSON.stringify(known[field as keyof typeof fresh]) === JSON.stringify(value),
      );
      if (!isSame) await servers.update(id, fresh);
      if (isMoving) await attributes.put(ownerOf(id), marked);
    }
    if (server.credentials === undefined) return;
    const kept = await orUndefined(credentials.get(id, 'bmc'));
    const { username, password } = server.credentials;
    if (kept?.username !== username || kept.password !== password) {
      await credentials.put(id, 'bmc', { username, password });
    }
  };
  return {
    async put(server): Promise<MirrorOutcome> {
      try {
        await put(server);
        // What an older version took as two machines was found to be one when the inventory was opened.
        const { machineProblem } = await servers.get(server.id);
        if (machineProblem !== undefined) return { kind: 'duplicate', message: machineProblem };
        return machines === undefined ? { kind: 'ok' } : await nameMachine(machines, server);
      } catch (error) {
        if (isInventoryError(error, 'duplicateMachine')) return { kind: 'duplicate', message: error.message };
        throw error;
      }
    },
    async remove(id) {
      // Nobody else's are ever taken away.
      const owner = ownerOf(id);
      const found = await attributes.get(owner, mark);
      if (found?.data.origin !== origin) return;
      await servers.remove(id).catch((error: unknown) => {
        if (!isInventoryError(error, 'notFound')) throw error;
      });
      // Whoever enrols it again by other means keeps it.
      await attributes.remove(owner, mark);
    },
    told: () => listTold(options, origin),
    duplicatesOf: async (ids) => (await machines?.duplicatesOf(ids)) ?? new Map(),
    ...(onHint === undefined ? {} : { onWork: (listener) => onHint(({ target }) => tellMachine(target, listener)) }),
  };
}

function tellMachine(target: string | undefined, listener: (id: string) => void): void {
  const id = target === undefined ? undefined : machineIdOf(target);
  if (id !== undefined) listener(id);
}

/** Deleted ones too: their mark is what a crash left. */
async function listTold({ service }: MirrorOptions, origin: string): Promise<readonly ToldServer[]> {
  const comparison = { path: ['origin'], operator: 'eq', value: origin } as const;
  const query = { isWithDeleted: true, attributeFilters: [{ namespace: mark, comparison, join: 'and' }] } as const;
  const request = { limit: pageSize, orderBy: 'created_at', isDescending: false };
  const found: ToldServer[] = [];
  for (let page = 1; ; page++) {
    const { records, total } = await service.servers.list(query, { ...request, page });
    found.push(...records.map(({ id, name, duplicates }) => ({ id, name, duplicates })));
    if (records.length === 0 || page * pageSize >= total) return found;
  }
}

/** Gives a machine the name of its Server object, so that it is found by it. */
async function nameMachine(
  machines: NonNullable<MirrorOptions['machines']>,
  { id, name }: MirroredServer,
): Promise<MirrorOutcome> {
  const machine = await machines.get(id);
  if (machine === undefined) return { kind: 'ok' };
  const known = await machines.aliasesOf(id);
  if (known.some(({ kind, value }) => kind === 'server' && value === name)) return { kind: 'ok' };
  const outcome = await machines.put(machine, [...known, { kind: 'server', value: name }]);
  if (outcome === 'ok') return { kind: 'ok' };
  const message = outcome.map(({ alias, heldBy }) => `${alias.kind} ${alias.value} belongs to machine ${heldBy}`);
  return { kind: 'duplicate', message: message.join('; ') };
}

async function orUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isInventoryError(error, 'notFound')) return undefined;
    throw error;
  }
}

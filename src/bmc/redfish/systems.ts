import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { type Listed, listCollection, type Member } from './collection.ts';
import { isSamePath, lastSegment } from './path.ts';
import { textIn } from './read.ts';
import { beginReading, type Reading } from './reading.ts';
import { bareRoot } from './service-root.ts';

/** A system and what it says of itself. */
export type System = Member;

/** The systems behind a BMC; those that cannot be read are left out, and the one at `except` is not read. */
export async function listSystems(bmc: Bmc, options: { readonly except?: string } = {}): Promise<readonly System[]> {
  const { except = '' } = options;
  const reading = beginReading(bmc);
  const all = await listed(reading);
  return fill(
    reading,
    all.filter(({ path }) => !isSamePath(path, except)),
  );
}

/**
 * The system that a BMC is asked about: the named one, or the only one. Of several, the only physical one counts, as
 * hypervisors and partitions are listed beside it.
 */
export async function systemOf(bmc: Bmc): Promise<System> {
  return bmc.systemPath === undefined ? onlySystem(bmc) : namedSystem(bmc, bmc.systemPath);
}

async function namedSystem(bmc: Bmc, path: string): Promise<System> {
  try {
    const { body } = await bmc.gate.request({ method: 'GET', path });
    return { path, body };
  } catch (error) {
    if (!isBmcError(error, 'notFound')) throw error;
    const there = (await listed(beginReading(bmc))).map((each) => each.path);
    if (there.some((each) => isSamePath(each, path))) throw error;
    const hint = there.length === 0 ? 'it lists no systems' : `its systems are ${there.join(', ')}`;
    throw new BmcError(
      'notFound',
      { origin: bmc.gate.origin, path: `${path}; ${hint}` },
      { status: 404, cause: error },
    );
  }
}

async function onlySystem(bmc: Bmc): Promise<System> {
  const known = await knownSystem(bmc);
  if (known !== undefined) return known;
  const system = await findOnlySystem(bmc);
  if (bmc.notes !== undefined) bmc.notes.onlySystem = system.path;
  return system;
}

/** The one that was found before, as it is now: one request. */
async function knownSystem({ gate, notes }: Bmc): Promise<System | undefined> {
  const path = notes?.onlySystem;
  if (notes === undefined || path === undefined) return undefined;
  try {
    return { path, body: (await gate.request({ method: 'GET', path })).body };
  } catch (error) {
    if (!isBmcError(error, 'notFound')) throw error;
    delete notes.onlySystem;
    return undefined;
  }
}

async function findOnlySystem(bmc: Bmc): Promise<System> {
  const reading = beginReading(bmc);
  const all = await listed(reading);
  const [first] = all;
  if (first !== undefined && all.length === 1) return read(bmc, first);
  const physical = (await fill(reading, all)).filter(({ body }) => isPhysical(body));
  const [only] = physical;
  if (only !== undefined && physical.length === 1) return only;
  const detail =
    all.length === 0
      ? 'it lists no systems'
      : `it has several and none is named: ${all.map(({ path }) => lastSegment(path)).join(', ')}; put the path of one into the BMC address`;
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'say which system is meant', detail });
}

function isPhysical(body: JsonObject): boolean {
  return (textIn(body, 'SystemType') ?? 'Physical') === 'Physical';
}

async function listed(reading: Reading): Promise<readonly Listed[]> {
  return listCollection(reading, (await bareRoot(reading.bmc)).systems);
}

async function read(bmc: Bmc, { path, body }: Listed): Promise<System> {
  return { path, body: body ?? (await bmc.gate.request({ method: 'GET', path })).body };
}

async function fill(reading: Reading, all: readonly Listed[]): Promise<readonly System[]> {
  const systems: System[] = [];
  for (const { path, body } of all) {
    const whole = body ?? (await reading.get(path));
    if (whole !== undefined) systems.push({ path, body: whole });
  }
  return systems;
}

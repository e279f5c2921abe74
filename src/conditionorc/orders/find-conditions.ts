import { type Condition, type Engine, isFinal, type MachineRecord, targetOf } from '../../engine/index.ts';
import { OrcError } from '../errors.ts';
import { storedKind } from './shipped-kinds.ts';

/** Where conditions are looked up. */
export type ConditionReader = Pick<Engine, 'get' | 'list'>;

const wholePage = 1000;

/** All conditions of a server that are not history yet, newest first. */
export async function listOfServer(engine: ConditionReader, serverId: string): Promise<readonly Condition[]> {
  return (await engine.list({ target: targetOf(serverId), limit: wholePage })).conditions;
}

/** The whole unit of a condition, in order. */
export async function unitOf(engine: ConditionReader, condition: Condition): Promise<readonly Condition[]> {
  const { conditions } = await engine.list({ unit: condition.unit, isWithHistory: true, limit: wholePage });
  return conditions.toSorted((a, b) => a.unitIndex - b.unitIndex);
}

/**
 * The condition of a kind that counts: the active one, or one that is not final, or else the newest. Two may be open: the
 * live update of a host in use, and what waits until the host is free. Throws `noCondition`.
 */
export async function requireOfKind(
  engine: ConditionReader,
  server: Pick<MachineRecord, 'id'>,
  kind: string,
): Promise<Condition> {
  const { conditions } = await engine.list({ target: targetOf(server.id), kind: storedKind(kind), limit: wholePage });
  const open = conditions.filter((one) => !isFinal(one.state));
  const found = open.find(({ state }) => state === 'active') ?? open[0] ?? conditions[0];
  if (found !== undefined) return found;
  throw new OrcError('noCondition', { what: `server ${server.id}`, detail: ` of kind ${kind}` });
}

/** A condition by its id, also one of the history. Throws `noCondition`. */
export async function requireById(engine: Pick<ConditionReader, 'get'>, id: string): Promise<Condition> {
  const found = await engine.get(id.toLowerCase());
  if (found !== undefined) return found;
  throw new OrcError('noCondition', { what: 'this service', detail: ` ${id}` });
}

import { numberOf, textOf } from '../conditions/condition-row.ts';
import type { EngineLimits } from '../engine.ts';
import type { KindDefinition } from '../kinds.ts';
import type { Transaction } from '../store/database.ts';

/** Where work would run. */
export interface Place {
  readonly facility: string;
  readonly modelKey: string;
  /** The model as people write it, for messages. */
  readonly modelName?: string | undefined;
  /** Counts towards the limit of its kind, where that has one. */
  readonly kind?: string;
}

/** Room for more work under the limits; taking from it counts at once. */
export interface Budget {
  /** True and one less when there is room. */
  take(place: Place): boolean;
  /** Room under the global limit. */
  readonly room: number;
  /** Where the limit is reached. */
  readonly fullFacilities: readonly string[];
  readonly fullModels: readonly string[];
  readonly fullKinds: readonly string[];
  /** What stands in the way of work there, if anything. */
  obstacle(place: Place): string | undefined;
}

/** How much is active where. */
export interface ActiveCount extends Place {
  readonly n: number;
}

/** How many of each kind may be active at once, for kinds that have a limit of their own. */
export type KindLimits = ReadonlyMap<string, number>;

/** The limits that kinds carry. */
export function kindLimitsOf(kinds: readonly Pick<KindDefinition, 'kind' | 'limits'>[]): KindLimits {
  return new Map(kinds.flatMap(({ kind, limits: { active = 0 } = {} }) => (active > 0 ? [[kind, active]] : [])));
}

const noKindLimits: KindLimits = new Map();

/** Computes the room that is left. Targets without a model or facility count only towards the limits they have. */
export function createBudget(
  limits: EngineLimits,
  active: readonly ActiveCount[],
  kindLimits: KindLimits = noKindLimits,
): Budget {
  const perFacility = new Map<string, number>();
  const perModel = new Map<string, number>();
  const perKind = new Map<string, number>();
  let all = 0;
  const add = (place: Place, n: number): void => {
    all += n;
    perFacility.set(place.facility, (perFacility.get(place.facility) ?? 0) + n);
    if (place.modelKey !== '') perModel.set(place.modelKey, (perModel.get(place.modelKey) ?? 0) + n);
    if (place.kind !== undefined) perKind.set(place.kind, (perKind.get(place.kind) ?? 0) + n);
  };
  for (const one of active) add(one, one.n);
  const full = (counts: ReadonlyMap<string, number>, limit: number): string[] =>
    limit <= 0 ? [] : [...counts].filter(([, n]) => n >= limit).map(([name]) => name);
  const isKindFull = (kind: string): boolean => (perKind.get(kind) ?? 0) >= (kindLimits.get(kind) ?? Infinity);
  const obstacle = (place: Place): string | undefined => {
    const { active: limit, activePerFacility, activePerModel } = limits;
    if (limit > 0 && all >= limit) return `${limit} conditions are active, the limit of all`;
    if (full(perFacility, activePerFacility).includes(place.facility)) {
      return `${activePerFacility} conditions are active in facility ${place.facility}, its limit`;
    }
    if (full(perModel, activePerModel).includes(place.modelKey)) {
      return `${activePerModel} conditions are active on ${place.modelName || place.modelKey}, the limit of a model`;
    }
    if (place.kind !== undefined && isKindFull(place.kind)) {
      return `${kindLimits.get(place.kind)} conditions of kind ${place.kind} are active, the limit of the kind`;
    }
    return undefined;
  };
  return {
    take(place) {
      if (obstacle(place) !== undefined) return false;
      add(place, 1);
      return true;
    },
    get room() {
      return limits.active <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, limits.active - all);
    },
    get fullFacilities() {
      return full(perFacility, limits.activePerFacility);
    },
    get fullModels() {
      return full(perModel, limits.activePerModel);
    },
    get fullKinds() {
      return [...kindLimits.keys()].filter(isKindFull);
    },
    obstacle,
  };
}

/** Whether anything limits how much is active. */
export function hasLimits({ active, activePerFacility, activePerModel }: EngineLimits, kinds: KindLimits): boolean {
  return active > 0 || activePerFacility > 0 || activePerModel > 0 || kinds.size > 0;
}

/** Reads how much is active and computes the room; without limits nothing is read. */
export async function readBudget(tx: Transaction, limits: EngineLimits, kindLimits: KindLimits): Promise<Budget> {
  if (!hasLimits(limits, kindLimits)) return createBudget(limits, []);
  // An index has all but the kind, which is asked for only where it matters.
  const columns = kindLimits.size === 0 ? 'facility, model_key' : 'facility, model_key, kind';
  const rows = await tx.all(
    `SELECT ${columns}, count(*) AS n FROM conditions WHERE state = 'active' GROUP BY ${columns}`,
  );
  return createBudget(
    limits,
    rows.map((row) => ({
      facility: textOf(row, 'facility'),
      modelKey: textOf(row, 'model_key'),
      n: numberOf(row, 'n'),
      ...(kindLimits.size === 0 ? {} : { kind: textOf(row, 'kind') }),
    })),
    kindLimits,
  );
}

import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { CatalogSource } from '../catalogs/index.ts';
import type { JsonObject, KindDefinition } from '../engine/index.ts';
import type { DiscoveryWork } from '../jobs/index.ts';
import { readVendor } from '../versions/index.ts';

/** What a job is for, and the kind of condition that it works on. */
export const kindOf = { update: 'firmwareInstall', scan: 'inventoryOOB', discovery: 'firmwareDiscover' } as const;

/** The kinds of conditions that are jobs of the update service. */
export const jobKinds = Object.values(kindOf);

const text = () => Type.String({ minLength: 1, maxLength: 253 });

/** How many other names of a model a discovery looks for. */
export const mostOtherModels = 100;

const DiscoverSchema = Type.Object(
  {
    name: text(),
    manufacturer: text(),
    model: text(),
    versionsToStore: Type.Integer({ minimum: 1, maximum: 100 }),
    otherModels: Type.Optional(Type.Array(text(), { maxItems: mostOtherModels })),
  },
  { additionalProperties: false },
);

/** Parameters of a discovery. */
export type DiscoverParameters = Static<typeof DiscoverSchema>;

const checker = Compile(DiscoverSchema);
const minute = 60_000;

/** The kind of discoveries; those of updates and scans are the flasher's. */
export const firmwareDiscover: KindDefinition = {
  kind: kindOf.discovery,
  // One at a time for each manufacturer and model; no device is touched.
  sharing: 'exclusive',
  isDisruptive: false,
  leaseMs: 10 * minute,
  requestDeadlineMs: 1000,
  deadlineMs: 24 * 60 * minute,
  maxLeases: 5,
  check(parameters: JsonObject) {
    const problems = checker
      .Errors(parameters)
      .map(({ instancePath, message }) => `${instancePath.slice(1) || 'it'} ${message}`);
    return { parameters, problems };
  },
};

/** Stored parameters of a discovery. They were checked when the condition was made. */
export function readDiscoverParameters(stored: JsonObject): DiscoverParameters {
  return stored as DiscoverParameters;
}

/** What a discovery job is told: what to look for, and where. */
export function discoveryOf(parameters: JsonObject, sources: readonly CatalogSource[]): DiscoveryWork {
  return { ...readDiscoverParameters(parameters), sources: sources.map(plainSource) };
}

function plainSource({ format, location, baseUrl, trustedHosts }: CatalogSource) {
  return {
    format,
    location,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(trustedHosts === undefined ? {} : { trustedHosts: [...trustedHosts] }),
  };
}

/** The target of a discovery: spellings of one maker are one maker. */
export function modelTarget({ manufacturer, model }: { readonly manufacturer: string; readonly model: string }) {
  const { key } = readVendor(manufacturer);
  return `model/${escapeSlashes(key)}/${escapeSlashes(model.trim().toLowerCase())}`;
}

/** A slash in a name separates nothing; everything else stays as people read it. */
function escapeSlashes(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** How many jobs of each type may run at once and wait; 0 or nothing means no limit. */
export type JobLimits = Partial<Record<keyof typeof kindOf, { readonly active?: number; readonly pending?: number }>>;

/** Kinds with the limits of their type of job, for the engine to know. */
export function withJobLimits(kinds: readonly KindDefinition[], limits: JobLimits): readonly KindDefinition[] {
  const byKind = new Map(Object.entries(limits).map(([type, one]) => [kindOf[type as keyof typeof kindOf], one]));
  return kinds.map((one) => {
    const own = byKind.get(one.kind as (typeof jobKinds)[number]);
    return own === undefined ? one : { ...one, limits: own };
  });
}

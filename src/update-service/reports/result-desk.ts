import {
  type Alias,
  type Condition,
  type Engine,
  type JsonObject,
  machineIdOf,
  readableTarget,
  type Transaction,
  targetOf,
} from '../../engine/index.ts';
import type { AvailableFirmware } from '../../jobs/index.ts';
import { mostSoftwareIds, type Serverservice } from '../../serverservice/index.ts';
import { checkName, type FirmwareVersion, invalid } from '../desk/check-request.ts';
import { resolveServer } from '../desk/resolve-server.ts';
import { UpdateError } from '../errors.ts';
import type { HeldLease, JobProof, JobTokens } from '../jobs/job-tokens.ts';
import { kindOf, modelTarget, readDiscoverParameters } from '../kinds.ts';
import type { FleetNames } from '../names/fleet-names.ts';
import { type FoundImage, toCatalogue } from './catalogue-images.ts';
import { checkInstalled, draftReading, statusOfReading } from './server-report.ts';

/** What results are taken with. */
export interface ResultDeskParts {
  readonly engine: Pick<Engine, 'get' | 'joinReport' | 'joinNote' | 'machines'>;
  readonly service: Pick<Serverservice, 'inventories' | 'components' | 'versionedAttributes' | 'firmware'>;
  readonly tokens: JobTokens;
  readonly names: FleetNames;
}

/** Who reports: a job with its proof, or somebody who may report without. */
export type Reporter = { readonly proof: JobProof } | { readonly user: string; readonly mayReportUnfenced: boolean };

/** What is installed on a server. */
export interface ServerResult {
  /** Name of the Server, or id of the server. */
  readonly server: string;
  readonly firmwares: readonly FirmwareVersion[];
  readonly inventoryJson: string;
  readonly observedAt: number;
}

/** What can be had for a model. */
export interface DiscoveryResult {
  /** Name of the DiscoveredFirmware. */
  readonly name: string;
  readonly firmwares: readonly AvailableFirmware[];
  readonly images: readonly FoundImage[];
  /** How many of them are not in the store; none unless given. */
  readonly imagesNotKept?: number;
  readonly observedAt: number;
}

/**
 * Takes results of jobs: the job ends and what it found is written in one transaction, both or neither, and only by who
 * holds the lease at that moment. The same result twice is one. Throws UpdateError, and the engine's `machineBusy` for
 * reports without a job while something exclusive is active.
 */
export interface ResultDesk {
  server(reporter: Reporter, result: ServerResult): Promise<void>;
  discovery(reporter: Reporter, result: DiscoveryResult): Promise<void>;
}

/** The event of a report without a job. */
export const unfencedEvent = 'reported-unfenced';

/** Who ends a job has to see who stands in line behind it at that moment. */
const locking = { isolation: 'row-locks' } as const;

/** Thrown to leave a transaction in which nothing is to be written. */
class AlreadyTaken extends Error {}

/** Makes the desk of results. */
export function createResultDesk(parts: ResultDeskParts): ResultDesk {
  return {
    async server(reporter, result) {
      checkReporter(parts, reporter);
      const firmwares = checkInstalled(result.firmwares);
      if (firmwares.length === 0 && result.inventoryJson === '') {
        throw invalid(['firmwares is empty: say what is installed']);
      }
      const machine =
        (await findOwnServer(parts, reporter, result.server)) ?? (await resolveServer(parts, result.server));
      const { id: machineId, manufacturer, model } = machine;
      const target = targetOf(machineId);
      const ending = await endingOf(parts, reporter, { target, kinds: [kindOf.update, kindOf.scan] });
      const { inventoryJson, observedAt: readAt } = result;
      const reading = { machineId, manufacturer, model, firmwares, inventoryJson, readAt };
      const draft = await draftReading(parts.service, reading, ending.lease);
      await ending.write({ ...ending.status, ...statusOfReading(firmwares, readAt) }, (guard) =>
        parts.service.inventories.write(draft, guard, locking),
      );
    },
    async discovery(reporter, result) {
      checkReporter(parts, reporter);
      const name = checkName(result.name, 'discovered_firmware.name');
      const available = checkAvailable(result.firmwares);
      const { drafts, withoutChecksum } = toCatalogue(result.images, parts.service.firmware);
      const target = await targetOfDiscovery(parts, reporter, name);
      const ending = await endingOf(parts, reporter, { target, kinds: [kindOf.discovery] });
      if (ending.name !== undefined && ending.name !== name) {
        throw invalid([`the job is about DiscoveredFirmware ${ending.name}, not ${name}`]);
      }
      const status = {
        name,
        message: `${available.length} firmwares were found, ${drafts.length} images are in the catalogue`,
        available: available.map(showAvailable),
        images: drafts.length,
        images_without_checksum: withoutChecksum,
        images_not_kept: result.imagesNotKept ?? 0,
        observed_at: result.observedAt,
      };
      await ending.write(status, (guard) =>
        parts.service.firmware.putAll(drafts, guard, { ...locking, areChecksumsFixed: true }),
      );
    },
  };
}

/** Before anything is looked up: who may not report learns nothing of what there is. */
function checkReporter({ tokens }: ResultDeskParts, reporter: Reporter): void {
  if ('proof' in reporter) tokens.verify(reporter.proof);
  else if (!reporter.mayReportUnfenced) throw new UpdateError('noProof', { user: reporter.user });
}

/**
 * The server of the reporting job, where it names that by its id or by a name that onboarding wrote down: nobody else has to
 * be asked then, who may be away when a long job ends.
 */
async function findOwnServer({ engine, tokens }: ResultDeskParts, reporter: Reporter, name: string) {
  if (!('proof' in reporter)) return undefined;
  const condition = await engine.get(tokens.verify(reporter.proof).conditionId);
  const machine = await engine.machines.get(machineIdOf(condition?.target ?? '') ?? '');
  if (machine === undefined) return undefined;
  const isOwn = ({ kind, value }: Alias): boolean => kind === 'server' && value === name;
  return machine.id === name.toLowerCase() || (await engine.machines.aliasesOf(machine.id)).some(isOwn)
    ? machine
    : undefined;
}

/** How a report is made durable: as the end of a job, or as a note of somebody without one. */
interface Ending {
  readonly lease: HeldLease;
  readonly status: Condition['status'];
  /** The DiscoveredFirmware that the job is about. */
  readonly name: string | undefined;
  write(
    status: Condition['status'],
    store: (guard: (tx: Transaction) => Promise<void>) => Promise<void>,
  ): Promise<void>;
}

async function endingOf(
  parts: ResultDeskParts,
  reporter: Reporter,
  about: { readonly target: string; readonly kinds: readonly string[] },
): Promise<Ending> {
  if (!('proof' in reporter)) return withoutJob(parts, reporter, about);
  const lease = parts.tokens.verify(reporter.proof);
  const condition = await parts.engine.get(lease.conditionId);
  if (condition === undefined) throw new UpdateError('jobNotFound', { job: lease.conditionId });
  if (condition.target !== about.target || !about.kinds.includes(condition.kind)) {
    throw invalid([`job ${condition.id} is ${condition.kind} of ${readableTarget(condition)}, not of ${about.target}`]);
  }
  const name = condition.kind === kindOf.discovery ? readDiscoverParameters(condition.parameters).name : undefined;
  return { lease, name, status: condition.status, write: (status, store) => end(parts, lease, { status, store }) };
}

type Storing = {
  readonly status: Condition['status'];
  readonly store: (guard: (tx: Transaction) => Promise<void>) => Promise<void>;
};

async function end({ engine }: ResultDeskParts, lease: HeldLease, { status, store }: Storing): Promise<void> {
  let tell = (): void => {};
  try {
    await store(async (tx) => {
      const joined = await engine.joinReport(tx, lease, { state: 'succeeded', isCancelUnsafe: false, status });
      const { outcome } = joined;
      if (outcome.outcome === 'lost') {
        throw new UpdateError('leaseLost', { job: lease.conditionId, detail: outcome.why });
      }
      // Something newer may have been written since the first time.
      if (joined.isRepeated) throw new AlreadyTaken();
      tell = joined.tell;
    });
  } catch (error) {
    if (!(error instanceof AlreadyTaken)) throw error;
  }
  tell();
}

function withoutJob(
  { engine }: ResultDeskParts,
  { user }: Extract<Reporter, { user: string }>,
  { target, kinds }: { readonly target: string; readonly kinds: readonly string[] },
): Ending {
  const kind = kinds.at(-1) ?? kindOf.scan;
  return {
    lease: { conditionId: '00000000-0000-0000-0000-000000000000', token: 0 },
    status: {},
    name: undefined,
    write: (status, store) =>
      store((tx) => engine.joinNote(tx, { target, kind, event: unfencedEvent, detail: { ...status, by: user } })),
  };
}

async function targetOfDiscovery(parts: ResultDeskParts, reporter: Reporter, name: string): Promise<string> {
  if ('proof' in reporter) {
    const { conditionId } = parts.tokens.verify(reporter.proof);
    const condition = await parts.engine.get(conditionId);
    if (condition === undefined) throw new UpdateError('jobNotFound', { job: conditionId });
    return machineIdOf(condition.target) === undefined ? condition.target : '';
  }
  const known = await parts.names.discoveredFirmware(name);
  if (known === undefined) throw new UpdateError('discoveredFirmwareNotFound', { name });
  return modelTarget(known);
}

const mostVersions = 1000;

/** What a discovery says can be had. Throws `invalidRequest`. */
export function checkAvailable(given: DiscoveryResult['firmwares']): DiscoveryResult['firmwares'] {
  const problems: string[] = [];
  if (given.length > mostVersions) throw invalid([`firmwares has ${given.length} entries, more than ${mostVersions}`]);
  given.forEach(({ name, manufacturer, versions, model = name, softwareIds = [] }, at) => {
    const texts = [name, manufacturer, model, ...softwareIds, ...versions];
    if (softwareIds.length > mostSoftwareIds) problems.push(`firmwares[${at}] has ${softwareIds.length} software ids`);
    if (versions.length > mostVersions) problems.push(`firmwares[${at}] has ${versions.length} versions`);
    else if (texts.some((text) => text.trim() === '' || text.length > 253 || /\p{C}/u.test(text))) {
      problems.push(`firmwares[${at}] has an empty name, manufacturer, model, id or version, or one that is no text`);
    }
  });
  if (problems.length > 0) throw invalid(problems);
  return given;
}

/** What was found, as a status has it. */
export function showAvailable({
  name,
  manufacturer,
  model,
  softwareIds = [],
  versions,
}: AvailableFirmware): JsonObject {
  return {
    name,
    manufacturer,
    ...(model === undefined ? {} : { model }),
    ...(softwareIds.length === 0 ? {} : { softwareIds: [...softwareIds] }),
    versions: [...versions],
  };
}

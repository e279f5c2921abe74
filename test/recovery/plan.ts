import type { FaultRule } from '../../simulator/index.ts';
import type { JsonObject } from '../../src/engine/index.ts';
import type { InstallState } from '../../src/flasher/install/install-table.ts';
import type { SeededRandom } from '../chaos/seeded-random.ts';
import type { Expectation } from './check-log.ts';
import type { FleetServer, Release } from './fleet.ts';
import type { Blow, Moment, Place } from './moments.ts';
import { kindTimes } from './run-times.ts';
import type { AskedWork } from './work-order.ts';

/** One install, with all that will happen to it. */
export interface Install {
  readonly server: FleetServer;
  readonly target: string;
  readonly orders: readonly AskedWork[];
  /** The host is off when it begins. */
  readonly isOff: boolean;
  readonly faults: readonly FaultRule[];
  readonly moments: readonly Moment[];
  readonly expected: Expectation;
}

/** What a plan is drawn from. */
export interface PlanOptions {
  readonly random: SeededRandom;
  readonly speed: number;
  /** What may be done to workers. */
  readonly blows: readonly Blow[];
  /** Every worker is stopped when it is about to send an image, and stays so until it is woken. */
  readonly isHeldUntilTakenOver?: boolean;
}

/** Longer than any run: it is not time that ends it. */
const heldMs = 2 ** 31 - 1;

const heldMoment: Moment = { step: 'sending', place: 'checked', nth: 1, blow: 'suspend', forMs: heldMs };

type Trouble = 'none' | 'bmc-fails' | 'task-vanishes';

interface Profile {
  readonly server: FleetServer;
  readonly releases: readonly Release[];
  readonly isOff: boolean;
  readonly doesResetBmc: boolean;
  readonly isCycled: boolean;
  readonly trouble: Trouble;
}

/** Draws an install for every server, and for each the moments at which its worker is hit, so that all steps get their turn. */
export function planInstalls(servers: readonly FleetServer[], options: PlanOptions): readonly Install[] {
  const hits = new Map<InstallState, number>();
  return servers.map((server) => {
    const profile = drawProfile(server, options.random);
    if (options.isHeldUntilTakenOver === true) return installOf(profile, [heldMoment]);
    const step = leastHit(stepsOf(profile), { hits, random: options.random });
    hits.set(step, (hits.get(step) ?? 0) + 1);
    return installOf(profile, drawMoments(step, options));
  });
}

function drawProfile(server: FleetServer, random: SeededRandom): Profile {
  const { releases } = server;
  const isOneIn = (many: number): boolean => random.below(many) === 0;
  const first = releases[random.below(releases.length)];
  const both = isOneIn(3) ? releases.filter((each) => each !== first).slice(0, 1) : [];
  const chosen = [...(first === undefined ? [] : [first]), ...both];
  const troubles: readonly Trouble[] = ['bmc-fails', 'task-vanishes'];
  return {
    server,
    releases: chosen,
    isOff: isOneIn(4),
    doesResetBmc: isOneIn(8),
    isCycled: isOneIn(5),
    trouble: isOneIn(5) ? (troubles[random.below(2)] ?? 'none') : 'none',
  };
}

const everyInstall: readonly InstallState[] = [
  'checking-host',
  'planning',
  'checking',
  'fetching',
  'preparing',
  'marking',
  'sending',
  'finding',
  'following',
  'activating',
  'verifying',
  'closing',
  'restoring-power',
];

/** The steps that an install comes to; some only after it was hit before. */
function stepsOf({ server, releases, isOff, doesResetBmc, trouble }: Profile): readonly InstallState[] {
  const { personality } = server;
  const has = (component: string): boolean => releases.some((each) => each.component === component);
  const more: Partial<Record<InstallState, boolean>> = {
    'powering-on': isOff,
    'powering-off': personality === 'openbmc' && has('bios'),
    'resetting-bmc': doesResetBmc,
    starting: personality === 'supermicro-x12',
    settling: trouble === 'task-vanishes',
    rechecking: has('bios') || has('nic'),
    failing: trouble === 'bmc-fails',
    curing: trouble === 'bmc-fails' && (personality === 'dell-idrac9' || personality === 'supermicro-x12'),
  };
  return [...everyInstall, ...Object.entries(more).flatMap(([step, is]) => (is ? [step as InstallState] : []))];
}

function leastHit(
  steps: readonly InstallState[],
  { hits, random }: { readonly hits: ReadonlyMap<InstallState, number>; readonly random: SeededRandom },
): InstallState {
  const least = Math.min(...steps.map((step) => hits.get(step) ?? 0));
  const open = steps.filter((step) => (hits.get(step) ?? 0) === least);
  return open[random.below(open.length)] ?? 'following';
}

/** Steps that only come after the worker was hit in another one, around a request that changes something. */
const ways: Partial<Record<InstallState, { readonly step: InstallState; readonly places: readonly Place[] }>> = {
  finding: { step: 'sending', places: ['checked', 'changed'] },
  starting: { step: 'sending', places: ['changed'] },
  rechecking: { step: 'activating', places: ['checked', 'changed'] },
};

const anywhere: readonly Place[] = ['begun', 'asked', 'answered', 'writing', 'done'];

const atChanges: readonly Place[] = ['changing', 'checked', 'changed'];

/** Steps that change something: there the worst places are right before and right after. */
const changing: readonly InstallState[] = [
  'powering-on',
  'resetting-bmc',
  'powering-off',
  'sending',
  'starting',
  'activating',
  'curing',
  'restoring-power',
];

function drawMoments(step: InstallState, options: PlanOptions): readonly Moment[] {
  const { random } = options;
  const way = ways[step];
  const before = way === undefined ? [] : [drawMoment(way.step, way.places, options)];
  const isAtChange = changing.includes(step) && random.below(2) === 0;
  return [...before, drawMoment(step, isAtChange ? atChanges : anywhere, options)];
}

function drawMoment(step: InstallState, places: readonly Place[], { random, speed, blows }: PlanOptions): Moment {
  const place = places[random.below(places.length)] ?? 'begun';
  const nth = place === 'asked' || place === 'answered' ? 1 + random.below(4) : 1;
  const drawn = blows[random.below(blows.length)] ?? 'kill';
  // Who does not notice that time has passed goes on with the change that it was about to make.
  const isUnaware = atChanges.includes(place) && blows.includes('suspend') && random.below(2) === 0;
  return { step, place, nth, blow: isUnaware ? 'suspend' : drawn, forMs: drawStop(random, speed) };
}

/** Mostly long enough for others to take over, sometimes so short that the lease is still held. */
function drawStop(random: SeededRandom, speed: number): number {
  const takeOverMs = (kindTimes.leaseMs + kindTimes.requestDeadlineMs) / speed;
  const share = random.below(5) === 0 ? 0.3 : 1.1 + random.below(100) / 100;
  return Math.round(takeOverMs * share);
}

function installOf(profile: Profile, moments: readonly Moment[]): Install {
  const { server, releases, isOff, isCycled, doesResetBmc } = profile;
  const parameters: JsonObject = {
    firmwares: releases.map((release) => firmwareOf(release)),
    reset_bmc_before_install: doesResetBmc,
  };
  const orders: AskedWork[] = [{ kind: 'firmwareInstall', parameters }];
  if (isCycled && !isOff) orders.push({ kind: 'powerCycleHard', parameters: {} });
  return {
    server,
    target: `server/${server.uuid}`,
    orders,
    isOff,
    faults: faultsOf(profile),
    moments,
    expected: {
      versions: releases.flatMap(({ slots, version }) => slots.map((slot) => ({ slot, version }))),
      power: isOff ? 'Off' : 'On',
    },
  };
}

function firmwareOf({ component, version, vendor, softwareId, models, url, sha256 }: Release): JsonObject {
  return {
    id: `${softwareId}-${version}`,
    vendor,
    component,
    version,
    filename: `${softwareId}.bin`,
    URL: url,
    checksum: `sha256:${sha256}`,
    models: [...models],
    software_id: softwareId,
  };
}

function faultsOf({ server, trouble }: Profile): readonly FaultRule[] {
  const machines = server.name;
  if (trouble === 'bmc-fails') return [{ kind: 'task-completed-critical', machines, times: 1 }];
  return trouble === 'task-vanishes' ? [{ kind: 'task-vanishes', machines, times: 1 }] : [];
}

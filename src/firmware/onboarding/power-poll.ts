import { type Clock, sleep, type Watch } from '../../kube/index.ts';
import type { BmcTarget, PowerReading, ReadPower } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import type { RememberedReading } from './reading-course.ts';

/** How a BMC is reached. */
export interface PowerLocation {
  readonly origin: string;
  readonly credentials: BmcTarget['credentials'];
  /** Names address and credentials: what was read with others is of another BMC. */
  readonly access: string;
}

/** What power is polled with. */
export interface PowerPollParts {
  readonly clock: Clock;
  readonly settings: Pick<FirmwareSettings, 'powerIntervalMs' | 'powerReads'>;
  readonly readPower: ReadPower | undefined;
  /** What was last read of each BMC; power is written into it. */
  readonly readings: Map<string, RememberedReading>;
  /** Undefined for a BMC that is not to be asked. */
  readonly locate: (key: string) => PowerLocation | undefined;
  /** Wakes a BMC whose systems work has just read, which may have switched them or changed their BIOS. */
  readonly scanned?: Watch | undefined;
}

/**
 * Between two full readings, asks each system for its power at every interval, and once work has read it: one request a
 * system, a few BMCs at once.
 */
export function watchPower(parts: PowerPollParts): readonly Watch[] {
  const { clock, settings, readPower } = parts;
  if (readPower === undefined) return [];
  const watch: Watch = {
    subscribe(wake) {
      const leaving = new AbortController();
      const polls = createPolls({ ...parts, readPower, silentSince: new Map() }, wake, leaving.signal);
      const follow = async (): Promise<void> => {
        while (!leaving.signal.aborted) {
          await sleep(clock, settings.powerIntervalMs, leaving.signal);
          await polls.ask([...parts.readings.keys()]);
        }
      };
      void follow();
      const leave = parts.scanned?.subscribe((key) => void polls.ask([key]));
      return () => {
        leave?.();
        leaving.abort();
      };
    },
  };
  return [watch];
}

type PollParts = PowerPollParts & {
  readonly readPower: ReadPower;
  /** Since when systems have not answered, by their paths, for each BMC. */
  readonly silentSince: Map<string, Map<string, number>>;
};

/** Asks BMCs, not more of them at once than the settings allow; who waits already waits once. */
function createPolls(parts: PollParts, wake: (key: string) => void, signal: AbortSignal) {
  const waiting = new Set<string>();
  let running = 0;
  const next = async (): Promise<void> => {
    running += 1;
    for (const key of waiting) {
      waiting.delete(key);
      if (!signal.aborted && (await pollOne(parts, key, signal))) wake(key);
    }
    running -= 1;
  };
  return {
    async ask(keys: readonly string[]): Promise<void> {
      for (const key of keys) waiting.add(key);
      const more = Math.min(parts.settings.powerReads - running, waiting.size);
      await Promise.all(Array.from({ length: Math.max(0, more) }, next));
    },
  };
}

/** True when something differs from what was known. */
async function pollOne(parts: PollParts, key: string, signal: AbortSignal): Promise<boolean> {
  const { readings, locate, readPower } = parts;
  const location = locate(key);
  const paths = pathsOf(readings.get(key), location?.access);
  if (location === undefined || paths.length === 0) {
    parts.silentSince.delete(key);
    return false;
  }
  const { origin, credentials, access } = location;
  const powers = await readPower({ name: key, origin, credentials }, paths, signal);
  const before = readings.get(key);
  const answers = [...powers, ...lostPowers(parts, key, { paths, powers })];
  const newer = before?.access === access ? withPower(before, answers) : undefined;
  if (newer === undefined) return false;
  readings.set(key, newer);
  return true;
}

/** The unknown power of systems that have not answered for an interval: one that is silent once may be restarting. */
function lostPowers(
  { clock, settings, silentSince }: PollParts,
  key: string,
  { paths, powers }: { readonly paths: readonly string[]; readonly powers: readonly PowerReading[] },
): readonly PowerReading[] {
  const known = silentSince.get(key);
  const now = clock.monotonic();
  const silent = paths.filter((path) => !powers.some((power) => power.path === path));
  if (silent.length === 0) silentSince.delete(key);
  else silentSince.set(key, new Map(silent.map((path) => [path, known?.get(path) ?? now])));
  // Each pass over all BMCs reaches a BMC a little sooner or later than the one before.
  return silent
    .filter((path) => now - (known?.get(path) ?? now) >= settings.powerIntervalMs / 2)
    .map((path) => ({ path, powerState: undefined, biosVersion: undefined }));
}

/** A remembered reading with newer power and BIOS versions; undefined when they are the same, or it was no good reading. */
export function withPower(
  remembered: RememberedReading | undefined,
  readings: readonly PowerReading[],
): RememberedReading | undefined {
  if (remembered?.reading.kind !== 'read') return undefined;
  let isChanged = false;
  const systems = remembered.reading.systems.map((system) => {
    const { powerState, biosVersion = system.biosVersion } =
      readings.find(({ path }) => path === system.path) ?? system;
    if (powerState === system.powerState && biosVersion === system.biosVersion) return system;
    isChanged = true;
    return { ...system, powerState, biosVersion };
  });
  return isChanged ? { ...remembered, reading: { ...remembered.reading, systems } } : undefined;
}

/** Paths of the systems of a remembered reading; none where the last reading failed or was made with other access. */
function pathsOf(remembered: RememberedReading | undefined, access: string | undefined): readonly string[] {
  if (remembered === undefined || remembered.access !== access || remembered.reading.kind !== 'read') return [];
  return remembered.reading.systems.map(({ path }) => path);
}

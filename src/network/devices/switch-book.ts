import type { Clock, Instant } from '../../kube/index.ts';
import type {
  SwitchAccess,
  SwitchDevice,
  SwitchFacts,
  SwitchFailure,
  SwitchProviders,
  SwitchResult,
  SwitchWatch,
} from '../../switches/index.ts';
import { faultOfSwitch, type NetworkFault } from '../errors.ts';
import { unitOf } from '../fabric/unit.ts';
import type { SwitchStanding } from '../port/port-seen.ts';
import type { NetworkSettings } from '../settings.ts';
import { withDeadline } from './deadline.ts';
import { createLane, type Lane } from './lane.ts';

/** What a switch said when it was last asked. */
export interface Verification {
  readonly at: Instant;
  /** How it was reached. */
  readonly access: string;
  readonly result:
    | { readonly kind: 'good'; readonly facts: SwitchFacts }
    | { readonly kind: 'bad'; readonly fault: NetworkFault };
  /** Bad ones in a row. */
  readonly failures: number;
  /** Since when it answers without a break. */
  readonly goodSince: Instant | undefined;
  /** Something failed since: it is to be asked again. */
  readonly isDoubtful?: boolean | undefined;
}

/** What a device tells by itself. */
export interface SwitchListener {
  /** These ports may have changed; all of them when none are named. */
  onChanged(key: string, ports: readonly string[] | undefined): void;
  /** Something is known about the switch that was not before. */
  onVerified(key: string): void;
  /** The switch can be told something, or cannot any more. */
  onStanding(key: string): void;
}

/** How a switch is reached, and the version of that. */
export interface SwitchDoor {
  /** Namespace and name of the Switch. */
  readonly key: string;
  readonly version: string;
  /** Where it is. */
  readonly place: string;
  readonly access: SwitchAccess;
}

/** All switches that are talked to, by the key of their Switch. It is lost with the process, and then made anew. */
export interface SwitchBook {
  verificationOf(key: string): Verification | undefined;
  isVerifying(key: string): boolean;
  /** Asks a switch whether it is there and takes the credentials; another access closes the way of before. */
  verify(door: SwitchDoor): Promise<void>;
  /** Notes down that a switch cannot even be asked, such as without credentials. */
  note(key: string, accessKey: string, fault: NetworkFault): void;
  standingOf(key: string): SwitchStanding;
  laneOf(key: string): Lane | undefined;
  /** A call failed in a way that says something about the switch: it is asked again soon. */
  doubt(key: string): void;
  forget(key: string): Promise<void>;
  /** Closes every way; whatever is under way ends as cancelled. */
  close(): Promise<void>;
}

/** What the book is made with. */
export interface SwitchBookOptions {
  readonly providers: Pick<SwitchProviders, 'open'>;
  readonly clock: Clock;
  readonly settings: NetworkSettings;
  readonly listener: SwitchListener;
}

interface OpenWay {
  readonly access: string;
  readonly place: string;
  readonly device: SwitchDevice;
  readonly lane: Lane;
  readonly watch: SwitchWatch | undefined;
}

/** Makes the book. */
export function createSwitchBook(options: SwitchBookOptions): SwitchBook {
  return new OpenSwitches(options);
}

class OpenSwitches implements SwitchBook {
  readonly #options: SwitchBookOptions;
  readonly #ways = new Map<string, OpenWay>();
  readonly #verifications = new Map<string, Verification>();
  readonly #verifying = new Set<string>();

  constructor(options: SwitchBookOptions) {
    this.#options = options;
  }

  verificationOf(key: string): Verification | undefined {
    return this.#verifications.get(key);
  }

  isVerifying(key: string): boolean {
    return this.#verifying.has(key);
  }

  async verify(door: SwitchDoor): Promise<void> {
    const { key, version } = door;
    this.#verifying.add(key);
    try {
      const way = await this.#wayTo(door);
      const { clock, settings } = this.#options;
      const ms = settings.callMs;
      const late = (): SwitchResult<SwitchFacts> => ({
        kind: 'unreachable',
        message: `no answer within ${Math.round(ms / 1000)} s`,
      });
      const result = await withDeadline({ clock, ms }, (signal) => way.device.verify({ signal }), late);
      this.#verifying.delete(key);
      this.#enter(key, version, result);
    } finally {
      this.#verifying.delete(key);
    }
  }

  note(key: string, accessKey: string, fault: NetworkFault): void {
    this.#write(key, accessKey, { kind: 'bad', fault });
  }

  standingOf(key: string): SwitchStanding {
    const found = this.#verifications.get(key);
    const way = this.#ways.get(key);
    if (found?.result.kind === 'bad') return { kind: 'waiting', fault: found.result.fault };
    if (found === undefined || found.access !== way?.access || found.goodSince === undefined) {
      return { kind: 'waiting', fault: { code: 'SwitchNotReady', message: 'the switch was not asked yet' } };
    }
    const { managementPort, hostKeys } = found.result.facts;
    const unit = unitOf(way.place, hostKeys);
    return { kind: 'ready', access: way.access, unit, since: found.goodSince, managementPort };
  }

  laneOf(key: string): Lane | undefined {
    return this.#ways.get(key)?.lane;
  }

  doubt(key: string): void {
    const found = this.#verifications.get(key);
    if (found === undefined || found.isDoubtful === true) return;
    this.#verifications.set(key, { ...found, isDoubtful: true });
    this.#options.listener.onVerified(key);
  }

  async forget(key: string): Promise<void> {
    this.#verifications.delete(key);
    await this.#shut(key);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#ways.keys()].map((key) => this.#shut(key)));
  }

  async #wayTo({ key, version, place, access }: SwitchDoor): Promise<OpenWay> {
    const before = this.#ways.get(key);
    if (before?.access === version) return before;
    await this.#shut(key);
    const { providers, listener } = this.#options;
    const device = providers.open(access);
    const { clock, settings } = this.#options;
    const watch = device.watch((event) => {
      if (event.kind === 'changed') listener.onChanged(key, event.ports);
      else if (event.kind === 'restarted') listener.onChanged(key, undefined);
      else this.doubt(key);
    });
    const way = { access: version, place, device, lane: createLane({ device, clock, ...settings }), watch };
    this.#ways.set(key, way);
    return way;
  }

  async #shut(key: string): Promise<void> {
    const way = this.#ways.get(key);
    if (way === undefined) return;
    this.#ways.delete(key);
    way.watch?.close();
    way.lane.close();
    await way.device.close();
  }

  #enter(key: string, access: string, result: SwitchResult<SwitchFacts>): void {
    if (result.kind === 'done') this.#write(key, access, { kind: 'good', facts: result.value });
    else this.#write(key, access, { kind: 'bad', fault: faultOfSwitch(result satisfies SwitchFailure) });
  }

  #write(key: string, access: string, result: Verification['result']): void {
    const { clock, listener } = this.#options;
    const at = clock.now();
    const standing = JSON.stringify(this.standingOf(key));
    const before = this.#verifications.get(key);
    const isAnotherTry = before?.access === access && before.result.kind === 'bad';
    const failures = result.kind === 'good' ? 0 : isAnotherTry ? before.failures + 1 : 1;
    // That something failed is no break as long as the switch answers: whoever failed waits before the next attempt.
    const wasGood = before?.result.kind === 'good' && before.access === access;
    const goodSince = result.kind === 'good' ? (wasGood ? before?.goodSince : at) : undefined;
    this.#verifications.set(key, { at, access, result, failures, goodSince });
    listener.onVerified(key);
    if (JSON.stringify(this.standingOf(key)) !== standing) listener.onStanding(key);
  }
}

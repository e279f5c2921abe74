import type { FaultRule } from '../../simulator/index.ts';
import type { FirmwareUpdate } from '../../src/provisioners/index.ts';
import type { FleetServer } from '../recovery/fleet.ts';
import { biosChoiceOf } from './live-fleet.ts';

/** One change that the owner of a host asks for. */
export interface Change {
  readonly settings?: Readonly<Record<string, string>>;
  readonly updates?: readonly FirmwareUpdate[];
  /** What the host has to say in the end where it cannot be made; undefined where it can. */
  readonly failure?: RegExp;
  /** It is refused when it is specified: no reboot is asked for. */
  readonly isRefused?: true;
}

/** What is done to one host, one change after the other. */
export interface HostPlan {
  readonly server: FleetServer;
  readonly changes: readonly Change[];
  readonly faults: readonly FaultRule[];
}

type Trouble = 'none' | 'bmc-fails' | 'unknown-image';

/** Every tenth host has a BMC that fails with every image, every tenth is to get an image that nobody knows. */
function troubleOf(index: number): Trouble {
  if (index % 10 === 7) return 'bmc-fails';
  return index % 10 === 3 ? 'unknown-image' : 'none';
}

/**
 * Plans so many changes for each host: settings back and forth, and in one of them a new BIOS beside. What cannot be made
 * comes last.
 */
export function planChanges(servers: readonly FleetServer[], { each }: { readonly each: number }): readonly HostPlan[] {
  return servers.map((server, index) => {
    const { name, values } = biosChoiceOf(server);
    const settingsAt = (at: number) => ({ [name]: values[at % 2] ?? values[0] });
    const trouble = troubleOf(index);
    const firmwareAt = trouble === 'none' ? index % each : each - 1;
    const changes = Array.from({ length: each }, (_, at): Change => {
      if (at !== firmwareAt) return { settings: settingsAt(at) };
      if (trouble === 'none') return { settings: settingsAt(at), updates: [updateOf(server)] };
      return failing(server, trouble);
    });
    const faults: FaultRule[] =
      trouble === 'bmc-fails' ? [{ kind: 'task-completed-critical', machines: server.name }] : [];
    return { server, changes, faults };
  });
}

function failing(server: FleetServer, trouble: Exclude<Trouble, 'none'>): Change {
  if (trouble === 'bmc-fails') return { updates: [updateOf(server)], failure: /\S/ };
  const url = 'http://127.0.0.1:9/nobody-knows-it.bin';
  return { updates: [{ component: 'bios', url }], failure: /not in the catalogue/, isRefused: true };
}

function updateOf({ releases, name }: FleetServer): FirmwareUpdate {
  const bios = releases.find(({ component }) => component === 'bios');
  if (bios === undefined) throw new Error(`there is no newer BIOS for ${name}`);
  return { component: 'bios', url: bios.url };
}

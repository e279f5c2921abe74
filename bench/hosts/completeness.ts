import type { BareMetalHost } from '../../src/api/index.ts';
import type { AnyKubeObject, KubeClient, KubeObject } from '../../src/kube/index.ts';
import { fleet, refs } from './scene.ts';

/** What a host brings with it, by the names of the hosts. */
export interface Beside {
  readonly hardwareData: ReadonlySet<string>;
  readonly firmwareSettings: ReadonlySet<string>;
  readonly firmwareComponents: ReadonlySet<string>;
  /** Reasons of the events about a host. */
  readonly events: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What the events of a host on its way to be available tell. */
export const wantedEvents = [
  'Registered',
  'BMCAccessValidated',
  'InspectionStarted',
  'InspectionComplete',
  'ProfileSet',
  'PowerOn',
] as const;

/** How many of these hosts have all of it. */
export function countComplete(names: readonly string[], beside: Beside): number {
  const { hardwareData, firmwareSettings, firmwareComponents, events } = beside;
  return names.filter(
    (name) =>
      [hardwareData, firmwareSettings, firmwareComponents].every((each) => each.has(name)) &&
      wantedEvents.every((reason) => events.get(name)?.has(reason)),
  ).length;
}

/** How many of these hosts say that they are available, by a listing. */
export async function countAvailable(client: KubeClient, names: readonly string[]): Promise<number> {
  const wanted = new Set(names);
  const { items } = await client.resource<BareMetalHost & KubeObject>(refs.hosts).list({ namespace: fleet });
  return items.filter(({ metadata, status }) => {
    return wanted.has(metadata.name ?? '') && status?.provisioning.state === 'available' && !status.errorMessage;
  }).length;
}

/** By listings, as anybody would look. Firmware counts once it was read. */
export async function readBeside(client: KubeClient): Promise<Beside> {
  const list = async (ref: (typeof refs)[keyof typeof refs]) =>
    (await client.resource<AnyKubeObject>(ref).list({ namespace: fleet })).items;
  const named = (objects: readonly AnyKubeObject[]) => new Set(objects.map(({ metadata }) => metadata?.name ?? ''));
  const wasRead = ({ status }: AnyKubeObject) =>
    (status as { lastUpdated?: string } | undefined)?.lastUpdated !== undefined;
  const told = Map.groupBy(await list(refs.events), (event) => {
    return (event.involvedObject as { name?: string } | undefined)?.name ?? '';
  });
  return {
    hardwareData: named(await list(refs.hardwareData)),
    firmwareSettings: named((await list(refs.firmwareSettings)).filter(wasRead)),
    firmwareComponents: named((await list(refs.firmwareComponents)).filter(wasRead)),
    events: new Map([...told].map(([name, events]) => [name, new Set(events.map(({ reason }) => String(reason)))])),
  };
}

import type { BareMetalHost } from '../../api/index.ts';
import {
  type Change,
  formatKey,
  isSameJson,
  type KubeObject,
  keyOf,
  type Watch,
  watchInformer,
} from '../../kube/index.ts';
import { firmwareWishOf } from '../decide/firmware-wish.ts';
import { isQuarantined } from '../decide/quarantine.ts';
import type { HostInformers, Secret } from '../objects.ts';
import { resources } from '../resources.ts';
import { hasSettings, hasUpdates } from '../servicing/live-wish.ts';
import { sharersOf } from './find-duplicate.ts';
import type { NewestObjects } from './perform.ts';

/** What wakes the controller of hosts: never what it wrote itself, and never a status alone. */
export function createHostWatches(informers: HostInformers, newest: NewestObjects): Watch[] {
  const sameKey = (key: string): readonly string[] => [key];
  return [
    watchInformer(informers.hosts, (key, change) => [
      ...(isHostNews(change, newest) ? [key] : []),
      ...duplicatesOf(informers, change),
    ]),
    watchInformer(informers.secrets, (_, change) => (isNews(change, newest.secrets.isOwn) ? ownersOf(change) : [])),
    watchInformer(informers.hardwareData, (key, change) =>
      isNews(change, newest.hardwareData.isOwn) && newest.hosts.get(key) !== undefined ? sameKey(key) : [],
    ),
    watchInformer(informers.bootImages, (key, change) => (isNews(change, newest.bootImages.isOwn) ? sameKey(key) : [])),
    watchInformer(informers.dataImages, (key, { previous, current }) => {
      const told = (image: typeof current) => [image?.metadata.generation, image?.metadata.deletionTimestamp];
      return isSameJson(told(previous), told(current)) ? [] : sameKey(key);
    }),
    watchInformer(informers.firmwareSettings, (key, { previous, current }) => {
      const wishOf = (firmwareSettings: typeof current) => [
        firmwareWishOf({ firmwareSettings, firmwareComponents: undefined }),
        hasSettings(firmwareSettings),
      ];
      return isSameJson(wishOf(previous), wishOf(current)) ? [] : sameKey(key);
    }),
    watchInformer(informers.firmwareComponents, (key, { previous, current }) => {
      const wishOf = (firmwareComponents: typeof current) => [
        firmwareWishOf({ firmwareSettings: undefined, firmwareComponents }),
        hasUpdates(firmwareComponents),
      ];
      return isSameJson(wishOf(previous), wishOf(current)) ? [] : sameKey(key);
    }),
    watchInformer(informers.updatePolicies, (key, { previous, current }) =>
      isSameJson(previous?.spec, current?.spec) ? [] : sameKey(key),
    ),
  ];
}

/** Something that somebody else changed, or a look at everything again. */
function isNews<T extends KubeObject>({ previous, current }: Change<T>, isOwn: (object: T) => boolean): boolean {
  if (current === undefined || previous === undefined) return current === undefined || !isOwn(current);
  return previous === current || !isOwn(current);
}

function isHostNews({ previous, current }: Change<BareMetalHost & KubeObject>, { hosts }: NewestObjects): boolean {
  if (previous === undefined || current === undefined || previous === current) return true;
  if (hosts.isOwn(current)) return false;
  const told = ({ metadata }: BareMetalHost) => [
    metadata.uid,
    metadata.generation,
    metadata.finalizers,
    metadata.annotations,
    metadata.deletionTimestamp,
    isQuarantined({ metadata }),
  ];
  return !isSameJson(told(previous), told(current));
}

/** Hosts of the same machine have it once the first is gone, or is another one. */
function duplicatesOf(
  { hosts }: HostInformers,
  { previous, current }: Change<BareMetalHost & KubeObject>,
): readonly string[] {
  if (previous === undefined || previous.metadata.generation === current?.metadata.generation) return [];
  return sharersOf(hosts, previous).map((each) => formatKey(keyOf(each)));
}

function ownersOf({ previous, current }: Change<Secret>): string[] {
  const secret = current ?? previous;
  const namespace = secret?.metadata.namespace ?? '';
  return (secret?.metadata.ownerReferences ?? []).flatMap(({ kind, name }) =>
    kind === resources.hosts.kind ? [`${namespace}/${name}`] : [],
  );
}

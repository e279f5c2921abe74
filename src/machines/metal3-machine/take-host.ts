import { type BareMetalHost, clusterAnnotations, clusterFinalizers, type Metal3Machine } from '../../api/index.ts';
import { failed, isConflict, type KubeObject, type ObjectKey, ok, type Result } from '../../kube/index.ts';
import { chosenHostOf } from '../objects.ts';
import { besideKey, consumerKey, nameOf, namespaceOf, objectKey } from '../references.ts';
import type { HostPatch } from './host-changes.ts';

// How a machine takes a host, so that it never has two, whoever else works for it at the same time, and however old
// what they saw is:
// 1. Which host it is to be is noted down on the machine. One that was noted before is noted as being given up.
// 2. Whoever takes the host asks for the machine first: only the host that is noted is taken, and only after those that
//    are being given up were shut: they are written to, so that a request to take one that is still on its way fails.
// 3. The host itself is taken in a write of exactly the version that was seen, so that no two machines take it.

/** What taking a host asks of the API server; nothing of it comes from a cache. */
export interface HostDesk {
  /** Undefined when it is not there. */
  machine(key: ObjectKey): Promise<(Metal3Machine & KubeObject) | undefined>;
  /** Undefined when it is not there. */
  host(key: ObjectKey): Promise<(BareMetalHost & KubeObject) | undefined>;
  /** Throws a conflict when somebody else has written since the version in the patch. */
  patchMachine(key: ObjectKey, patch: object): Promise<void>;
  patchHost(key: ObjectKey, patch: object): Promise<void>;
}

/** Which host a machine is to have. */
export interface NotedHost {
  readonly host: string;
  readonly failureDomain: string | undefined;
}

/** On a machine: names of the hosts that it had chosen before, until it is certain that none of them was taken. */
export const givingUpAnnotation = 'machines.rackwright.io/giving-up';

/** On a host that a machine had chosen and gave up before it had it. */
export const givenUpAnnotation = 'machines.rackwright.io/given-up-by';

/** Notes down which host a machine is to have, and holds the machine from then on. */
export async function noteHost(desk: HostDesk, object: Metal3Machine, noted: NotedHost): Promise<Result> {
  const earlier = chosenHostOf(object);
  const isOther = earlier !== undefined && earlier !== noted.host;
  const givingUp = new Set(isOther ? [...hostsGivenUp(object), earlier] : hostsGivenUp(object));
  givingUp.delete(noted.host);
  await desk.patchMachine(keyOf(object), notePatch(object, noted, givingUp));
  return ok();
}

/** Takes the host that is noted down. */
export async function claimHost(
  desk: HostDesk,
  object: Metal3Machine,
  { host, patch }: { readonly host: string; readonly patch: HostPatch },
): Promise<Result> {
  const machine = await desk.machine(keyOf(object));
  const isSame = machine?.metadata.uid === object.metadata.uid && machine?.metadata.deletionTimestamp === undefined;
  if (machine === undefined || !isSame || chosenHostOf(machine) !== host) {
    return behind(`${nameOf(object)} is not to have the host ${host} any more`);
  }
  const shut = await shutOthers(desk, machine);
  if (!shut.ok) return shut;
  await desk.patchHost({ namespace: namespaceOf(object), name: host }, patch);
  return ok();
}

/** What was decided rests on something that is not so any more. */
export function behind(what: string): Result {
  return failed({ code: 'CacheBehind', message: `${what}, and the cache does not know yet`, retry: 'transient' });
}

function keyOf(object: Metal3Machine): ObjectKey {
  return { namespace: namespaceOf(object), name: nameOf(object) };
}

function hostsGivenUp({ metadata }: Metal3Machine): string[] {
  return (metadata.annotations?.[givingUpAnnotation] ?? '').split(',').filter((name) => name !== '');
}

/** Makes sure that no host that is being given up can be taken any more; one that was taken is the host after all. */
async function shutOthers(desk: HostDesk, machine: Metal3Machine): Promise<Result> {
  const names = hostsGivenUp(machine);
  if (names.length === 0) return ok();
  const { resourceVersion, uid } = machine.metadata;
  for (const name of names) {
    const found = await shut(desk, machine, name);
    if (found === 'shut') continue;
    if (found === 'taken') {
      const annotations = { [clusterAnnotations.bareMetalHost]: besideKey(machine, name), [givingUpAnnotation]: null };
      await desk.patchMachine(keyOf(machine), { metadata: { resourceVersion, uid, annotations } });
    }
    return behind(`the host ${name} is ${found}`);
  }
  await desk.patchMachine(keyOf(machine), {
    metadata: { resourceVersion, uid, annotations: { [givingUpAnnotation]: null } },
  });
  return ok();
}

const mostTries = 5;

async function shut(desk: HostDesk, machine: Metal3Machine, name: string): Promise<'shut' | 'taken' | 'changing'> {
  const key = { namespace: namespaceOf(machine), name };
  for (let tries = 0; tries < mostTries; tries++) {
    const host = await desk.host(key);
    if (host === undefined) return 'shut';
    // Once somebody else has it, no version of it that was free is the newest any more.
    if (host.spec?.consumerRef !== undefined) return consumerKey(host) === objectKey(machine) ? 'taken' : 'shut';
    const { resourceVersion, uid } = host.metadata;
    // Writing what is there already changes no version, so each time something else is written.
    const annotations = { [givenUpAnnotation]: `${nameOf(machine)} ${resourceVersion}` };
    try {
      await desk.patchHost(key, { metadata: { resourceVersion, uid, annotations } });
      return 'shut';
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  return 'changing';
}

/** In one write, of exactly the version seen. */
function notePatch(object: Metal3Machine, { host, failureDomain }: NotedHost, givingUp: ReadonlySet<string>): object {
  const { resourceVersion, uid, finalizers = [] } = object.metadata;
  const own = clusterFinalizers.metal3Machine;
  const isMoved = failureDomain !== undefined && failureDomain !== object.spec.failureDomain;
  return {
    metadata: {
      ...{ resourceVersion, uid },
      finalizers: finalizers.includes(own) ? finalizers : [...finalizers, own],
      annotations: {
        [clusterAnnotations.bareMetalHost]: besideKey(object, host),
        [givingUpAnnotation]: givingUp.size === 0 ? null : [...givingUp].join(','),
      },
    },
    ...(isMoved ? { spec: { failureDomain } } : {}),
  };
}

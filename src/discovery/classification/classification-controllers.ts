import { isDeepStrictEqual } from 'node:util';
import type { BareMetalHost, HardwareClassification, HardwareClassificationStatus } from '../../api/index.ts';
import {
  type Change,
  type Clock,
  type ControllerOptions,
  defineController,
  formatKey,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  ok,
  patchStatus,
  type RunnableController,
  type Timer,
  type Watch,
  watchInformer,
} from '../../kube/index.ts';
import type { DiscoveryInformers } from '../objects.ts';
import { fieldManager, resources } from '../resources.ts';
import {
  type ClassificationSeen,
  decideClassification,
  decideHostLabels,
  type HostSeen,
  type LabelEffect,
} from './decide-classification.ts';

/** What hosts are sorted with. */
export interface ClassificationParts {
  readonly client: KubeClient;
  readonly informers: DiscoveryInformers;
  readonly clock: Clock;
  readonly gatherMs: number;
}

/** Labels hosts by their hardware, and counts what was labelled. */
export function createClassificationControllers(
  parts: ClassificationParts,
  options: ControllerOptions,
): RunnableController[] {
  return [createHostLabeller(parts, options), createCounter(parts, options)];
}

/** Looks at hosts: so labels go with their classification also where nobody was there to see it go. */
function createHostLabeller(
  { client, informers }: ClassificationParts,
  options: ControllerOptions,
): RunnableController {
  const { hosts, classifications } = informers;
  const write = client.resource<BareMetalHost & KubeObject>(resources.hosts);
  return defineController<HostSeen, LabelEffect, never>(
    {
      name: 'hardware-classification-hosts',
      watches: [
        watchInformer(hosts, (key, change) => (isSameHost(change) ? [] : [key])),
        watchInformer(classifications, (_, change) => (isSameProfile(change) ? [] : keysBeside(informers, change))),
      ],
      read(key) {
        const host = hosts.get(key);
        if (host === undefined) return undefined;
        return { host, profiles: classifications.byIndex('namespace', host.metadata.namespace ?? '') };
      },
      decide: decideHostLabels,
      statusOf: () => undefined,
      writeStatus: async () => {},
      effects: {
        label: async ({ labels }, { seen, signal }) => {
          const { metadata } = seen.host;
          const body = { metadata: { uid: metadata.uid, labels } };
          try {
            await write.patch(keyOf(seen.host as KubeObject), { type: 'merge', body }, { fieldManager, signal });
          } catch (error) {
            if (!isNotFound(error)) throw error;
          }
          return ok();
        },
      },
    },
    options,
  );
}

function createCounter(parts: ClassificationParts, options: ControllerOptions): RunnableController {
  const { client, informers } = parts;
  const { hosts, classifications } = informers;
  const write = client.resource<HardwareClassification & KubeObject>(resources.classifications);
  return defineController<ClassificationSeen, never, HardwareClassificationStatus>(
    {
      name: 'hardware-classification',
      watches: [watchInformer(classifications), gatherHosts(parts)],
      read(key) {
        const profile = classifications.get(key);
        if (profile === undefined) return undefined;
        return { profile, hosts: hosts.byIndex('namespace', profile.metadata.namespace ?? '') };
      },
      decide: decideClassification,
      statusOf: ({ profile }) => profile.status,
      writeStatus: async ({ profile }, status, { signal }) => {
        await patchStatus(write, profile as HardwareClassification & KubeObject, status, { fieldManager, signal });
      },
      effects: {},
    },
    options,
  );
}

function isSameHost({ previous, current }: Change<BareMetalHost>): boolean {
  if (previous === undefined || current === undefined || previous === current) return false;
  const [one, other] = [previous, current].map(({ metadata, status }) => [metadata.labels, status?.hardware]);
  return isDeepStrictEqual(one, other);
}

/** Of a classification that goes, its labels go first. */
function isSameProfile({ previous, current }: Change<HardwareClassification>): boolean {
  if (previous === undefined || current === undefined || previous === current) return false;
  const [one, other] = [previous, current].map(({ metadata, spec }) => [
    [metadata.labels, metadata.deletionTimestamp],
    spec,
  ]);
  return isDeepStrictEqual(one, other);
}

function keysBeside({ hosts }: DiscoveryInformers, { previous, current }: Change<HardwareClassification>): string[] {
  const namespace = (current ?? previous)?.metadata.namespace ?? '';
  return hosts.byIndex('namespace', namespace).map((host) => formatKey(keyOf(host)));
}

/** Many hosts that change at once are counted once. */
function gatherHosts({ informers, clock, gatherMs }: ClassificationParts): Watch {
  const { hosts, classifications } = informers;
  return {
    subscribe(wake) {
      const timers = new Map<string, Timer>();
      const leave = hosts.onChange((_, { previous, current }) => {
        const namespace = (current ?? previous)?.metadata.namespace ?? '';
        if (timers.has(namespace) || classifications.byIndex('namespace', namespace).length === 0) return;
        const fire = (): void => {
          timers.delete(namespace);
          for (const each of classifications.byIndex('namespace', namespace)) wake(formatKey(keyOf(each)));
        };
        timers.set(namespace, clock.after(gatherMs, fire));
      });
      return () => {
        leave();
        for (const timer of timers.values()) timer.cancel();
        timers.clear();
      };
    },
  };
}

import { clusterAnnotations, clusterApiVersion, type Machine } from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  ok,
  type Watch,
  watchInformer,
} from '../../kube/index.ts';
import { type MachineInformers, machineKind } from '../objects.ts';
import type { MachineNetwork } from '../ports.ts';
import { namespaceOf, ownerOf } from '../references.ts';
import { type CoreVersion, coreResources, machinesFieldManager } from '../resources.ts';
import { type Gathering, gatherWakes, isSame } from '../watches.ts';
import { decideScale, type ScaleEffect, type ScaleSeen } from './decide-scale.ts';
import { readScaleSeen, scaleKey, targetsIn } from './read-scale.ts';
import { recordAnnotation, recordText } from './scale-record.ts';

/** What the controller that scales sets works with. */
export interface ScalingParts {
  readonly client: KubeClient;
  readonly informers: MachineInformers;
  readonly network: MachineNetwork;
  readonly coreVersion: CoreVersion;
  readonly gathering: Gathering;
  /** False: somebody else looks after Metal3Machines. */
  readonly isOurs: () => boolean;
}

/** Lets sets and deployments that ask for it follow the hosts that they can claim. */
export function createScalingController(
  { client, informers, network, coreVersion, gathering, isOurs }: ScalingParts,
  options: ControllerOptions,
): Controller<ScaleEffect, never> {
  const core = coreResources(coreVersion);
  const write = { fieldManager: machinesFieldManager };
  const machines = client.resource<Machine & KubeObject>(core.machines);
  return defineController<ScaleSeen, ScaleEffect, never>(
    {
      name: 'scale-to-hosts',
      watches: createScalingWatches(informers, gathering),
      read: (key) => (isOurs() ? readScaleSeen(informers, network, key) : undefined),
      decide: decideScale,
      statusOf: () => undefined,
      writeStatus: async () => {},
      subjectOf: ({ object }) => ({ ...object, apiVersion: clusterApiVersion }),
      effects: {
        scale: async ({ replicas, record }, { seen, signal }) => {
          const { object } = seen;
          const targets = client.resource<KubeObject>(
            object.kind === 'MachineDeployment' ? core.deployments : core.sets,
          );
          const { resourceVersion, uid } = object.metadata;
          const annotations = { [recordAnnotation]: recordText(record) };
          const body = { metadata: { resourceVersion, uid, annotations }, spec: { replicas } };
          return ok(await targets.patch(keyOf(object), { type: 'merge', body }, { ...write, signal }));
        },
        mark: async ({ machine }, { signal }) => {
          const owner = ownerOf(machine, machineKind);
          if (owner === undefined) return ok();
          const body = { metadata: { uid: owner.uid, annotations: { [clusterAnnotations.deleteMachine]: 'yes' } } };
          try {
            const key = { namespace: namespaceOf(machine), name: owner.name };
            await machines.patch(key, { type: 'merge', body }, { ...write, signal });
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

/** Whatever changes what can be claimed in a namespace has all that follow their hosts there looked at, once for many. */
function createScalingWatches(informers: MachineInformers, gathering: Gathering): Watch[] {
  const { hosts, metal3Machines, sets, deployments, templates, clusters } = informers;
  const keysOf = (namespace: string): string[] => targetsIn(informers, namespace).map(scaleKey);
  const changes: Watch[] = [
    watchInformer(hosts, (_, change) =>
      isSame(change, ({ metadata, spec, status }) => [
        [metadata.labels, metadata.annotations, metadata.deletionTimestamp],
        [spec?.consumerRef, spec?.image, spec?.customDeploy, spec?.ports],
        [status?.provisioning.state, status?.operationalStatus, status?.errorMessage],
      ])
        ? []
        : [namespaceOf(change.current ?? change.previous ?? {})],
    ),
    watchInformer(metal3Machines, (_, change) =>
      isSame(change, ({ metadata, spec }) => [metadata.annotations, metadata.deletionTimestamp, spec])
        ? []
        : [namespaceOf(change.current ?? change.previous ?? {})],
    ),
    ...[sets, deployments, templates, clusters].map((informer) =>
      watchInformer(informer as typeof sets, (_, change) =>
        isSame(change, ({ metadata, spec }) => [
          metadata.labels,
          metadata.annotations,
          metadata.deletionTimestamp,
          spec,
        ])
          ? []
          : [namespaceOf(change.current ?? change.previous ?? {})],
      ),
    ),
  ];
  const together: Watch = {
    subscribe(wake) {
      const leaves = changes.map((watch) => watch.subscribe(wake));
      return () => {
        for (const leave of leaves) leave();
      };
    },
  };
  return [gatherWakes(together, { ...gathering, keysOf })];
}

import type { Metal3Machine, Metal3MachineTemplate } from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  type Decision,
  defineController,
  isBeingDeleted,
  isNotFound,
  type KubeClient,
  type KubeObject,
  ok,
  type Watch,
} from '../../kube/index.ts';
import type { MachineTables } from '../objects.ts';
import { nameOf, namespaceOf, objectKey } from '../references.ts';
import { machinesFieldManager, resources } from '../resources.ts';

/** What the controller of Metal3MachineTemplates looks at. */
export interface TemplateSeen {
  readonly object: Metal3MachineTemplate;
  /** What was made from it. */
  readonly machines: readonly Metal3Machine[];
}

/** Brings the way hosts are cleaned to what the template says: the only part of it that machines follow. */
export interface SetCleaning {
  readonly kind: 'set-cleaning';
  readonly key: string;
  readonly machine: string;
  readonly mode: string;
}

/** Decides what a changed template means for the machines that were made from it. Pure. */
export function decideTemplate({ object, machines }: TemplateSeen): Decision<SetCleaning, never> {
  const mode = object.spec.template.spec.automatedCleaningMode;
  const isPaused = object.metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
  const behind = machines.filter((each) => !isBeingDeleted(each) && each.spec.automatedCleaningMode !== mode);
  const effects =
    mode === undefined || isPaused || isBeingDeleted(object)
      ? []
      : behind.map((each) => {
          return { kind: 'set-cleaning' as const, key: `set-cleaning/${objectKey(each)}`, machine: nameOf(each), mode };
        });
  const why = { code: 'FollowedByMachines', message: `${effects.length} of ${machines.length} machines follow now.` };
  return { effects, status: undefined, wake: { on: 'change' }, why: [why] };
}

/** What the controller of Metal3MachineTemplates works with. */
export interface TemplateControllerParts {
  readonly client: KubeClient;
  readonly tables: MachineTables;
  readonly watches: readonly Watch[];
  /** False: somebody else looks after these objects. */
  readonly isOurs: () => boolean;
}

/** Lets machines follow their template where they can. */
export function createTemplateController(
  { client, tables, watches, isOurs }: TemplateControllerParts,
  options: ControllerOptions,
): Controller<SetCleaning, never> {
  const machines = client.resource<Metal3Machine & KubeObject>(resources.metal3Machines);
  return defineController<TemplateSeen, SetCleaning, never>(
    {
      name: 'metal3-machine-template',
      watches,
      read: (key) => {
        const object = isOurs() ? tables.templates.get(key) : undefined;
        return object === undefined ? undefined : { object, machines: tables.metal3Machines.byIndex('template', key) };
      },
      decide: decideTemplate,
      statusOf: () => undefined,
      writeStatus: async () => {},
      effects: {
        'set-cleaning': async ({ machine, mode }, { seen, signal }) => {
          const key = { namespace: namespaceOf(seen.object), name: machine };
          const body = { spec: { automatedCleaningMode: mode } };
          try {
            await machines.patch(key, { type: 'merge', body }, { fieldManager: machinesFieldManager, signal });
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

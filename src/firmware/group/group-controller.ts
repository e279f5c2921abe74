import {
  ironcoreApiVersion,
  operationAnnotation,
  retryPropagatedOperation,
  type ServerFirmware,
  type ServerFirmwareGroup,
  type ServerFirmwareGroupStatus,
} from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  isNotFound,
  type KubeClient,
  type KubeObject,
  ok,
  type Watch,
} from '../../kube/index.ts';
import { fieldManagers, resources } from '../resources.ts';
import type { FirmwareSettings } from '../settings.ts';
import { patchStatus } from '../status-patch.ts';
import { decideGroup, type GroupEffect, type GroupSeen } from './decide-group.ts';
import { groupTable } from './group-table.ts';
import { createStandings, type StandingContext } from './member-standing.ts';

/** What the part of the server-group-controller that counts works with. */
export interface GroupControllerParts {
  readonly client: KubeClient;
  readonly standing: StandingContext;
  readonly settings: FirmwareSettings;
  readonly watches: readonly Watch[];
}

/** Counts groups, halts them and tells their status. */
export function createGroupController(
  { client, standing, settings, watches }: GroupControllerParts,
  options: ControllerOptions,
): Controller<GroupEffect, ServerFirmwareGroupStatus> {
  const groups = client.resource<ServerFirmwareGroup & KubeObject>(resources.groups);
  const firmwares = client.resource<ServerFirmware & KubeObject>(resources.firmwares);
  const standingsOf = createStandings(standing);
  const annotate = (operation: string | null): object => ({
    metadata: { annotations: { [operationAnnotation]: operation } },
  });
  return defineController<GroupSeen, GroupEffect, ServerFirmwareGroupStatus>(
    {
      name: 'server-group-controller',
      table: groupTable,
      watches,
      read: (key) => {
        const group = standing.fleet.group(key);
        if (group === undefined || group.metadata.deletionTimestamp !== undefined) return undefined;
        return { group, selected: standingsOf(group), settings };
      },
      decide: decideGroup,
      statusOf: ({ group }) => group.status,
      writeStatus: ({ group }, status, { signal }) => patchStatus(groups, group, status, { signal }),
      subjectOf: ({ group }) => ({ ...group, apiVersion: ironcoreApiVersion, kind: 'ServerFirmwareGroup' }),
      effects: {
        'retry-member': async ({ name }, { signal }) => {
          const patch = { type: 'merge', body: annotate(retryPropagatedOperation) } as const;
          try {
            await firmwares.patch({ name }, patch, { fieldManager: fieldManagers.status, signal });
          } catch (error) {
            if (!isNotFound(error)) throw error;
          }
          return ok();
        },
        'consume-retry': async (_, { key, signal }) => {
          const patch = { type: 'merge', body: annotate(null) } as const;
          await groups.patch({ name: key }, patch, { fieldManager: fieldManagers.status, signal });
          return ok();
        },
      },
    },
    options,
  );
}

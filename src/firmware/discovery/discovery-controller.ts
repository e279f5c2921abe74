import { type DiscoveredFirmware, type DiscoveredFirmwareStatus, ironcoreApiVersion } from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  type Failure,
  type Instant,
  type KubeClient,
  type KubeObject,
  type Watch,
} from '../../kube/index.ts';
import { hardwareKey } from '../../parts/index.ts';
import { writeConditions } from '../conditions.ts';
import { olderFirst } from '../fleet/fleet.ts';
import type { ObjectTable } from '../fleet/table.ts';
import type { UpdateServicePort } from '../ports.ts';
import { createRequestSender } from '../request-sender.ts';
import { resources } from '../resources.ts';
import type { FirmwareSettings } from '../settings.ts';
import { patchStatus } from '../status-patch.ts';
import { type Discover, type DiscoverySeen, decideDiscovery } from './decide-discovery.ts';
import { discoveryTable } from './discovery-table.ts';

/** What the discovery controller works with. */
export interface DiscoveryControllerParts {
  readonly client: KubeClient;
  readonly discovered: ObjectTable<DiscoveredFirmware>;
  readonly updateService: UpdateServicePort;
  readonly settings: FirmwareSettings;
  readonly watches: readonly Watch[];
}

const ownParts = ['observedGeneration', 'bios', 'firmwares', 'request', 'failedRuns', 'conditions'] as const;

/** Asks for discoveries. */
export function createDiscoveryController(
  { client, discovered, updateService, settings, watches }: DiscoveryControllerParts,
  options: ControllerOptions,
): Controller<Discover, DiscoveredFirmwareStatus> {
  const objects = client.resource<DiscoveredFirmware & KubeObject>(resources.discovered);
  const sender = createRequestSender(options.clock);
  return defineController<DiscoverySeen, Discover, DiscoveredFirmwareStatus>(
    {
      name: 'discovery-controller',
      table: discoveryTable,
      watches,
      read: (key) => {
        const object = discovered.get(key);
        if (object === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
        const [first] = discovered.byIndex('hardware', hardwareKey(object.spec)).toSorted(olderFirst);
        const duplicateOf = first === undefined || first.metadata.name === key ? undefined : first.metadata.name;
        return { object, duplicateOf, settings };
      },
      decide: decideDiscovery,
      statusOf: ({ object }) => object.status,
      writeStatus: ({ object }, status, context) => {
        const jobID = sender.jobOf(context);
        const told =
          jobID === undefined || status.request === undefined
            ? status
            : { ...status, request: { ...status.request, jobID } };
        return patchStatus(objects, object, told, { parts: ownParts, signal: context.signal });
      },
      describeFailure,
      subjectOf: ({ object }) => ({ ...object, apiVersion: ironcoreApiVersion, kind: 'DiscoveredFirmware' }),
      effects: {
        discover: ({ request }, context) => sender.send(context, () => updateService.discover(request, context.signal)),
      },
    },
    options,
  );
}

/** What could not be asked for, as the status tells it. */
function describeFailure(seen: DiscoverySeen, failure: Failure, now: Instant): DiscoveredFirmwareStatus | undefined {
  const decided = decideDiscovery(seen, now).status;
  if (decided === undefined) return undefined;
  const { request: _, conditions = [], ...kept } = decided;
  const drafts = conditions.map((each) => ({
    type: each.type,
    ...(each.type === 'Progressing'
      ? { status: 'False' as const, reason: failure.code, message: `The request was not taken: ${failure.message}` }
      : { status: each.status, reason: each.reason, message: each.message }),
  }));
  const { metadata, status } = seen.object;
  const context = { before: status?.conditions, generation: metadata.generation, now };
  return {
    ...kept,
    conditions: writeConditions(
      drafts,
      context,
      drafts.map(({ type }) => type),
    ),
  };
}

import type { Machine } from '../../machine/machine.ts';
import type { Update } from '../../machine/updates.ts';
import { refuseMissing } from '../../redfish/resources/index.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../../redfish/route.ts';
import type { HpeGeneration } from './generation.ts';
import { hpeAnswer, hpeMessage } from './words.ts';

const service = '/redfish/v1/UpdateService';
/** Where iLO keeps its queue, uploaded components and sets of them. */
export const hpeUpdatePaths = {
  queue: `${service}/UpdateTaskQueue`,
  repository: `${service}/ComponentRepository`,
  installSets: `${service}/InstallSets`,
} as const;

const queueStates: Readonly<Record<Update['phase'], string>> = {
  uploaded: 'Pending',
  downloading: 'InProgress',
  verifying: 'InProgress',
  scheduled: 'Complete',
  flashing: 'InProgress',
  activating: 'Complete',
  done: 'Complete',
  failed: 'Exception',
};

function queueItem(update: Update): JsonObject {
  return {
    '@odata.id': `${hpeUpdatePaths.queue}/${update.id}`,
    '@odata.type': '#HpeComponentUpdateTask.v1_2_0.HpeComponentUpdateTask',
    Id: update.id,
    Name: `Update-${update.id} ${filenameOf(update)}`,
    Command: 'ApplyUpdate',
    Filename: filenameOf(update),
    State: queueStates[update.phase],
    UpdatableBy: ['Bmc'],
    TPMOverride: true,
    UpdateRecoverySet: false,
  };
}

function component(update: Update): JsonObject {
  return {
    '@odata.id': `${hpeUpdatePaths.repository}/${update.id}`,
    '@odata.type': '#HpeComponent.v1_0_1.HpeComponent',
    Id: update.id,
    Name: filenameOf(update),
    Filename: filenameOf(update),
    Version: update.header?.version ?? '',
    Targets: update.header === undefined ? [] : [update.header.softwareId],
    Activates: update.slots[0]?.component === 'bmc' ? 'AfterDeviceReset' : 'AfterReboot',
    Locked: update.phase === 'flashing',
    UpdatableBy: ['Bmc'],
  };
}

/** What the file of an update is called in the repository. */
function filenameOf(update: Update): string {
  return update.header === undefined
    ? `component-${update.id}.fwpkg`
    : `${update.header.component}_${update.header.version.replaceAll(/[^\w.]/g, '_')}.fwpkg`;
}

interface Listing {
  readonly path: string;
  readonly type: string;
  members(machine: Machine): readonly Update[];
  body(update: Update): JsonObject;
}

function listingRoutes(listing: Listing): Route[] {
  return [
    {
      pattern: listing.path,
      get: ({ machine }) => ({
        status: 200,
        body: {
          '@odata.id': listing.path,
          '@odata.type': `#${listing.type}Collection.${listing.type}Collection`,
          Name: listing.type,
          Members: listing.members(machine).map((update) => ({ '@odata.id': `${listing.path}/${update.id}` })),
          'Members@odata.count': listing.members(machine).length,
        },
      }),
    },
    {
      pattern: `${listing.path}/:item`,
      get: ({ machine, params, path }) => {
        const update = listing.members(machine).find(({ id }) => id === params.item);
        return update === undefined ? refuseMissing(path) : { status: 200, body: listing.body(update) };
      },
    },
  ];
}

/** Starts a component that is in the repository. */
function enqueue({ machine, body }: RedfishRequest): RedfishAnswer {
  const update = machine.updates.all.find(
    (each) => each.applyTime === 'OnStartUpdateRequest' && filenameOf(each) === body.Filename,
  );
  if (update === undefined)
    return hpeAnswer(400, [hpeMessage('Base.1.4.PropertyValueNotInList', [String(body.Filename), 'Filename'])]);
  if (machine.updates.startUploaded() === 0) {
    return machine.personality.answerRefusal(machine, { fault: 'busy', detail: 'The component is being checked.' });
  }
  return { status: 201, headers: { Location: `${hpeUpdatePaths.queue}/${update.id}` }, body: queueItem(update) };
}

/** An upload: applied at once, or kept in the repository when `UpdateTarget` is false. */
function upload({ machine, upload: file, body }: RedfishRequest): RedfishAnswer {
  if (file === undefined) return hpeAnswer(400, [hpeMessage('Base.1.4.PropertyMissing', ['file'])]);
  const isKept = body.UpdateTarget === false;
  const begun = machine.updates.begin({
    via: machine.personality.update.multipartPushUri === undefined ? 'push' : 'multipart',
    applyTime: isKept ? 'OnStartUpdateRequest' : 'Immediate',
    targets: [],
    file,
  });
  const { personality } = machine;
  return 'id' in begun ? personality.answerUpdate(machine, begun) : personality.answerRefusal(machine, begun);
}

/** iLO's queue, repository and sets, and its way in for files. */
export function hpeUpdateRoutes(generation: HpeGeneration): Route[] {
  return [
    { pattern: generation.uploadPath, post: upload, takesUpload: true },
    ...listingRoutes({
      path: hpeUpdatePaths.queue,
      type: 'HpeComponentUpdateTaskQueue',
      members: ({ updates }) => updates.all,
      body: queueItem,
    }),
    { pattern: hpeUpdatePaths.queue, post: enqueue },
    ...listingRoutes({
      path: hpeUpdatePaths.repository,
      type: 'HpeComponent',
      members: ({ updates }) => updates.all.filter((update) => update.header !== undefined && update.via !== 'pull'),
      body: component,
    }),
    ...listingRoutes({
      path: hpeUpdatePaths.installSets,
      type: 'HpeComponentInstallSet',
      members: () => [],
      body: () => ({}),
    }),
  ];
}

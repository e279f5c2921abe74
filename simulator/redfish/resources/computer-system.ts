import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { bootOrder, changeBootOrder } from './boot-options.ts';
import { confirm, type MessageOrder, refuse } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { biosPath, chassisPath, managerPath, root, systemPath, virtualMediaPath } from './paths.ts';
import { collection, head, healthyRollup, isObject, link, linkList, show } from './render.ts';
import { notInList, say, unknownMember, writeMembers, wrongType } from './written-members.ts';

/** Systems and the ComputerSystem: power, boot override, indicator. */
export const computerSystemRoutes: readonly Route[] = [
  {
    pattern: `${root}/Systems`,
    get: ({ machine, path }) => collection({ path, of: 'ComputerSystem' }, [systemPath(machine)]),
  },
  ...ownRoutes([
    {
      pattern: `${root}/Systems/:system`,
      get: (request) => show(request, 'ComputerSystem', renderSystem(request.machine)),
      patch: changeSystem,
    },
    { pattern: `${root}/Systems/:system/Actions/ComputerSystem.Reset`, post: resetSystem },
    { pattern: `${root}/Systems/:system/ResetActionInfo`, get: showResetInfo },
  ]),
];

function renderSystem(machine: Machine): JsonObject {
  const { personality, hardware, power, manager } = machine;
  const path = systemPath(machine);
  const { hasBootProgress } = personality.service;
  return {
    ...head({
      path,
      schema: hasBootProgress ? 'ComputerSystem.v1_16_0' : 'ComputerSystem.v1_10_0',
      id: personality.ids.system,
      name: 'System',
    }),
    Description: 'Computer system',
    SystemType: 'Physical',
    Manufacturer: personality.manufacturer,
    Model: hardware.model,
    SKU: hardware.sku,
    SerialNumber: hardware.serial,
    PartNumber: hardware.boardSerial,
    UUID: hardware.uuid,
    AssetTag: machine.notes.get('AssetTag') ?? '',
    HostName: machine.notes.get('HostName') ?? '',
    BiosVersion: machine.firmware.find((slot) => slot.component === 'bios')?.version ?? '',
    PowerState: power.state,
    IndicatorLED: manager.indicator,
    Status: healthyRollup(),
    // Both came with schema versions that the vendor has or has not.
    ...(hasBootProgress && {
      BootProgress: { LastState: power.bootProgress },
      LocationIndicatorActive: manager.indicator !== 'Off',
    }),
    Boot: renderBoot(machine),
    ...renderSummaries(machine),
    ...renderLinks(machine),
    Actions: { '#ComputerSystem.Reset': renderReset(machine) },
  };
}

function renderBoot(machine: Machine): JsonObject {
  const { boot, personality } = machine;
  const { bootTargets, hasBootMode } = personality.service;
  return {
    BootSourceOverrideEnabled: boot.enabled,
    BootSourceOverrideTarget: boot.target,
    'BootSourceOverrideTarget@Redfish.AllowableValues': [...bootTargets],
    ...(hasBootMode && {
      BootSourceOverrideMode: boot.mode,
      'BootSourceOverrideMode@Redfish.AllowableValues': ['UEFI', 'Legacy'],
    }),
    ...(bootTargets.includes('UefiHttp') && { HttpBootUri: boot.httpUri === '' ? null : boot.httpUri }),
    BootOptions: link(`${systemPath(machine)}/BootOptions`),
    BootOrder: bootOrder(machine),
  };
}

function renderSummaries({ hardware }: Machine): JsonObject {
  const { processors, dimms } = hardware;
  return {
    ProcessorSummary: {
      Count: processors.length,
      CoreCount: processors.reduce((sum, part) => sum + part.cores, 0),
      LogicalProcessorCount: processors.reduce((sum, part) => sum + part.threads, 0),
      Model: processors[0]?.model ?? null,
      Status: healthyRollup(),
    },
    MemorySummary: {
      TotalSystemMemoryGiB: dimms.reduce((sum, part) => sum + part.capacityMib, 0) / 1024,
      Status: healthyRollup(),
    },
  };
}

function renderLinks(machine: Machine): JsonObject {
  const path = systemPath(machine);
  return {
    Bios: link(biosPath(machine)),
    Processors: link(`${path}/Processors`),
    Memory: link(`${path}/Memory`),
    Storage: link(`${path}/Storage`),
    EthernetInterfaces: link(`${path}/EthernetInterfaces`),
    NetworkInterfaces: link(`${path}/NetworkInterfaces`),
    SecureBoot: link(`${path}/SecureBoot`),
    LogServices: link(`${path}/LogServices`),
    ...(machine.personality.ids.isVirtualMediaOfSystem && { VirtualMedia: link(virtualMediaPath(machine)) }),
    Links: { ...linkList('Chassis', [chassisPath(machine)]), ...linkList('ManagedBy', [managerPath(machine)]) },
  };
}

function renderReset(machine: Machine): JsonObject {
  const path = systemPath(machine);
  const { hasResetActionInfo, resetTypes } = machine.personality.service;
  return {
    target: `${path}/Actions/ComputerSystem.Reset`,
    ...(hasResetActionInfo
      ? { '@Redfish.ActionInfo': `${path}/ResetActionInfo` }
      : { 'ResetType@Redfish.AllowableValues': [...resetTypes] }),
  };
}

function showResetInfo(request: RedfishRequest): RedfishAnswer {
  return show(request, 'ActionInfo', {
    ...head({ path: request.path, schema: 'ActionInfo.v1_1_2', id: 'ResetActionInfo', name: 'Reset Action Info' }),
    Parameters: [
      {
        Name: 'ResetType',
        Required: true,
        DataType: 'String',
        AllowableValues: [...request.machine.personality.service.resetTypes],
      },
    ],
  });
}

function resetSystem({ machine, body }: RedfishRequest): RedfishAnswer {
  const action = 'ComputerSystem.Reset';
  const type = body.ResetType;
  if (type === undefined) {
    return refuse(400, {
      messageId: 'ActionParameterMissing',
      args: [action, 'ResetType'],
      related: ['#/ResetType'],
    });
  }
  const outcome = typeof type === 'string' ? machine.power.reset(type) : 'unsupported';
  if (outcome === 'ok') return { status: 204 };
  if (outcome === 'unsupported') {
    return refuse(400, {
      messageId: 'ActionParameterValueNotInList',
      args: [say(type), 'ResetType', action],
      related: ['#/ResetType'],
    });
  }
  // By this word clients know that it is worth asking again when a host that goes off is off.
  const isSoon = machine.power.state === 'PoweringOff';
  return refuse(409, {
    messageId: isSoon ? 'ActionParameterValueConflict' : 'OperationFailed',
    message: `The reset ${say(type)} cannot be done while the power state is ${machine.power.state}.`,
    args: [say(type), machine.power.state],
  });
}

function changeSystem({ machine, body }: RedfishRequest): RedfishAnswer {
  const complaints = writeMembers(body, {
    Boot: (value) => (isObject(value) ? changeBoot(machine, value) : wrongType('Boot', value)),
    IndicatorLED: (value) =>
      typeof value === 'string' && machine.manager.setIndicator(value) ? undefined : notInList('IndicatorLED', value),
    LocationIndicatorActive: (value) => {
      if (typeof value !== 'boolean') return wrongType('LocationIndicatorActive', value);
      machine.manager.setIndicator(value ? 'Blinking' : 'Off');
      return undefined;
    },
    AssetTag: (value) => keepText(machine, { member: 'AssetTag', value }),
    HostName: (value) => keepText(machine, { member: 'HostName', value }),
  });
  return complaints.length > 0 ? refuse(400, complaints) : confirm();
}

function keepText(
  machine: Machine,
  order: { readonly member: string; readonly value: unknown },
): MessageOrder | undefined {
  if (typeof order.value !== 'string') return wrongType(order.member, say(order.value));
  machine.notes.set(order.member, order.value);
  return undefined;
}

/** Boot's members as the machine names them. */
const bootMembers = {
  BootSourceOverrideEnabled: 'enabled',
  BootSourceOverrideTarget: 'target',
  BootSourceOverrideMode: 'mode',
  HttpBootUri: 'httpUri',
} as const;

function changeBoot(machine: Machine, body: JsonObject): MessageOrder | undefined {
  const change: { enabled?: string; target?: string; mode?: string; httpUri?: string } = {};
  for (const [member, value] of Object.entries(body)) {
    if (member === 'BootOrder') {
      const complaint = changeBootOrder(machine, value);
      if (complaint !== undefined) return complaint;
      continue;
    }
    const key = Object.hasOwn(bootMembers, member) ? bootMembers[member as keyof typeof bootMembers] : undefined;
    if (key === undefined || (key === 'mode' && !machine.personality.service.hasBootMode)) {
      return unknownMember(`Boot/${member}`);
    }
    // HttpBootUri is cleared with null.
    if (typeof value !== 'string' && !(key === 'httpUri' && value === null)) return wrongType(`Boot/${member}`, value);
    change[key] = value ?? '';
  }
  const outcome = machine.boot.set(change);
  return outcome === 'ok' ? undefined : notInList(...badBootMember(outcome.bad, body));
}

function badBootMember(bad: string, body: JsonObject): [string, string] {
  for (const [member, key] of Object.entries(bootMembers)) {
    if (bad === key || bad === member || bad === body[member]) return [`Boot/${member}`, say(body[member])];
  }
  return [`Boot/${bad}`, say(body[bad])];
}

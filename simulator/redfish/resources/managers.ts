import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, refuse } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { chassisPath, managerPath, root, systemPath, virtualMediaPath } from './paths.ts';
import { collection, head, healthy, link, linkList, show, toDateTime } from './render.ts';
import { say, writeMembers, wrongFormat } from './written-members.ts';

/** Managers and the BMC itself: its clock and its restart. */
export const managerRoutes: readonly Route[] = [
  {
    pattern: `${root}/Managers`,
    get: ({ machine, path }) => collection({ path, of: 'Manager' }, [managerPath(machine)]),
  },
  ...ownRoutes([
    {
      pattern: `${root}/Managers/:manager`,
      get: (request) => show(request, 'Manager', renderManager(request.machine)),
      patch: changeManager,
    },
    { pattern: `${root}/Managers/:manager/Actions/Manager.Reset`, post: resetManager },
  ]),
];

/** The BMC's own UUID: the machine's, told from it by the BMC's MAC. */
export function managerUuid({ hardware }: Machine): string {
  return `${hardware.uuid.slice(0, 24)}${hardware.bmcMac.replaceAll(/[^\da-fA-F]/g, '').toLowerCase()}`;
}

function offsetOf(machine: Machine): string {
  return say(machine.notes.get('DateTimeLocalOffset') ?? '+00:00');
}

function renderManager(machine: Machine): JsonObject {
  const { personality, hardware } = machine;
  const path = managerPath(machine);
  const bmc = machine.firmware.find((slot) => slot.component === 'bmc');
  const offset = offsetOf(machine);
  return {
    ...head({ path, schema: 'Manager.v1_11_0', id: personality.ids.manager, name: 'Manager' }),
    Description: 'BMC',
    ManagerType: 'BMC',
    Manufacturer: personality.manufacturer,
    Model: bmc?.name ?? 'BMC',
    SerialNumber: hardware.bmcSerial,
    UUID: managerUuid(machine),
    FirmwareVersion: bmc?.version ?? '',
    DateTime: toDateTime(machine.manager.now(), offset),
    DateTimeLocalOffset: offset,
    PowerState: 'On',
    Status: healthy(),
    ...renderConsoles(),
    EthernetInterfaces: link(`${path}/EthernetInterfaces`),
    NetworkProtocol: link(`${path}/NetworkProtocol`),
    LogServices: link(`${path}/LogServices`),
    ...(!personality.ids.isVirtualMediaOfSystem && { VirtualMedia: link(virtualMediaPath(machine)) }),
    Links: {
      ...linkList('ManagerForServers', [systemPath(machine)]),
      ...linkList('ManagerForChassis', [chassisPath(machine)]),
      ManagerInChassis: link(chassisPath(machine)),
    },
    Actions: {
      '#Manager.Reset': {
        target: `${path}/Actions/Manager.Reset`,
        'ResetType@Redfish.AllowableValues': [...personality.service.managerResetTypes],
      },
    },
  };
}

function renderConsoles(): JsonObject {
  return {
    GraphicalConsole: { ServiceEnabled: true, MaxConcurrentSessions: 4, ConnectTypesSupported: ['KVMIP'] },
    SerialConsole: { ServiceEnabled: true, MaxConcurrentSessions: 1, ConnectTypesSupported: ['SSH', 'IPMI'] },
    CommandShell: { ServiceEnabled: true, MaxConcurrentSessions: 4, ConnectTypesSupported: ['SSH'] },
  };
}

function changeManager({ machine, body }: RedfishRequest): RedfishAnswer {
  const complaints = writeMembers(body, {
    DateTime: (value) => {
      const epochMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
      if (Number.isNaN(epochMs)) return wrongFormat('DateTime', value);
      machine.manager.setClock(epochMs);
      return undefined;
    },
    DateTimeLocalOffset: (value) => {
      if (typeof value !== 'string' || !/^[+-]\d\d:\d\d$/.test(value)) return wrongFormat('DateTimeLocalOffset', value);
      machine.notes.set('DateTimeLocalOffset', value);
      return undefined;
    },
  });
  return complaints.length > 0 ? refuse(400, complaints) : confirm();
}

function resetManager({ machine, body }: RedfishRequest): RedfishAnswer {
  const action = 'Manager.Reset';
  const type = body.ResetType;
  if (type === undefined) {
    return refuse(400, { messageId: 'ActionParameterMissing', args: [action, 'ResetType'], related: ['#/ResetType'] });
  }
  if (typeof type === 'string' && machine.manager.reset(type) === 'ok') return { status: 204 };
  return refuse(400, {
    messageId: 'ActionParameterValueNotInList',
    args: [say(type), 'ResetType', action],
    related: ['#/ResetType'],
  });
}

import type { NicPart, NicPort } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import type { Handler, JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { versionOn } from './part-firmware.ts';
import { adapterPath, root } from './paths.ts';
import { collection, head, healthy, link, linkList, show, toId } from './render.ts';

/** A port that a request names. */
interface AskedPort {
  readonly nic: NicPart;
  readonly port: NicPort;
  /** Counted from 1. */
  readonly number: number;
}

const pattern = `${root}/Chassis/:chassis/NetworkAdapters`;

/** NetworkAdapters of the chassis, with ports in the old form and the new, and device functions. */
export const networkAdapterRoutes: readonly Route[] = ownRoutes([
  {
    pattern,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'NetworkAdapter' },
        machine.hardware.nics.map((nic) => adapterPath(machine, nic.slot)),
      ),
  },
  {
    pattern: `${pattern}/:nic`,
    get: (request) => {
      const nic = findNic(request);
      return nic === undefined
        ? refuseMissing(request.path)
        : show(request, 'NetworkAdapter', renderAdapter(request.machine, nic));
    },
  },
  { pattern: `${pattern}/:nic/NetworkPorts`, get: (request) => listMembers(request, 'NetworkPort') },
  { pattern: `${pattern}/:nic/Ports`, get: (request) => listMembers(request, 'Port') },
  {
    pattern: `${pattern}/:nic/NetworkDeviceFunctions`,
    get: (request) => listMembers(request, 'NetworkDeviceFunction'),
  },
  {
    pattern: `${pattern}/:nic/NetworkPorts/:port`,
    get: ofPort((request, asked) => show(request, 'NetworkPort', renderNetworkPort(request.machine, asked))),
  },
  {
    pattern: `${pattern}/:nic/Ports/:port`,
    get: ofPort((request, asked) => show(request, 'NetworkPort', renderPort(request.machine, asked))),
  },
  {
    pattern: `${pattern}/:nic/NetworkDeviceFunctions/:port`,
    get: ofPort((request, asked) => show(request, 'NetworkDeviceFunction', renderFunction(request.machine, asked))),
  },
]);

function findNic({ machine, params }: RedfishRequest): NicPart | undefined {
  return machine.hardware.nics.find(({ slot }) => toId(slot) === params.nic);
}

function ofPort(handler: (request: RedfishRequest, asked: AskedPort) => RedfishAnswer): Handler {
  return (request) => {
    const nic = findNic(request);
    const index = nic?.ports.findIndex(({ id }) => toId(id) === request.params.port) ?? -1;
    const port = nic?.ports[index];
    if (nic === undefined || port === undefined) return refuseMissing(request.path);
    return handler(request, { nic, port, number: index + 1 });
  };
}

function listMembers(request: RedfishRequest, of: string): RedfishAnswer {
  const { path } = request;
  const nic = findNic(request);
  if (nic === undefined) return refuseMissing(path);
  return collection(
    { path, of },
    nic.ports.map((port) => `${path}/${toId(port.id)}`),
  );
}

function renderAdapter(machine: Machine, nic: NicPart): JsonObject {
  const path = adapterPath(machine, nic.slot);
  const under = (folder: string) => nic.ports.map((port) => `${path}/${folder}/${toId(port.id)}`);
  return {
    ...head({ path, schema: 'NetworkAdapter.v1_5_0', id: toId(nic.slot), name: nic.model }),
    Manufacturer: nic.manufacturer,
    Model: nic.model,
    SerialNumber: nic.serial,
    PartNumber: '',
    Controllers: [
      {
        FirmwarePackageVersion: versionOn(machine, {
          component: 'nic',
          slot: nic.slot,
          index: machine.hardware.nics.indexOf(nic),
        }),
        ControllerCapabilities: { NetworkPortCount: nic.ports.length, NetworkDeviceFunctionCount: nic.ports.length },
        Links: {
          ...linkList('NetworkPorts', under('NetworkPorts')),
          ...linkList('NetworkDeviceFunctions', under('NetworkDeviceFunctions')),
        },
      },
    ],
    NetworkPorts: link(`${path}/NetworkPorts`),
    Ports: link(`${path}/Ports`),
    NetworkDeviceFunctions: link(`${path}/NetworkDeviceFunctions`),
    Status: healthy(),
  };
}

function isLinkUp(machine: Machine, port: NicPort): boolean {
  return machine.neighbour(port.mac) !== undefined;
}

function renderNetworkPort(machine: Machine, { nic, port, number }: AskedPort): JsonObject {
  const id = toId(port.id);
  return {
    ...head({
      path: `${adapterPath(machine, nic.slot)}/NetworkPorts/${id}`,
      schema: 'NetworkPort.v1_2_5',
      id,
      name: `Network Port ${port.id}`,
    }),
    PhysicalPortNumber: String(number),
    LinkStatus: isLinkUp(machine, port) ? 'Up' : 'Down',
    ActiveLinkTechnology: 'Ethernet',
    CurrentLinkSpeedMbps: isLinkUp(machine, port) ? port.speedMbps : 0,
    AssociatedNetworkAddresses: [port.mac],
    SupportedLinkCapabilities: [{ LinkNetworkTechnology: 'Ethernet', LinkSpeedMbps: port.speedMbps }],
    Status: healthy(),
  };
}

function renderPort(machine: Machine, { nic, port, number }: AskedPort): JsonObject {
  const id = toId(port.id);
  const isUp = isLinkUp(machine, port);
  return {
    ...head({
      path: `${adapterPath(machine, nic.slot)}/Ports/${id}`,
      schema: 'Port.v1_6_1',
      id,
      name: `Port ${port.id}`,
    }),
    PortId: String(number),
    PortProtocol: 'Ethernet',
    PortType: 'BidirectionalPort',
    CurrentSpeedGbps: isUp ? port.speedMbps / 1000 : 0,
    MaxSpeedGbps: port.speedMbps / 1000,
    LinkState: 'Enabled',
    LinkStatus: isUp ? 'LinkUp' : 'LinkDown',
    LinkNetworkTechnology: 'Ethernet',
    Ethernet: {
      AssociatedMACAddresses: [port.mac],
      LLDPEnabled: true,
      ...renderNeighbour(machine, port),
    },
    Status: healthy(),
  };
}

function renderNeighbour(machine: Machine, port: NicPort): JsonObject {
  const heard = machine.neighbour(port.mac);
  if (heard === undefined) return {};
  const isMac = /^[\da-f]{2}(?::[\da-f]{2}){5}$/i.test(heard.chassisId);
  return {
    LLDPReceive: {
      ChassisId: heard.chassisId,
      ChassisIdSubtype: isMac ? 'MacAddr' : 'ChassisComp',
      PortId: heard.portId,
      PortIdSubtype: 'IfName',
      SystemName: heard.systemName,
    },
  };
}

function renderFunction(machine: Machine, { nic, port }: AskedPort): JsonObject {
  const path = adapterPath(machine, nic.slot);
  const id = toId(port.id);
  return {
    ...head({
      path: `${path}/NetworkDeviceFunctions/${id}`,
      schema: 'NetworkDeviceFunction.v1_5_2',
      id,
      name: `Network Device Function ${port.id}`,
    }),
    NetDevFuncType: 'Ethernet',
    NetDevFuncCapabilities: ['Ethernet'],
    DeviceEnabled: true,
    MaxVirtualFunctions: 64,
    Ethernet: { MACAddress: port.mac, PermanentMACAddress: port.mac, MTUSize: 1500 },
    AssignablePhysicalPorts: [link(`${path}/NetworkPorts/${id}`)],
    PhysicalPortAssignment: link(`${path}/NetworkPorts/${id}`),
    Links: { PhysicalPortAssignment: link(`${path}/NetworkPorts/${id}`) },
    Status: healthy(),
  };
}

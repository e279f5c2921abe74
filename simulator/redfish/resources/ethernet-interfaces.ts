import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { listPorts, type PlacedPort } from './network-parts.ts';
import { ownRoutes } from './own-routes.ts';
import { adapterPath, root, systemPath } from './paths.ts';
import { collection, head, healthy, link, show, toId } from './render.ts';

/** EthernetInterfaces and NetworkInterfaces of the system. */
export const ethernetInterfaceRoutes: readonly Route[] = ownRoutes([
  {
    pattern: `${root}/Systems/:system/EthernetInterfaces`,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'EthernetInterface' },
        listPorts(machine.hardware).map(({ interfaceId }) => `${path}/${interfaceId}`),
      ),
  },
  {
    pattern: `${root}/Systems/:system/EthernetInterfaces/:interface`,
    get: (request) => {
      const placed = listPorts(request.machine.hardware).find(
        ({ interfaceId }) => interfaceId === request.params.interface,
      );
      return placed === undefined
        ? refuseMissing(request.path)
        : show(request, 'EthernetInterface', renderInterface(request.machine, placed));
    },
  },
  {
    pattern: `${root}/Systems/:system/NetworkInterfaces`,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'NetworkInterface' },
        machine.hardware.nics.map((nic) => `${path}/${toId(nic.slot)}`),
      ),
  },
  {
    pattern: `${root}/Systems/:system/NetworkInterfaces/:nic`,
    get: (request) => {
      const nic = request.machine.hardware.nics.find(({ slot }) => toId(slot) === request.params.nic);
      return nic === undefined
        ? refuseMissing(request.path)
        : show(request, 'NetworkInterface', renderNetworkInterface(request.machine, nic.slot));
    },
  },
]);

function renderInterface(machine: Machine, { port, interfaceId, nic }: PlacedPort): JsonObject {
  return {
    ...head({
      path: `${systemPath(machine)}/EthernetInterfaces/${interfaceId}`,
      schema: 'EthernetInterface.v1_5_1',
      id: interfaceId,
      name: `System Ethernet Interface ${interfaceId}`,
    }),
    Description: `${nic.model} port ${port.id}`,
    MACAddress: port.mac,
    PermanentMACAddress: port.mac,
    SpeedMbps: port.speedMbps,
    AutoNeg: true,
    FullDuplex: true,
    InterfaceEnabled: true,
    LinkStatus: machine.neighbour(port.mac) === undefined ? 'LinkDown' : 'LinkUp',
    MTUSize: 1500,
    UefiDevicePath: '',
    Status: healthy(),
  };
}

function renderNetworkInterface(machine: Machine, slot: string): JsonObject {
  const adapter = adapterPath(machine, slot);
  const id = toId(slot);
  return {
    ...head({
      path: `${systemPath(machine)}/NetworkInterfaces/${id}`,
      schema: 'NetworkInterface.v1_2_0',
      id,
      name: `Network Interface ${slot}`,
    }),
    NetworkPorts: link(`${adapter}/NetworkPorts`),
    NetworkDeviceFunctions: link(`${adapter}/NetworkDeviceFunctions`),
    Status: healthy(),
    Links: { NetworkAdapter: link(adapter) },
  };
}

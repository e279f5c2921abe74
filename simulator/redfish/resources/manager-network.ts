import { isIPv4, isIPv6 } from 'node:net';
import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, refuse, refuseMissing } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { root } from './paths.ts';
import { collection, head, healthy, isObject, show } from './render.ts';
import { say, writeMembers, wrongType } from './written-members.ts';

const pattern = `${root}/Managers/:manager`;

/** The BMC's own network interface and the protocols it serves. */
export const managerNetworkRoutes: readonly Route[] = ownRoutes([
  {
    pattern: `${pattern}/EthernetInterfaces`,
    get: ({ machine, path }) => collection({ path, of: 'EthernetInterface' }, [`${path}/${nicOf(machine)}`]),
  },
  { pattern: `${pattern}/EthernetInterfaces/:interface`, get: showInterface },
  {
    pattern: `${pattern}/NetworkProtocol`,
    get: (request) => show(request, 'NetworkProtocol', renderProtocols(request)),
    patch: changeProtocols,
  },
]);

function nicOf({ personality }: Machine): string {
  return personality.ids.managerNic ?? '1';
}

/** The address a client reached the BMC at: its own, since nothing stands between. */
function ownAddress(request: RedfishRequest): string {
  return say(request.headers.host ?? '')
    .replace(/:\d+$/, '')
    .replaceAll(/[[\]]/g, '');
}

function hostName({ notes, name }: Machine): string {
  return say(notes.get('ManagerHostName') ?? `bmc-${name}`);
}

function showInterface(request: RedfishRequest): RedfishAnswer {
  const { machine, path, params } = request;
  const id = nicOf(machine);
  if (params.interface !== id) return refuseMissing(path);
  const address = ownAddress(request);
  return show(request, 'ManagerEthernetInterface', {
    ...head({ path, schema: 'EthernetInterface.v1_5_1', id, name: 'Manager Ethernet Interface' }),
    MACAddress: machine.hardware.bmcMac,
    PermanentMACAddress: machine.hardware.bmcMac,
    HostName: hostName(machine),
    FQDN: hostName(machine),
    InterfaceEnabled: true,
    LinkStatus: 'LinkUp',
    SpeedMbps: 1000,
    FullDuplex: true,
    AutoNeg: true,
    MTUSize: 1500,
    DHCPv4: { DHCPEnabled: true },
    IPv4Addresses: isIPv4(address)
      ? [{ Address: address, SubnetMask: '255.0.0.0', AddressOrigin: 'DHCP', Gateway: '0.0.0.0' }]
      : [],
    IPv6Addresses: isIPv6(address) ? [{ Address: address, PrefixLength: 64, AddressOrigin: 'SLAAC' }] : [],
    NameServers: [],
    Status: healthy(),
  });
}

function renderProtocols({ machine, path }: RedfishRequest): JsonObject {
  const servers = machine.notes.get('NTPServers');
  return {
    ...head({
      path,
      schema: 'ManagerNetworkProtocol.v1_8_0',
      id: 'NetworkProtocol',
      name: 'Manager Network Protocol',
    }),
    HostName: hostName(machine),
    FQDN: hostName(machine),
    HTTP: { ProtocolEnabled: true, Port: 80 },
    HTTPS: { ProtocolEnabled: true, Port: 443 },
    SSH: { ProtocolEnabled: true, Port: 22 },
    IPMI: { ProtocolEnabled: false, Port: 623 },
    NTP: {
      ProtocolEnabled: machine.notes.get('NTPEnabled') === true,
      Port: 123,
      NTPServers: Array.isArray(servers) ? servers : [],
    },
    Status: healthy(),
  };
}

function changeProtocols({ machine, body }: RedfishRequest): RedfishAnswer {
  const complaints = writeMembers(body, {
    HostName: (value) => {
      if (typeof value !== 'string') return wrongType('HostName', value);
      machine.notes.set('ManagerHostName', value);
      return undefined;
    },
    NTP: (value) => {
      if (!isObject(value)) return wrongType('NTP', value);
      const { ProtocolEnabled, NTPServers } = value;
      if (ProtocolEnabled !== undefined && typeof ProtocolEnabled !== 'boolean') {
        return wrongType('NTP/ProtocolEnabled', ProtocolEnabled);
      }
      if (NTPServers !== undefined && !Array.isArray(NTPServers)) return wrongType('NTP/NTPServers', NTPServers);
      if (ProtocolEnabled !== undefined) machine.notes.set('NTPEnabled', ProtocolEnabled);
      if (NTPServers !== undefined) machine.notes.set('NTPServers', NTPServers);
      return undefined;
    },
  });
  return complaints.length > 0 ? refuse(400, complaints) : confirm();
}

import type { JsonObject } from '../../schema/index.ts';
import { casesOf, type KindCase } from '../cases/kind-case.ts';
import { bmc, bmcSecret, ironcoreApiVersion, server } from './index.ts';

const base = (kind: string): JsonObject => ({ apiVersion: ironcoreApiVersion, kind, metadata: { name: 'it' } });

const board = casesOf(bmc, 'v1alpha1', {
  ...base('BMC'),
  spec: {
    access: { ip: '192.0.2.17', macAddress: '52:54:00:bb:00:07' },
    bmcSecretRef: { name: 'creds' },
    protocol: { name: 'Redfish', port: 443, scheme: 'https' },
  },
});

const bmcCases: KindCase[] = [
  board.accepts('an address of its own', {}),
  board.accepts('an IPv6 address', { 'spec/access': { ip: '2001:db8::17' } }),
  board.accepts('an Endpoint instead of an address', {
    'spec/access': undefined,
    'spec/endpointRef': { name: 'endpoint' },
  }),
  board.accepts('a console', { 'spec/consoleProtocol': { name: 'SSHLenovo', port: 22 } }),
  board.refuses('no spec', { spec: undefined }, { field: 'spec', reason: 'FieldValueRequired' }),
  board.refuses(
    'neither address nor Endpoint',
    { 'spec/access': undefined },
    { field: 'spec', reason: 'FieldValueInvalid' },
  ),
  board.refuses(
    'both address and Endpoint',
    { 'spec/endpointRef': { name: 'endpoint' } },
    { field: 'spec', reason: 'FieldValueInvalid' },
  ),
  board.refuses(
    'an address that is a name',
    { 'spec/access/ip': 'bmc.example.com' },
    { field: 'spec.access.ip', reason: 'FieldValueInvalid' },
  ),
  board.refuses(
    'a MAC address that is none',
    { 'spec/access/macAddress': '52:54:00' },
    { field: 'spec.access.macAddress', reason: 'FieldValueInvalid' },
  ),
  board.refuses(
    'a protocol nobody speaks',
    { 'spec/protocol/name': 'Telnet' },
    { field: 'spec.protocol.name', reason: 'FieldValueNotSupported' },
  ),
  board.refuses(
    'a port past the last',
    { 'spec/protocol/port': 65536 },
    { field: 'spec.protocol.port', reason: 'FieldValueInvalid' },
  ),
  board.refuses(
    'no credentials',
    { 'spec/bmcSecretRef': undefined },
    { field: 'spec.bmcSecretRef', reason: 'FieldValueRequired' },
  ),
  board.update('other credentials', {}, { 'spec/bmcSecretRef/name': 'rotated' }, 'accepted'),
  board.update(
    'another address',
    {},
    { 'spec/access/ip': '192.0.2.18' },
    { field: 'spec.access', reason: 'FieldValueInvalid' },
  ),
  board.update(
    'another Endpoint',
    { 'spec/access': undefined, 'spec/endpointRef': { name: 'a' } },
    { 'spec/endpointRef/name': 'b' },
    { field: 'spec.endpointRef', reason: 'FieldValueInvalid' },
  ),
  board.status('enabled', { state: 'Enabled', powerState: 'On', ip: '192.0.2.17' }, 'accepted'),
  board.status(
    'a state there is not',
    { state: 'Broken' },
    { field: 'status.state', reason: 'FieldValueNotSupported' },
  ),
];

const secret = casesOf(bmcSecret, 'v1alpha1', {
  ...base('BMCSecret'),
  data: { username: 'YWRtaW4=', password: 'c2VjcmV0' },
});

const secretCases: KindCase[] = [
  secret.accepts('user name and password', {}),
  secret.accepts('plain text', { data: undefined, stringData: { username: 'admin', password: 'secret' } }),
  secret.accepts('nothing in it', { data: undefined }),
  secret.refuses(
    'a value that is not base64',
    { 'data/password': 'not base64!' },
    { field: 'data.password', reason: 'FieldValueTypeInvalid' },
  ),
  secret.refuses(
    'a value that is a number',
    { 'data/password': 7 },
    { field: 'data.password', reason: 'FieldValueTypeInvalid' },
  ),
  secret.refuses(
    'immutable that is text',
    { immutable: 'yes' },
    { field: 'immutable', reason: 'FieldValueTypeInvalid' },
  ),
  secret.update('another password', {}, { 'data/password': 'b3RoZXI=' }, 'accepted'),
  secret.update('making it immutable', {}, { immutable: true }, 'accepted'),
  secret.update('a label on an immutable one', { immutable: true }, { 'metadata/labels': { a: 'b' } }, 'accepted'),
  secret.update(
    'another password in an immutable one',
    { immutable: true },
    { 'data/password': 'b3RoZXI=' },
    { field: 'data', reason: 'FieldValueForbidden' },
  ),
  secret.update(
    'another password in plain text in an immutable one',
    { immutable: true },
    { stringData: { password: 'other' } },
    { field: 'stringData', reason: 'FieldValueForbidden' },
  ),
  secret.update(
    'an immutable one made mutable',
    { immutable: true },
    { immutable: false },
    { field: 'immutable', reason: 'FieldValueForbidden' },
  ),
];

const machine = casesOf(server, 'v1alpha1', {
  ...base('Server'),
  spec: { systemUUID: '38947555-7742-3448-3784-823347823834', bmcRef: { name: 'bmc' } },
});
const inline = {
  protocol: { name: 'Redfish', port: 8000, scheme: 'http' },
  address: '127.0.0.1',
  bmcSecretRef: { name: 'creds' },
};

const machineCases: KindCase[] = [
  machine.accepts('a server behind a BMC', {}),
  machine.accepts('a server with its own BMC access', { 'spec/bmcRef': undefined, 'spec/bmc': inline }),
  machine.accepts('a boot order and taints', {
    'spec/bootOrder': [{ name: 'disk', priority: 1, device: '/dev/sda' }],
    'spec/taints': [
      { key: 'example.com/broken', effect: 'NoBind' },
      { key: 'example.com/broken', effect: 'Evict', value: 'psu' },
    ],
  }),
  machine.refuses(
    'no UUID',
    { 'spec/systemUUID': undefined },
    { field: 'spec.systemUUID', reason: 'FieldValueRequired' },
  ),
  machine.refuses(
    'a UUID that is none',
    { 'spec/systemUUID': 'server-1' },
    { field: 'spec.systemUUID', reason: 'FieldValueInvalid' },
  ),
  machine.refuses('two ways to the BMC', { 'spec/bmc': inline }, { field: 'spec.bmc', reason: 'FieldValueForbidden' }),
  machine.refuses(
    'an unknown reclaim policy',
    { 'spec/reclaimPolicy': 'Delete' },
    { field: 'spec.reclaimPolicy', reason: 'FieldValueNotSupported' },
  ),
  machine.refuses(
    'one taint twice',
    {
      'spec/taints': [
        { key: 'a', effect: 'NoBind' },
        { key: 'a', effect: 'NoBind' },
      ],
    },
    { field: 'spec.taints[1]', reason: 'FieldValueDuplicate' },
  ),
  machine.update('being claimed', {}, { 'spec/serverClaimRef': { name: 'claim', namespace: 'a' } }, 'accepted'),
  machine.update(
    'being released',
    { 'spec/serverClaimRef': { name: 'claim', namespace: 'a' } },
    { 'spec/serverClaimRef': undefined },
    'accepted',
  ),
  machine.update(
    'going from one claim straight to another',
    { 'spec/serverClaimRef': { name: 'claim', namespace: 'a' } },
    { 'spec/serverClaimRef': { name: 'other', namespace: 'a' } },
    { field: 'spec.serverClaimRef', reason: 'FieldValueInvalid' },
  ),
  machine.status(
    'what a BMC tells',
    {
      manufacturer: 'Lenovo',
      model: '7x21',
      biosVersion: '1.0.0',
      bios: { version: '1.0.0' },
      state: 'Available',
      powerState: 'Off',
      totalSystemMemory: '128Gi',
      networkInterfaces: [{ name: 'eth0', macAddress: '52:54:00:aa:00:01', neighbors: [{ portID: 'Ethernet1' }] }],
    },
    'accepted',
  ),
  machine.status('memory in bytes', { totalSystemMemory: 137438953472 }, 'accepted'),
  machine.status('the state of a parked server', { state: 'Parked' }, 'accepted'),
  machine.status(
    'a state there is not any more',
    { state: 'Maintenance' },
    { field: 'status.state', reason: 'FieldValueNotSupported' },
  ),
  machine.status(
    'a BIOS without a version',
    { bios: {} },
    { field: 'status.bios.version', reason: 'FieldValueRequired' },
  ),
];

/** Cases of BMC, BMCSecret and Server. */
export const serverCases: readonly KindCase[] = [...bmcCases, ...secretCases, ...machineCases];

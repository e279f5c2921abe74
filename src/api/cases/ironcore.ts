import { bmc, bmcSecret, discoveredFirmware, server, serverFirmware, serverFirmwareGroup } from '../ironcore/index.ts';
import { casesOf, exampleBase, type KindCase } from './kind-case.ts';

const version = 'v1alpha1';

const controller = casesOf(bmc, version, exampleBase(bmc));
const bmcCases: KindCase[] = [
  controller.accepts('a BMC by its address', {}),
  controller.accepts('a BMC by its endpoint', { 'spec/access': undefined, 'spec/endpointRef': { name: 'e' } }),
  controller.refuses(
    'neither address nor endpoint',
    { 'spec/access': undefined },
    { field: 'spec', reason: 'FieldValueInvalid' },
  ),
  controller.refuses(
    'both address and endpoint',
    { 'spec/endpointRef': { name: 'e' } },
    { field: 'spec', reason: 'FieldValueInvalid' },
  ),
  controller.refuses(
    'an address that is none',
    { 'spec/access/ip': 'bmc7' },
    { field: 'spec.access.ip', reason: 'FieldValueInvalid' },
  ),
  controller.refuses(
    'an unknown protocol',
    { 'spec/protocol/name': 'Telnet' },
    { field: 'spec.protocol.name', reason: 'FieldValueNotSupported' },
  ),
  controller.refuses(
    'no credentials',
    { 'spec/bmcSecretRef': undefined },
    { field: 'spec.bmcSecretRef', reason: 'FieldValueRequired' },
  ),
  controller.update(
    'another address',
    {},
    { 'spec/access/ip': '192.0.2.18' },
    { field: 'spec.access', reason: 'FieldValueInvalid' },
  ),
  controller.update('another protocol', {}, { 'spec/protocol/port': 8443 }, 'accepted'),
  controller.status('enabled', { state: 'Enabled', powerState: 'On' }, 'accepted'),
  controller.status(
    'a state there is not',
    { state: 'Asleep' },
    { field: 'status.state', reason: 'FieldValueNotSupported' },
  ),
];

const secret = casesOf(bmcSecret, version, exampleBase(bmcSecret));
const secretCases: KindCase[] = [
  secret.accepts('credentials', {}),
  secret.accepts('credentials in plain text', { data: undefined, stringData: { username: 'admin', password: 'x' } }),
  secret.accepts('nothing at all', { data: undefined }),
  secret.refuses('credentials in a list', { data: ['a'] }, { field: 'data', reason: 'FieldValueTypeInvalid' }),
  secret.refuses('a number', { 'data/username': 1 }, { field: 'data.username', reason: 'FieldValueTypeInvalid' }),
  secret.update('a new password', {}, { 'data/password': 'bmV3' }, 'accepted'),
  secret.update(
    'a new password of an immutable secret',
    { immutable: true },
    { 'data/password': 'bmV3' },
    { field: 'data', reason: 'FieldValueForbidden' },
  ),
  secret.update(
    'mutable again',
    { immutable: true },
    { immutable: false },
    { field: 'immutable', reason: 'FieldValueForbidden' },
  ),
];

const machine = casesOf(server, version, exampleBase(server));
const direct = { protocol: { name: 'Redfish', port: 443 }, address: '192.0.2.17', bmcSecretRef: { name: 's' } };
const serverCases: KindCase[] = [
  machine.accepts('a server behind a BMC', {}),
  machine.accepts('a server with its BMC inline', { 'spec/bmcRef': undefined, 'spec/bmc': direct }),
  machine.refuses('both', { 'spec/bmc': direct }, { field: 'spec.bmc', reason: 'FieldValueForbidden' }),
  machine.refuses(
    'a UUID that is none',
    { 'spec/systemUUID': '1234' },
    { field: 'spec.systemUUID', reason: 'FieldValueInvalid' },
  ),
  machine.refuses(
    'no UUID',
    { 'spec/systemUUID': undefined },
    { field: 'spec.systemUUID', reason: 'FieldValueRequired' },
  ),
  machine.refuses(
    'a lamp that blinks twice',
    { 'spec/indicatorLED': 'Twice' },
    { field: 'spec.indicatorLED', reason: 'FieldValueNotSupported' },
  ),
  machine.update(
    'handing a claimed server on',
    { 'spec/serverClaimRef': { name: 'a', namespace: 'n' } },
    { 'spec/serverClaimRef': { name: 'b', namespace: 'n' } },
    { field: 'spec.serverClaimRef', reason: 'FieldValueInvalid' },
  ),
  machine.status(
    'an inventory',
    { state: 'Available', totalSystemMemory: '128Gi', bios: { version: '1' } },
    'accepted',
  ),
  machine.status(
    'memory in words',
    { totalSystemMemory: 'plenty' },
    { field: 'status.totalSystemMemory', reason: 'FieldValueInvalid' },
  ),
];

const wanted = casesOf(serverFirmware, version, exampleBase(serverFirmware));
const firmwareCases: KindCase[] = [
  wanted.accepts('the object of document 0', {}),
  wanted.accepts('nothing wanted', { 'spec/firmwares': undefined, 'spec/bios': undefined }),
  wanted.accepts('a threshold of hours and minutes', { 'spec/scanThreshold': '1h30m' }),
  wanted.refuses(
    'a threshold that is no time',
    { 'spec/scanThreshold': 'often' },
    { field: 'spec.scanThreshold', reason: 'FieldValueInvalid' },
  ),
  wanted.refuses(
    'one firmware twice',
    { 'spec/firmwares/1': { name: 'ssd', manufacturer: 'ACME Corp.', version: '2' } },
    { field: 'spec.firmwares[1]', reason: 'FieldValueDuplicate' },
  ),
  wanted.refuses(
    'a firmware without a version',
    { 'spec/firmwares/0/version': undefined },
    { field: 'spec.firmwares[0].version', reason: 'FieldValueRequired' },
  ),
  wanted.refuses(
    'no server',
    { 'spec/serverRef': undefined },
    { field: 'spec.serverRef', reason: 'FieldValueRequired' },
  ),
  wanted.update(
    'another server',
    {},
    { 'spec/serverRef/name': 'bar' },
    { field: 'spec.serverRef', reason: 'FieldValueInvalid' },
  ),
  wanted.status('a scan', { lastScanTime: '2001-01-01T01:00:00Z', bios: { version: '1.0.0' } }, 'accepted'),
];

const group = casesOf(serverFirmwareGroup, version, exampleBase(serverFirmwareGroup));
const expressions = 'spec/serverSelector/matchExpressions';
const groupCases: KindCase[] = [
  group.accepts('the object of document 0', {}),
  group.accepts('a paused group', { 'spec/paused': true }),
  group.accepts('a selector with an expression', { [expressions]: [{ key: 'env', operator: 'In', values: ['prod'] }] }),
  group.refuses(
    'In without values',
    { [expressions]: [{ key: 'env', operator: 'In' }] },
    { field: 'spec.serverSelector.matchExpressions[0].values', reason: 'FieldValueRequired' },
  ),
  group.refuses(
    'Exists with values',
    { [expressions]: [{ key: 'env', operator: 'Exists', values: ['prod'] }] },
    { field: 'spec.serverSelector.matchExpressions[0].values', reason: 'FieldValueForbidden' },
  ),
  group.refuses('no model', { 'spec/model': undefined }, { field: 'spec.model', reason: 'FieldValueRequired' }),
  group.refuses(
    'no selector',
    { 'spec/serverSelector': undefined },
    { field: 'spec.serverSelector', reason: 'FieldValueRequired' },
  ),
  group.status('counts that add up', { serversInGroup: 4, updatesApplied: 3, updatesNotApplied: 1 }, 'accepted'),
  group.status(
    'counts that do not',
    { serversInGroup: 4, updatesApplied: 4, updatesNotApplied: 1 },
    { field: 'status', reason: 'FieldValueInvalid' },
  ),
];

const discovered = casesOf(discoveredFirmware, version, exampleBase(discoveredFirmware));
const discoveredCases: KindCase[] = [
  discovered.accepts('the object of document 0', {}),
  discovered.accepts('defaults', { spec: { manufacturer: 'Lenovo', model: '7x21' } }),
  discovered.refuses(
    'no versions to keep',
    { 'spec/versionsToStore': 0 },
    { field: 'spec.versionsToStore', reason: 'FieldValueInvalid' },
  ),
  discovered.refuses(
    'an interval that is no time',
    { 'spec/discoveryInterval': 'daily' },
    { field: 'spec.discoveryInterval', reason: 'FieldValueInvalid' },
  ),
  discovered.update(
    'another model',
    {},
    { 'spec/model': '7x22' },
    { field: 'spec.model', reason: 'FieldValueInvalid' },
  ),
  discovered.status('as many versions as are kept', { bios: { versions: ['1', '2', '3'] } }, 'accepted'),
  discovered.status(
    'more versions than are kept',
    { firmwares: [{ name: 'ssd', manufacturer: 'ACME', version: ['1', '2', '3', '4'] }] },
    { field: 'status', reason: 'FieldValueInvalid' },
  ),
];

/** Cases of the kinds of metal.ironcore.dev. */
export const ironcoreCases: readonly KindCase[] = [
  ...bmcCases,
  ...secretCases,
  ...serverCases,
  ...firmwareCases,
  ...groupCases,
  ...discoveredCases,
];

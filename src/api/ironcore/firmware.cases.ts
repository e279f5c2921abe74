import type { JsonObject } from '../../schema/index.ts';
import { casesOf, type KindCase } from '../cases/kind-case.ts';
import { discoveredFirmware, ironcoreApiVersion, serverFirmware, serverFirmwareGroup } from './index.ts';

const base = (kind: string, name: string): JsonObject => ({
  apiVersion: ironcoreApiVersion,
  kind,
  metadata: { name },
});
const ssd = { name: 'ssd', manufacturer: 'ACME Corp.', version: '1.0.0' };
const nic = { name: 'nic', manufacturer: 'Intel', version: '2.0.0' };

const firmware = casesOf(serverFirmware, 'v1alpha1', {
  ...base('ServerFirmware', 'foo'),
  spec: { scanThreshold: '30m', serverRef: { name: 'foo' }, bios: { version: '1.0.0' }, firmwares: [ssd, nic] },
});

const wantedCases: KindCase[] = [
  firmware.accepts('the example of document 0, with the times it has', {
    status: { lastScanTime: '01-01-2001 01:00:00', bios: { version: '1.0.0' }, firmwares: [ssd, nic] },
  }),
  firmware.accepts('nothing but a server', { spec: { serverRef: { name: 'foo' } } }),
  firmware.accepts('one component of two manufacturers', {
    'spec/firmwares': [ssd, { ...ssd, manufacturer: 'Other' }],
  }),
  firmware.accepts('a threshold of mixed units', { 'spec/scanThreshold': '1h30m' }),
  firmware.refuses(
    'no server',
    { 'spec/serverRef': undefined },
    { field: 'spec.serverRef', reason: 'FieldValueRequired' },
  ),
  firmware.refuses(
    'one firmware twice',
    { 'spec/firmwares': [ssd, { ...ssd, version: '2.0.0' }] },
    { field: 'spec.firmwares[1]', reason: 'FieldValueDuplicate' },
  ),
  firmware.refuses(
    'a firmware without its manufacturer',
    { 'spec/firmwares': [{ name: 'ssd', version: '1.0.0' }] },
    { field: 'spec.firmwares[0].manufacturer', reason: 'FieldValueRequired' },
  ),
  firmware.refuses(
    'a firmware without a version',
    { 'spec/firmwares': [{ name: 'ssd', manufacturer: 'ACME Corp.' }] },
    { field: 'spec.firmwares[0].version', reason: 'FieldValueRequired' },
  ),
  firmware.refuses(
    'a threshold without a unit',
    { 'spec/scanThreshold': '30' },
    { field: 'spec.scanThreshold', reason: 'FieldValueInvalid' },
  ),
  firmware.refuses(
    'a threshold that is a number',
    { 'spec/scanThreshold': 30 },
    { field: 'spec.scanThreshold', reason: 'FieldValueTypeInvalid' },
  ),
  firmware.update('another version', {}, { 'spec/firmwares': [nic] }, 'accepted'),
  firmware.update(
    'another server',
    {},
    { 'spec/serverRef/name': 'bar' },
    { field: 'spec.serverRef', reason: 'FieldValueInvalid' },
  ),
  firmware.status(
    'what a scan found',
    {
      lastScanTime: '2026-01-02T03:04:05Z',
      bios: { version: '1.0.0' },
      firmwares: [ssd],
      attempts: { desiredHash: 'abc', failed: 3 },
      report: { conditionID: 'c1', sequence: 7 },
    },
    'accepted',
  ),
  firmware.status(
    'a time that is none',
    { lastScanTime: '01-01-2001 01:00:00' },
    { field: 'status.lastScanTime', reason: 'FieldValueTypeInvalid' },
  ),
  firmware.status(
    'fewer than no failures',
    { attempts: { desiredHash: 'abc', failed: -1 } },
    { field: 'status.attempts.failed', reason: 'FieldValueInvalid' },
  ),
];

const group = casesOf(serverFirmwareGroup, 'v1alpha1', {
  ...base('ServerFirmwareGroup', 'bar-group'),
  spec: {
    manufacturer: 'Lenovo',
    model: '7x21',
    serverSelector: { matchLabels: { env: 'prod' } },
    firmwares: [ssd, nic],
  },
});
const expression = (operator: string, values?: string[]): JsonObject => ({
  matchExpressions: [{ key: 'env', operator, ...(values === undefined ? {} : { values }) }],
});

const groupCases: KindCase[] = [
  group.accepts('the example of document 0', {
    status: { serversInGroup: 4, updatesApplied: 3, updatesNotApplied: 1 },
  }),
  group.accepts('a group that is paused', { 'spec/paused': true }),
  group.accepts('labels that are in a list', { 'spec/serverSelector': expression('In', ['prod', 'stage']) }),
  group.accepts('a label that is there', { 'spec/serverSelector': expression('Exists') }),
  group.refuses('no model', { 'spec/model': undefined }, { field: 'spec.model', reason: 'FieldValueRequired' }),
  group.refuses(
    'an empty manufacturer',
    { 'spec/manufacturer': '' },
    { field: 'spec.manufacturer', reason: 'FieldValueInvalid' },
  ),
  group.refuses(
    'no selector',
    { 'spec/serverSelector': undefined },
    { field: 'spec.serverSelector', reason: 'FieldValueRequired' },
  ),
  group.refuses(
    'a list of no values',
    { 'spec/serverSelector': expression('NotIn') },
    { field: 'spec.serverSelector.matchExpressions[0].values', reason: 'FieldValueRequired' },
  ),
  group.refuses(
    'values of a label that need only be there',
    { 'spec/serverSelector': expression('Exists', ['prod']) },
    { field: 'spec.serverSelector.matchExpressions[0].values', reason: 'FieldValueForbidden' },
  ),
  group.refuses(
    'an operator of another selector',
    { 'spec/serverSelector': expression('Gt', ['1']) },
    { field: 'spec.serverSelector.matchExpressions[0].operator', reason: 'FieldValueNotSupported' },
  ),
  group.refuses(
    'one firmware twice',
    { 'spec/firmwares': [nic, nic] },
    { field: 'spec.firmwares[1]', reason: 'FieldValueDuplicate' },
  ),
  group.status('counts that add up', { serversInGroup: 4, updatesApplied: 3, updatesNotApplied: 1 }, 'accepted'),
  group.status('some counts only', { serversInGroup: 4 }, 'accepted'),
  group.status(
    'counts that do not add up',
    { serversInGroup: 4, updatesApplied: 3, updatesNotApplied: 2 },
    { field: 'status', reason: 'FieldValueInvalid' },
  ),
];

const discovered = casesOf(discoveredFirmware, 'v1alpha1', {
  ...base('DiscoveredFirmware', 'baz'),
  spec: { manufacturer: 'Lenovo', model: '7x21', discoveryInterval: '24h', versionsToStore: 3 },
});
const found = (...version: string[]): JsonObject => ({
  firmwares: [{ name: 'ssd', manufacturer: 'ACME Corp.', version }],
});

const discoveredCases: KindCase[] = [
  discovered.accepts('the example of document 0', {
    status: { lastDiscoveryTime: '01-01-2001 01:00:00', bios: { versions: ['1.0.0'] } },
  }),
  discovered.accepts('no limits', { spec: { manufacturer: 'Lenovo', model: '7x21' } }),
  discovered.refuses(
    'no manufacturer',
    { 'spec/manufacturer': undefined },
    { field: 'spec.manufacturer', reason: 'FieldValueRequired' },
  ),
  discovered.refuses(
    'no versions to keep',
    { 'spec/versionsToStore': 0 },
    { field: 'spec.versionsToStore', reason: 'FieldValueInvalid' },
  ),
  discovered.refuses(
    'an interval in days',
    { 'spec/discoveryInterval': '1d' },
    { field: 'spec.discoveryInterval', reason: 'FieldValueInvalid' },
  ),
  discovered.update('another interval', {}, { 'spec/discoveryInterval': '12h' }, 'accepted'),
  discovered.update(
    'another model',
    {},
    { 'spec/model': '7x22' },
    { field: 'spec.model', reason: 'FieldValueInvalid' },
  ),
  discovered.update(
    'fewer versions to keep than there are',
    { status: found('1.0.0', '1.1.0', '1.2.0') },
    { 'spec/versionsToStore': 2 },
    'accepted',
  ),
  discovered.status('as many versions as may be kept', found('1.0.0', '1.1.0', '1.2.0'), 'accepted'),
  discovered.status('more versions than may be kept', found('1.0.0', '1.1.0', '1.2.0', '1.3.0'), {
    field: 'status',
    reason: 'FieldValueInvalid',
  }),
  discovered.status(
    'more BIOS versions than may be kept',
    { bios: { versions: ['1', '2', '3', '4'] } },
    { field: 'status', reason: 'FieldValueInvalid' },
  ),
  discovered.status(
    'one version that is not in a list',
    { firmwares: [{ name: 'ssd', manufacturer: 'ACME Corp.', version: '1.0.0' }] },
    { field: 'status.firmwares[0].version', reason: 'FieldValueTypeInvalid' },
  ),
];

/** Cases of ServerFirmware, ServerFirmwareGroup and DiscoveredFirmware. */
export const firmwareCases: readonly KindCase[] = [...wantedCases, ...groupCases, ...discoveredCases];

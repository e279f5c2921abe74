import { firmwareSchema } from '../metal3/firmware-schema.ts';
import { metal3ApiVersion } from '../metal3/group.ts';
import { hardwareData } from '../metal3/hardware-data.ts';
import { hostFirmwareComponents } from '../metal3/host-firmware-components.ts';
import { hostFirmwareSettings } from '../metal3/host-firmware-settings.ts';
import { hostUpdatePolicy } from '../metal3/host-update-policy.ts';
import { casesOf, type KindCase } from './kind-case.ts';

const metadata = { name: 'host', namespace: 'default' };
const base = (kind: string) => ({ apiVersion: metal3ApiVersion, kind, metadata });

const data = casesOf(hardwareData, 'v1alpha1', { ...base('HardwareData'), spec: { hardware: { ramMebibytes: 1024 } } });
const dataCases: KindCase[] = [
  data.accepts('little hardware', {}),
  data.accepts('no spec at all', { spec: undefined }),
  data.accepts('a clock speed with a fraction', { 'spec/hardware/cpu': { clockMegahertz: 2400.5, flags: ['aes'] } }),
  data.accepts('a NIC with LLDP', {
    'spec/hardware/nics': [{ mac: '52:54:00:aa:00:01', vlanId: 0, lldp: { switchID: 'a', portID: 'b' } }],
  }),
  data.refuses(
    'a NIC whose MAC address is none',
    { 'spec/hardware/nics': [{ mac: 'x' }] },
    { field: 'spec.hardware.nics[0].mac', reason: 'FieldValueInvalid' },
  ),
  data.refuses(
    'a VLAN past the last',
    { 'spec/hardware/nics': [{ vlanId: 4095 }] },
    { field: 'spec.hardware.nics[0].vlanId', reason: 'FieldValueInvalid' },
  ),
  data.refuses(
    'a disk of an unknown type',
    { 'spec/hardware/storage': [{ type: 'TAPE' }] },
    { field: 'spec.hardware.storage[0].type', reason: 'FieldValueNotSupported' },
  ),
  data.refuses(
    'memory that is text',
    { 'spec/hardware/ramMebibytes': '1Gi' },
    { field: 'spec.hardware.ramMebibytes', reason: 'FieldValueTypeInvalid' },
  ),
];

const settings = casesOf(hostFirmwareSettings, 'v1alpha1', { ...base('HostFirmwareSettings'), spec: { settings: {} } });
const settingsCases: KindCase[] = [
  settings.accepts('no settings', {}),
  settings.accepts('text and numbers', { 'spec/settings': { ProcVirtualization: 'Enabled', Nodes: 2 } }),
  settings.refuses(
    'a spec without settings',
    { 'spec/settings': undefined },
    { field: 'spec.settings', reason: 'FieldValueRequired' },
  ),
  settings.refuses(
    'a setting that is a boolean',
    { 'spec/settings': { ProcVirtualization: true } },
    { field: 'spec.settings.ProcVirtualization', reason: 'FieldValueTypeInvalid' },
  ),
  settings.refuses(
    'settings in a list',
    { 'spec/settings': ['a'] },
    { field: 'spec.settings', reason: 'FieldValueTypeInvalid' },
  ),
  settings.status(
    'settings that were read',
    { settings: { A: 'b' }, schema: { name: 's', namespace: 'n' } },
    'accepted',
  ),
  settings.status(
    'a number that was read',
    { settings: { A: 1 } },
    { field: 'status.settings.A', reason: 'FieldValueTypeInvalid' },
  ),
  settings.status(
    'a schema without a namespace',
    { settings: {}, schema: { name: 's' } },
    { field: 'status.schema.namespace', reason: 'FieldValueRequired' },
  ),
  settings.status(
    'a condition without a reason',
    {
      settings: {},
      conditions: [{ type: 'Valid', status: 'True', message: '', lastTransitionTime: '2026-01-02T03:04:05Z' }],
    },
    { field: 'status.conditions[0].reason', reason: 'FieldValueRequired' },
  ),
];

const schema = casesOf(firmwareSchema, 'v1alpha1', { ...base('FirmwareSchema'), spec: { schema: {} } });
const schemaCases: KindCase[] = [
  schema.accepts('an empty schema', {}),
  schema.accepts('an enumeration', {
    'spec/schema': { Boot: { attribute_type: 'Enumeration', allowable_values: ['Uefi', 'Bios'], read_only: false } },
  }),
  schema.accepts('an integer with bounds', {
    'spec/schema': { N: { attribute_type: 'Integer', lower_bound: 1, upper_bound: 9 } },
  }),
  schema.refuses(
    'a spec without a schema',
    { 'spec/schema': undefined },
    { field: 'spec.schema', reason: 'FieldValueRequired' },
  ),
  schema.refuses(
    'an unknown type',
    { 'spec/schema': { Boot: { attribute_type: 'Float' } } },
    { field: 'spec.schema.Boot.attribute_type', reason: 'FieldValueNotSupported' },
  ),
  schema.refuses(
    'a bound that is text',
    { 'spec/schema': { N: { lower_bound: '1' } } },
    { field: 'spec.schema.N.lower_bound', reason: 'FieldValueTypeInvalid' },
  ),
  schema.refuses(
    'values that are no list',
    { 'spec/schema': { N: { allowable_values: 'a' } } },
    { field: 'spec.schema.N.allowable_values', reason: 'FieldValueTypeInvalid' },
  ),
];

const components = casesOf(hostFirmwareComponents, 'v1alpha1', {
  ...base('HostFirmwareComponents'),
  spec: { updates: [{ component: 'bios', url: 'https://example.com/bios.bin' }] },
});
const componentCases: KindCase[] = [
  components.accepts('a BIOS update', {}),
  components.accepts('no updates', { 'spec/updates': [] }),
  components.accepts('a network card', { 'spec/updates/0/component': 'nic:NIC.Slot.1' }),
  components.refuses(
    'a spec without updates',
    { 'spec/updates': undefined },
    { field: 'spec.updates', reason: 'FieldValueRequired' },
  ),
  components.refuses(
    'an update without a URL',
    { 'spec/updates/0/url': undefined },
    { field: 'spec.updates[0].url', reason: 'FieldValueRequired' },
  ),
  components.refuses(
    'an update of nothing',
    { 'spec/updates/0/component': undefined },
    { field: 'spec.updates[0].component', reason: 'FieldValueRequired' },
  ),
  components.status('components', { components: [{ component: 'bios', initialVersion: '1' }] }, 'accepted'),
  components.status(
    'a component without its first version',
    { components: [{ component: 'bios' }] },
    { field: 'status.components[0].initialVersion', reason: 'FieldValueRequired' },
  ),
];

const policy = casesOf(hostUpdatePolicy, 'v1alpha1', { ...base('HostUpdatePolicy'), spec: {} });
const policyCases: KindCase[] = [
  policy.accepts('an empty policy', {}),
  policy.accepts('no spec', { spec: undefined }),
  policy.accepts('the empty status of Metal3 clients', { status: {} }),
  policy.accepts('live updates of both kinds', { spec: { firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' } }),
  policy.accepts('preparing only', { 'spec/firmwareUpdates': 'onPreparing' }),
  policy.refuses(
    'updates at any time',
    { 'spec/firmwareUpdates': 'always' },
    { field: 'spec.firmwareUpdates', reason: 'FieldValueNotSupported' },
  ),
  policy.refuses(
    'an empty value',
    { 'spec/firmwareSettings': '' },
    { field: 'spec.firmwareSettings', reason: 'FieldValueNotSupported' },
  ),
  policy.refuses(
    'a boolean',
    { 'spec/firmwareSettings': true },
    { field: 'spec.firmwareSettings', reason: 'FieldValueTypeInvalid' },
  ),
  policy.update('turning live updates on', {}, { 'spec/firmwareUpdates': 'onReboot' }, 'accepted'),
];

/** Cases of HardwareData, the HostFirmware kinds, FirmwareSchema and HostUpdatePolicy. */
export const metal3FirmwareCases: readonly KindCase[] = [
  ...dataCases,
  ...settingsCases,
  ...schemaCases,
  ...componentCases,
  ...policyCases,
];

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type BareMetalHost,
  type HostFirmwareComponents,
  type HostFirmwareSettings,
  metal3ApiVersion,
} from '../../api/index.ts';
import { defaultHostSettings } from '../settings.ts';
import { someSchema } from '../testing/scripted-provisioners.ts';
import { statusIn } from '../testing/settled-status.ts';
import { type ComponentsSeen, decideComponents } from './decide-components.ts';
import { decideSettings, type SettingsSeen } from './decide-settings.ts';
import { schemaName, schemaObject } from './schema.ts';
import { decideSchema } from './schema-controller.ts';

const owner = { apiVersion: metal3ApiVersion, kind: 'BareMetalHost', name: 'h1', uid: 'u1' };
const host: BareMetalHost = {
  apiVersion: metal3ApiVersion,
  kind: 'BareMetalHost',
  metadata: { name: 'h1', namespace: 'fleet', uid: 'u1' },
  spec: { online: true, bmc: { address: 'redfish://10.0.0.7', credentialsName: 'bmc' } },
  status: statusIn('available'),
};
const metadata = { name: 'h1', namespace: 'fleet', generation: 4, ownerReferences: [owner] };
const has = {
  ProcVirtualization: 'Disabled',
  NumaNodesPerSocket: '1',
  AssetTag: 'a',
  QuietBoot: 'true',
  BiosVersion: '1',
  AdminPassword: 'x',
};

function settingsSeen(wanted: Record<string, string | number>, more: Partial<SettingsSeen> = {}): SettingsSeen {
  const companion: HostFirmwareSettings = {
    apiVersion: metal3ApiVersion,
    kind: 'HostFirmwareSettings',
    metadata,
    spec: { settings: wanted },
  };
  const reading = { kind: 'read' as const, seen: { settings: has, schema: someSchema, vendor: 'V', model: 'M' } };
  return {
    host,
    companion,
    remembered: { at: 0, reading },
    hasSchema: () => true,
    settings: defaultHostSettings,
    ...more,
  };
}

function conditionsOf(seen: SettingsSeen): Record<string, string> {
  const { status } = decideSettings(seen, 1000);
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]),
  );
}

describe('the settings of a host', () => {
  it('are told as they are, without passwords, with the schema that they follow', () => {
    const { status, effects } = decideSettings(settingsSeen({}), 1000);
    assert.equal(status?.settings.ProcVirtualization, 'Disabled');
    assert.equal(status?.settings.AdminPassword, undefined);
    assert.deepEqual(status?.schema, { name: schemaName(someSchema), namespace: 'fleet' });
    assert.deepEqual(effects, []);
    assert.deepEqual(conditionsOf(settingsSeen({})), { ChangeDetected: 'False Success', Valid: 'True Success' });
  });

  it('that are wanted otherwise are a change', () => {
    const wanted = { ProcVirtualization: 'Enabled', NumaNodesPerSocket: 2 };
    assert.deepEqual(conditionsOf(settingsSeen(wanted)), { ChangeDetected: 'True Success', Valid: 'True Success' });
  });

  const faults: readonly (readonly [string, Record<string, string | number>, RegExp])[] = [
    ['a password', { AdminPassword: 'y' }, /password setting AdminPassword/],
    ['a setting that it does not have', { Colour: 'red' }, /no setting Colour/],
    ['one that cannot be changed', { BiosVersion: '2' }, /read-only setting BiosVersion/],
    ['a value that is not among those it takes', { ProcVirtualization: 'Maybe' }, /unknown value Maybe/],
    ['a number below its least', { NumaNodesPerSocket: 0 }, /below 1/],
    ['a number above its greatest', { NumaNodesPerSocket: 5 }, /above 4/],
    ['a text where a number belongs', { NumaNodesPerSocket: 'two' }, /no whole number/],
    ['a text that is too short', { AssetTag: '' }, /shorter than 1/],
    ['a text that is too long', { AssetTag: '123456789' }, /longer than 8/],
    ['neither true nor false', { QuietBoot: 'perhaps' }, /neither true nor false/],
  ];
  for (const [what, wanted, message] of faults) {
    it(`cannot be ${what}`, () => {
      const seen = settingsSeen(wanted);
      assert.equal(conditionsOf(seen).Valid, 'False ConfigurationError');
      const { events = [] } = decideSettings(seen, 1000);
      assert.equal(events[0]?.reason, 'ValidationFailed');
      assert.match(events[0]?.message ?? '', /^Invalid BIOS setting: /);
      assert.match(events[0]?.message ?? '', message);
    });
  }

  it('cannot be of the type of passwords', () => {
    const reading = {
      kind: 'read' as const,
      seen: { settings: { Key: 'x' }, schema: { Key: { attribute_type: 'Password' as const } } },
    };
    assert.equal(
      conditionsOf(settingsSeen({ Key: 'y' }, { remembered: { at: 0, reading } })).Valid,
      'False ConfigurationError',
    );
  });

  it('are not written again while they stay, but when the generation is another', () => {
    const seen = settingsSeen({});
    const first = decideSettings(seen, 1000).status;
    assert.ok(first !== undefined && seen.companion !== undefined);
    const companion = { ...seen.companion, status: first };
    assert.equal(decideSettings({ ...seen, companion }, 2000).status, first);
    const next = decideSettings(
      { ...seen, companion: { ...companion, metadata: { ...metadata, generation: 5 } } },
      2000,
    );
    assert.equal(next.status?.conditions?.[0]?.observedGeneration, 5);
    assert.equal(next.status?.conditions?.[0]?.lastTransitionTime, first.conditions?.[0]?.lastTransitionTime);
  });

  it('are read every five minutes, and every minute while a change waits', () => {
    const kinds = (seen: SettingsSeen, now: number) => decideSettings(seen, now).effects.map(({ kind }) => kind);
    const seen = settingsSeen({});
    assert.deepEqual(kinds(seen, 299_000), []);
    assert.deepEqual(kinds(seen, 300_000), ['read-settings']);
    const changing = settingsSeen({ QuietBoot: 'false' });
    const { status } = decideSettings(changing, 1000);
    assert.ok(status !== undefined && changing.companion !== undefined);
    const waits = { ...changing, companion: { ...changing.companion, status } };
    assert.deepEqual(kinds(waits, 59_000), []);
    assert.deepEqual(kinds(waits, 60_000), ['read-settings']);
  });

  it('are made, adopted and read in that order', () => {
    const kinds = (more: Partial<SettingsSeen>) =>
      decideSettings(settingsSeen({}, more), 1000).effects.map(({ kind }) => kind);
    assert.deepEqual(kinds({ companion: undefined }), ['create-settings']);
    const theirs = {
      ...settingsSeen({}).companion,
      metadata: { ...metadata, ownerReferences: [] },
    } as HostFirmwareSettings;
    assert.deepEqual(kinds({ companion: theirs }), ['adopt-settings']);
    assert.deepEqual(kinds({ remembered: undefined }), ['read-settings']);
    assert.deepEqual(kinds({ hasSchema: () => false }), ['create-schema']);
  });

  for (const [what, other] of [
    ['not registered', { ...host, status: statusIn('registering') }],
    ['unmanaged', { ...host, status: statusIn('unmanaged') }],
    ['importing', { ...host, status: statusIn('importing') }],
    ['without a BMC', { ...host, spec: { online: true } }],
    ['detached', { ...host, status: statusIn('available', { operationalStatus: 'detached' }) }],
    ['paused', { ...host, metadata: { ...host.metadata, annotations: { 'baremetalhost.metal3.io/paused': '' } } }],
    ['being deleted', { ...host, metadata: { ...host.metadata, deletionTimestamp: '2025-01-01T00:00:00Z' } }],
  ] as const) {
    it(`are left alone while the host is ${what}`, () => {
      const { effects, status, wake } = decideSettings(settingsSeen({}, { host: other }), 1000);
      assert.deepEqual([effects, status, wake], [[], undefined, { after: 600_000 }]);
    });
  }
});

describe('a schema', () => {
  it('is named by what it says, in whatever order', () => {
    const turned = Object.fromEntries(Object.entries(someSchema).toReversed());
    assert.match(schemaName(someSchema), /^schema-[0-9a-f]{8}$/);
    assert.equal(schemaName(turned), schemaName(someSchema));
    assert.notEqual(schemaName({ ...someSchema, More: {} }), schemaName(someSchema));
  });

  it('has no owners', () => {
    const schema = schemaObject('fleet', { settings: {}, schema: someSchema, vendor: 'V', model: 'M' });
    assert.deepEqual(schema.metadata, { namespace: 'fleet', name: schemaName(someSchema) });
    assert.deepEqual([schema.spec?.hardwareVendor, schema.spec?.hardwareModel], ['V', 'M']);
  });

  it('goes when nothing refers to it for a while', () => {
    const schema = schemaObject('fleet', { settings: {}, schema: someSchema });
    const seen = { schema, users: 0, unusedSince: 1000, keepMs: 600_000 };
    assert.deepEqual(decideSchema({ ...seen, users: 1 }, 900_000).effects, []);
    assert.deepEqual(decideSchema(seen, 2000).wake, { after: 599_000 });
    assert.deepEqual(
      decideSchema(seen, 601_000).effects.map(({ kind }) => kind),
      ['delete-schema'],
    );
  });
});

describe('the components of a host', () => {
  it('that have another version than at the last reading were flashed then, and that is kept', () => {
    const read = (currentVersion: string, status: object, now: number) => {
      const companion = { apiVersion: metal3ApiVersion, kind: 'HostFirmwareComponents', metadata, spec: {}, status };
      const component = { component: 'bios', initialVersion: currentVersion, currentVersion };
      const seen: ComponentsSeen = {
        ...{ host, companion: companion as HostFirmwareComponents, settings: defaultHostSettings },
        remembered: { at: now, reading: { kind: 'read', components: [component] } },
      };
      return decideComponents(seen, now).status ?? assert.fail();
    };
    const first = read('1', {}, 0);
    assert.deepEqual(first.components, [{ component: 'bios', initialVersion: '1', currentVersion: '1' }]);
    const flashed = read('2', first, 60_000);
    const bios = { component: 'bios', initialVersion: '1', currentVersion: '2' };
    const history = { lastVersionFlashed: '2', updatedAt: '1970-01-01T00:01:00Z' };
    assert.deepEqual(flashed.components, [{ ...bios, ...history }]);
    assert.deepEqual(read('2', flashed, 120_000).components, [{ ...bios, ...history }]);
  });

  it('that cannot be had are refused when they are specified, and asked about again later', () => {
    const updates = [{ component: 'bios', url: 'http://files/gone.bin' }];
    const companion = { apiVersion: metal3ApiVersion, kind: 'HostFirmwareComponents', metadata, spec: { updates } };
    const seen: ComponentsSeen = {
      ...{ host, companion: companion as HostFirmwareComponents, settings: defaultHostSettings, canCheck: true },
      remembered: { at: 0, reading: { kind: 'read', components: [{ component: 'bios', initialVersion: '1' }] } },
    };
    assert.deepEqual(
      decideComponents(seen, 0).effects.map(({ kind }) => kind),
      ['check-updates'],
    );
    const late: ComponentsSeen['checked'] = {
      at: 0,
      updates,
      answer: { kind: 'unread', message: 'read', afterMs: 5000 },
    };
    const waiting = decideComponents({ ...seen, checked: late }, 0);
    assert.deepEqual(
      [waiting.status, waiting.wake],
      [undefined, { after: 5000 }],
      'nothing is said before it is known',
    );
    const refusals = ['the server answered 404'];
    const checked: ComponentsSeen['checked'] = { at: 0, updates, answer: { kind: 'checked', refusals } };
    const refused = decideComponents({ ...seen, checked }, 0);
    const valid = refused.status?.conditions?.find(({ type }) => type === 'Valid');
    assert.deepEqual([valid?.status, valid?.reason, valid?.message], ['False', 'ImageRefused', refusals[0]]);
    assert.deepEqual(
      refused.events?.map(({ reason }) => reason),
      ['ValidationFailed'],
    );
    const again = decideComponents({ ...seen, checked }, defaultHostSettings.firmwareChangePollMs);
    assert.equal(again.effects.length, 1);
    const fine: ComponentsSeen['checked'] = { at: 0, updates, answer: { kind: 'checked', refusals: [] } };
    const { status } = decideComponents({ ...seen, checked: fine }, 0);
    assert.equal(status?.conditions?.find(({ type }) => type === 'Valid')?.status, 'True');
  });

  const components = [
    { component: 'bios', initialVersion: '1' },
    { component: 'nic:eno1', initialVersion: '7' },
  ];
  const seenWith = (
    updates: { component: string; url: string }[],
    more: Partial<ComponentsSeen> = {},
  ): ComponentsSeen => {
    const companion: HostFirmwareComponents = {
      apiVersion: metal3ApiVersion,
      kind: 'HostFirmwareComponents',
      metadata,
      spec: { updates },
    };
    return {
      host,
      companion,
      remembered: { at: 0, reading: { kind: 'read', components } },
      settings: defaultHostSettings,
      ...more,
    };
  };
  const shown = (seen: ComponentsSeen) =>
    decideComponents(seen, 1000).status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

  it('are told, and get an object only where there are any', () => {
    assert.deepEqual(decideComponents(seenWith([]), 1000).status?.components, components);
    const kinds = (more: Partial<ComponentsSeen>) =>
      decideComponents(seenWith([], more), 1000).effects.map(({ kind }) => kind);
    assert.deepEqual(kinds({ companion: undefined }), ['create-components']);
    assert.deepEqual(
      kinds({ companion: undefined, remembered: { at: 0, reading: { kind: 'read', components: [] } } }),
      [],
    );
    assert.deepEqual(kinds({ remembered: undefined }), ['read-components']);
  });

  it('change when other updates are wanted than were begun', () => {
    const updates = [{ component: 'bios', url: 'http://a' }];
    assert.deepEqual(shown(seenWith([])), ['ChangeDetected False OK', 'Valid True OK']);
    assert.deepEqual(shown(seenWith(updates)), ['ChangeDetected True OK', 'Valid True OK']);
    const begun = { ...(seenWith(updates).companion as HostFirmwareComponents), status: { updates } };
    assert.deepEqual(shown(seenWith(updates, { companion: begun })), ['ChangeDetected False OK', 'Valid True OK']);
  });

  it('cannot be updated where there are none of that name', () => {
    assert.deepEqual(shown(seenWith([{ component: 'bmc', url: 'http://a' }])), [
      'ChangeDetected True OK',
      'Valid False InvalidComponent',
    ]);
    assert.deepEqual(shown(seenWith([{ component: 'nic:eno1', url: 'http://a' }])), [
      'ChangeDetected True OK',
      'Valid True OK',
    ]);
  });

  it('keep the version that was found first', () => {
    const companion = {
      ...(seenWith([]).companion as HostFirmwareComponents),
      status: { components: [{ component: 'bios', initialVersion: '0' }] },
    };
    assert.equal(decideComponents(seenWith([], { companion }), 1000).status?.components?.[0]?.initialVersion, '0');
  });
});

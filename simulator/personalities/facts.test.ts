import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allPersonalities, type PersonalityName, personalityNames, personalityOf } from './index.ts';

/** What clients of real BMCs of each vendor find, and what tools rely on. */
const facts: Readonly<Record<PersonalityName, readonly (string | number | boolean | undefined)[]>> = {
  //                 system, manager, settings, multipart, push, pull, sessions, lockout
  'dell-idrac9': [
    'System.Embedded.1',
    'iDRAC.Embedded.1',
    'Settings',
    '/redfish/v1/UpdateService/MultipartUpload',
    '/redfish/v1/UpdateService/FirmwareInventory',
    'HTTP NFS CIFS TFTP HTTPS',
    8,
    3,
  ],
  'hpe-ilo5': ['1', '1', 'Settings', undefined, '/cgi-bin/uploadFile', 'HTTP HTTPS', 16, 5],
  'hpe-ilo6': ['1', '1', 'Settings', '/cgi-bin/uploadFile', undefined, 'HTTP HTTPS', 16, 5],
  'lenovo-xcc': ['1', '1', 'Pending', '/mfwupdate', '/fwupdate', 'TFTP SFTP', 16, 5],
  'supermicro-x12': ['1', '1', 'SD', '/redfish/v1/UpdateService/upload', undefined, 'HTTP HTTPS FTP', 6, 3],
  openbmc: [
    'system',
    'bmc',
    'Settings',
    '/redfish/v1/UpdateService/update-multipart',
    '/redfish/v1/UpdateService/update',
    undefined,
    64,
    0,
  ],
};

test('ids, ways of updating and limits are those of the vendors', () => {
  const found = Object.fromEntries(
    allPersonalities.map(({ name, ids, update, limits }) => [
      name,
      [
        ids.system,
        ids.manager,
        ids.biosSettings,
        update.multipartPushUri,
        update.pushUri,
        update.simpleUpdate?.protocols.join(' '),
        limits.sessions,
        limits.lockoutThreshold,
      ],
    ]),
  );
  assert.deepEqual(found, facts);
});

/** Who insists on what. */
const quirks: readonly (readonly [
  string,
  readonly PersonalityName[],
  (name: PersonalityName) => boolean | undefined,
])[] = [
  ['If-Match is a must', ['lenovo-xcc'], (name) => personalityOf(name).service.isIfMatchRequired],
  ['actions refuse If-Match', ['dell-idrac9'], (name) => personalityOf(name).service.doActionsRefuseIfMatch],
  ['chunked uploads are refused', ['dell-idrac9'], (name) => personalityOf(name).service.doesRefuseChunked],
  [
    'registries refuse identity',
    ['hpe-ilo5', 'hpe-ilo6'],
    (name) => personalityOf(name).service.doesRefuseIdentityEncoding,
  ],
  ['pushes want a claim', ['lenovo-xcc'], (name) => personalityOf(name).update.hasBusyClaim],
  ['no vendor at the root', ['supermicro-x12', 'openbmc'], (name) => personalityOf(name).rootVendor === undefined],
  ['no boot progress', ['hpe-ilo5', 'supermicro-x12'], (name) => !personalityOf(name).service.hasBootProgress],
  [
    'a BIOS update is staged',
    ['hpe-ilo5', 'hpe-ilo6', 'lenovo-xcc', 'supermicro-x12'],
    (name) => personalityOf(name).updateRules?.stagesBios,
  ],
  ['BMC firmware waits for a reset', ['lenovo-xcc'], (name) => personalityOf(name).updateRules?.bmcNeedsReset],
  ['the BIOS wants the host off', ['openbmc'], (name) => personalityOf(name).updateRules?.biosNeedsHostOff],
  ['verifying is a task of its own', ['supermicro-x12'], (name) => personalityOf(name).updateRules?.hasVerifyTask],
];

for (const [quirk, whose, has] of quirks) {
  test(`${quirk}: ${whose.join(', ')}`, () => {
    assert.deepEqual(
      personalityNames.filter((name) => has(name) === true),
      whose,
    );
  });
}

test('a name finds its personality', () => {
  for (const name of personalityNames) assert.equal(personalityOf(name).name, name);
});

test('every reset type and boot target is one that Redfish knows', () => {
  const resets = [
    'On',
    'ForceOff',
    'GracefulShutdown',
    'GracefulRestart',
    'ForceRestart',
    'PowerCycle',
    'ForceOn',
    'Nmi',
    'PushPowerButton',
  ];
  const targets = [
    'None',
    'Pxe',
    'Floppy',
    'Cd',
    'Usb',
    'Hdd',
    'BiosSetup',
    'Utilities',
    'Diags',
    'UefiShell',
    'UefiTarget',
    'SDCard',
    'UefiHttp',
    'UefiBootNext',
    'UsbCd',
  ];
  for (const { service } of allPersonalities) {
    assert.deepEqual(
      service.resetTypes.filter((type) => !resets.includes(type)),
      [],
    );
    assert.deepEqual(
      service.bootTargets.filter((target) => !targets.includes(target)),
      [],
    );
    assert.ok(service.resetTypes.includes('On') && service.resetTypes.includes('ForceOff'));
    assert.ok(service.managerResetTypes.includes('GracefulRestart'));
  }
});

test('a BMC restart takes a minute and a half to three and a half, a flash minutes', () => {
  for (const { timings } of allPersonalities) {
    assert.ok(timings.managerResetMs >= 90_000 && timings.managerResetMs <= 210_000);
    for (const flashMs of Object.values(timings.flashMs)) assert.ok(flashMs >= 60_000 && flashMs <= 40 * 60_000);
    assert.ok(timings.postMs >= 60_000);
  }
});

for (const { name, bios } of allPersonalities) {
  test(`${name}: BIOS attributes are 25 to 60, named once, with defaults that are allowed`, () => {
    assert.ok(bios.length >= 25 && bios.length <= 60, `${bios.length}`);
    assert.equal(new Set(bios.map((attribute) => attribute.name)).size, bios.length);
    for (const attribute of bios) {
      if (attribute.type === 'Enumeration')
        assert.ok(attribute.values?.includes(String(attribute.default)), attribute.name);
      if (attribute.type === 'Integer') {
        const value = Number(attribute.default);
        assert.ok(value >= Number(attribute.lowerBound) && value <= Number(attribute.upperBound), attribute.name);
      }
      if (attribute.type === 'String')
        assert.ok(String(attribute.default).length <= Number(attribute.maxLength), attribute.name);
    }
  });
}

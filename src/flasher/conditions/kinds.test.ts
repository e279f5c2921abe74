import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/index.ts';
import { readInstallParameters } from './install-schema.ts';
import { flasherKinds } from './kinds.ts';
import { outsideKinds } from './outside-kinds.ts';

function check(kind: string, parameters: JsonObject) {
  const found = flasherKinds().find((each) => each.kind === kind);
  assert.ok(found, kind);
  return found.check(parameters);
}

const firmware = {
  id: 'fw-1',
  vendor: 'dell',
  filename: 'bios.bin',
  version: '2.21.2',
  URL: 'https://images.example/bios.bin',
  component: 'bios',
  checksum: `sha256:${'a'.repeat(64)}`,
  models: ['R640'],
  install_inband: false,
  oem: false,
};

test('an install that was given up is gone on with by the next: what a BMC has taken is known to its progress only', () => {
  const carriedOn = flasherKinds().filter(({ isCarriedOn }) => isCarriedOn === true);
  assert.deepEqual(
    carriedOn.map(({ kind }) => kind),
    ['firmwareInstall'],
  );
});

test('the kinds of a flasher are all there, and only what cannot disturb shares a device', () => {
  const kinds = flasherKinds();
  assert.deepEqual(
    kinds.map(({ kind, sharing, isDisruptive }) => `${kind} ${sharing}${isDisruptive ? ' disruptive' : ''}`),
    [
      'firmwareInstall exclusive disruptive',
      'inventoryOOB shared',
      'powerOn exclusive',
      'powerOff exclusive disruptive',
      'powerCycleHard exclusive disruptive',
      'powerCycleSoft exclusive disruptive',
      'biosControl exclusive disruptive',
      'serverControl exclusive disruptive',
      'virtualMediaMount exclusive',
    ],
  );
  assert.ok(kinds.every(({ leaseMs, requestDeadlineMs }) => leaseMs > 0 && requestDeadlineMs > 0));
});

test('parameters of an install come out in one form, with all that was left out', () => {
  const { parameters, problems } = check('firmwareInstall', { 'firmware-set-id': 'set-1' });
  assert.deepEqual(problems, []);
  assert.deepEqual(parameters, {
    firmware_set_id: 'set-1',
    firmwares: [],
    force_install: false,
    dry_run: false,
    reset_bmc_before_install: false,
    require_host_powered_off: false,
    boot_override: 'auto',
  });
});

test('checking what was checked changes nothing, so that two doors ask for the same', () => {
  const once = check('firmwareInstall', { firmwares: [firmware], dry_run: true }).parameters;
  assert.deepEqual(check('firmwareInstall', once), { parameters: once, problems: [] });
});

test('records of the catalogue are taken as they are', () => {
  const { URL: url, models, id, ...rest } = firmware;
  const record = { ...rest, uuid: id, repository_url: url, model: models, created_at: '2024-01-01', upstream_url: 'x' };
  const { parameters, problems } = check('firmwareInstall', { firmwares: [record] });
  assert.deepEqual(problems, []);
  assert.deepEqual(parameters.firmwares, [firmware]);
  const [read] = readInstallParameters(parameters).firmwares;
  assert.equal(read?.url, url);
  assert.equal(read?.component, 'bios');
});

const wrong: readonly { readonly kind: string; readonly parameters: JsonObject; readonly problem: RegExp }[] = [
  { kind: 'firmwareInstall', parameters: {}, problem: /firmware_set_id or firmwares/ },
  { kind: 'firmwareInstall', parameters: { firmware_set_id: 7 }, problem: /firmware_set_id: it must be string/ },
  { kind: 'firmwareInstall', parameters: { firmware_set_id: 's', forse: true }, problem: /no parameter forse/ },
  {
    kind: 'firmwareInstall',
    parameters: { firmwares: [{ ...firmware, component: 'toaster' }] },
    problem: /no component toaster/,
  },
  {
    kind: 'firmwareInstall',
    parameters: { firmwares: [{ ...firmware, URL: 'gopher://x' }] },
    problem: /firmwares\.0: .*gopher/,
  },
  {
    kind: 'firmwareInstall',
    parameters: { firmwares: [{ ...firmware, checksum: 'abc' }] },
    problem: /hexadecimal|digits/,
  },
  {
    kind: 'firmwareInstall',
    parameters: { firmwares: [{ ...firmware, checksum: '' }] },
    problem: /checksum is missing/,
  },
  {
    kind: 'firmwareInstall',
    parameters: { firmwares: [{ ...firmware, version: '' }] },
    problem: /firmwares\.0: version is missing/,
  },
  {
    kind: 'firmwareInstall',
    parameters: { firmwares: [{ vendor: 'dell' }] },
    problem: /version.*missing|component.*missing/,
  },
  { kind: 'firmwareInstall', parameters: { firmware_set_id: 's', boot_override: 'floppy' }, problem: /boot_override/ },
  { kind: 'inventoryOOB', parameters: { inventory_method: 'inband' }, problem: /inventory_method/ },
  { kind: 'powerOff', parameters: { grace_period_seconds: -1 }, problem: /grace_period_seconds/ },
  { kind: 'biosControl', parameters: {}, problem: /action/ },
  { kind: 'biosControl', parameters: { action: 'explode' }, problem: /action/ },
  { kind: 'biosControl', parameters: { action: 'set_config' }, problem: /either attributes or bios_config_url/ },
  { kind: 'biosControl', parameters: { action: 'reset_config', attributes: { A: 1 } }, problem: /takes neither/ },
];

for (const { kind, parameters, problem } of wrong) {
  test(`parameters of ${kind} that are refused: ${JSON.stringify(parameters).slice(0, 80)}`, () => {
    const { problems } = check(kind, parameters);
    assert.ok(problems.length > 0);
    assert.match(problems.join('; '), problem);
  });
}

test('a password in an address is in no problem', () => {
  const { problems } = check('firmwareInstall', { firmwares: [{ ...firmware, URL: 'ftp://user:secret@host/x' }] });
  assert.ok(problems.length > 0);
  assert.doesNotMatch(problems.join(), /secret/);
});

test('what a server is told to do is checked before anybody is asked to do it', () => {
  const problems = (parameters: JsonObject) => check('serverControl', parameters).problems.join();
  assert.equal(problems({ action: 'set_next_boot_device', action_parameter: 'pxe' }), '');
  assert.match(problems({ action: 'set_next_boot_device', action_parameter: 'tape' }), /must be one of bios, cdrom/);
  assert.match(problems({ action: 'set_power_state', action_parameter: 'warm' }), /one of on, off, soft, cycle, reset/);
  assert.match(problems({ action: 'validate_firmware' }), /validateFirmware/);
  assert.match(problems({ action: 'dance' }), /must be one of get_power_state/);
  const media = (parameters: JsonObject) => check('virtualMediaMount', parameters).problems.join();
  assert.equal(media({ image_uri: 'https://images.example/x.iso', media_type: 'iso' }), '');
  assert.equal(media({ eject: true }), '');
  assert.match(media({}), /image_uri is missing/);
  assert.match(media({ image_uri: 'file:///x.iso' }), /cannot fetch a file/);
  assert.match(media({ image_uri: 'https://images.example/x.iso', mount_method: 'upload' }), /only url is served/);
});

test('a server whose BMC may still be writing after an install is read once more when that must be over', () => {
  const reread = flasherKinds().find(({ kind }) => kind === 'firmwareInstall')?.reread;
  const actions = [{}, { may_be_writing_until: '2026-01-01T01:00:00.000Z' }, { may_be_writing_until: 'later' }];
  assert.equal(reread?.settlesAt?.({ actions }), Date.parse('2026-01-01T01:00:00.000Z'));
  assert.equal(reread?.settlesAt?.({ actions: [{}] }), undefined);
  assert.equal(reread?.settlesAt?.({}), undefined);
});

test('after BIOS work its server is read again with its BIOS settings, and after every install', () => {
  const kinds = [...flasherKinds(), ...outsideKinds()];
  const readings = kinds.flatMap(({ kind, reread }) =>
    reread === undefined ? [] : [[kind, reread.kind, reread.parameters ?? {}]],
  );
  assert.deepEqual(readings, [
    ['firmwareInstall', 'inventoryOOB', {}],
    ['biosControl', 'inventoryOOB', { collect_bios_cfg: true }],
    ['firmwareInstallInband', 'inventoryOOB', {}],
  ]);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chooseProvisioner, refuseUnheard, whyNoSource } from './choose-provisioner.ts';
import { type HostPlaneSettings, ironicOf, refuseLoneIronicSettings } from './start-hosts.ts';

const nothing: HostPlaneSettings = {
  provisioner: undefined,
  agentHost: undefined,
  agentPort: undefined,
  agentTokenFile: undefined,
  ironicUrl: undefined,
  ironicAuthFile: undefined,
  ironicCa: undefined,
  ironicKernel: undefined,
  ironicRamdisk: undefined,
  ironicIso: undefined,
  ironicBootImages: undefined,
  provisioningLimit: 20,
  firmwareLinks: 'any',
};
const ironicUrl = 'https://ironic.example:6385';

test('a log-in is read from its file, and one that is none is refused without being shown', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const ironicAuthFile = join(folder, 'login');
  writeFileSync(ironicAuthFile, 'me:pass:word\n');
  const { credentials } = ironicOf({ ...nothing, ironicUrl, ironicAuthFile });
  assert.deepEqual(credentials, { username: 'me', password: 'pass:word' });
  writeFileSync(ironicAuthFile, 'not-to-be-seen\n');
  assert.throws(
    () => ironicOf({ ...nothing, ironicUrl, ironicAuthFile }),
    (error: Error) => /does not hold user:password/.test(error.message) && !error.message.includes('not-to-be-seen'),
  );
});

test('a kernel without its ramdisk, and certificates that are not there, are refused', () => {
  const ironicKernel = 'http://images.example/kernel';
  assert.throws(() => ironicOf({ ...nothing, ironicUrl, ironicKernel }), /go together/);
  assert.throws(
    () => ironicOf({ ...nothing, ironicUrl, ironicCa: '/nowhere/ca.pem' }),
    /--ironic-ca: .* cannot be read/,
  );
});

test('what looks after hosts is chosen, and what contradicts itself is refused', () => {
  assert.equal(chooseProvisioner(nothing), 'rack');
  assert.equal(chooseProvisioner({ ...nothing, ironicUrl }), 'ironic');
  assert.equal(chooseProvisioner({ ...nothing, provisioner: 'redfish' }), 'redfish');
  assert.throws(() => chooseProvisioner({ ...nothing, provisioner: 'ironic' }), /needs --ironic-url/);
  assert.throws(() => chooseProvisioner({ ...nothing, ironicUrl, provisioner: 'redfish' }), /contradict/);
});

test('servers that nobody has registered need somebody who listens for them', () => {
  const unknown = { ...nothing, discoverable: 2, spares: 0 };
  refuseUnheard(unknown);
  refuseUnheard({ ...unknown, provisioner: 'agent' });
  refuseUnheard({ ...unknown, discoverable: 0, provisioner: 'redfish' });
  assert.throws(() => refuseUnheard({ ...unknown, provisioner: 'redfish' }), /--discoverable goes with --provisioner/);
  assert.throws(
    () => refuseUnheard({ ...unknown, discoverable: 0, spares: 1, ironicUrl }),
    /--spares goes with --provisioner agent.* ironic/,
  );
});

test('who cannot tell of machines says what to start with', () => {
  for (const flag of ['--simulate', '--provisioner agent', '--ironic-url']) {
    assert.ok(whyNoSource('rack').includes(flag), flag);
  }
  assert.match(whyNoSource('redfish'), /--provisioner redfish .*Start .*--provisioner agent/);
});

test('boot images are built in the formats that were named, and in none unless any was', () => {
  assert.equal(ironicOf({ ...nothing, ironicUrl }).bootImageFormats, undefined);
  const { bootImageFormats } = ironicOf({ ...nothing, ironicUrl, ironicBootImages: 'iso,initrd' });
  assert.deepEqual(bootImageFormats, ['iso', 'initrd']);
});

test('settings of an Ironic that is not named are refused', () => {
  assert.throws(() => refuseLoneIronicSettings({ ...nothing, ironicCa: 'ca.pem' }), /--ironic-ca needs --ironic-url/);
  refuseLoneIronicSettings(nothing);
});

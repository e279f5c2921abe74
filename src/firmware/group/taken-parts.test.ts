import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ironcoreApiVersion, type ServerFirmwareGroup } from '../../api/index.ts';
import { compareVersions } from '../compare-versions.ts';
import { createFleet } from '../fleet/fleet.ts';
import { firmwareIndexers, serverIndexers } from '../fleet/objects.ts';
import { createTable } from '../fleet/table.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, aServer, noOwnership } from '../testing/server-seen.ts';
import { decideMember, entriesToApply } from './decide-member.ts';
import { createStandings } from './member-standing.ts';

const group: ServerFirmwareGroup = {
  apiVersion: ironcoreApiVersion,
  kind: 'ServerFirmwareGroup',
  metadata: { name: 'g' },
  spec: {
    manufacturer: 'Lenovo',
    model: '7x21',
    serverSelector: { matchLabels: { group: 'g' } },
    firmwares: [fw('BIOS', '3.0', 'LENOVO'), fw('ssd', '1')],
  },
};

test('a BIOS that a user sets is not written over by a group, in any spelling', () => {
  const firmware = aFirmware({ bios: { version: '2.0' } });
  const [effect] = decideMember({ firmware, server: aServer(), groups: [group] }).effects;
  assert.deepEqual(entriesToApply(effect ?? assert.fail(), firmware.ownership), [fw('ssd', '1')]);
  const following = aFirmware({ bios: { version: '2.0' } }, { ownership: { isBiosTaken: false, isBiosOurs: true } });
  const [other] = decideMember({ firmware: following, server: aServer(), groups: [group] }).effects;
  assert.deepEqual(entriesToApply(other ?? assert.fail(), following.ownership), group.spec.firmwares);
});

test('a server whose user sets the BIOS counts as applied with the BIOS that its user wants', () => {
  const firmware = aFirmware(
    { bios: { version: '2.0' }, firmwares: [fw('ssd', '1')] },
    {
      group: 'g',
      labels: { group: 'g' },
      status: { lastScanTime: '2030-01-01T00:00:00Z', bios: { version: '2.0' }, firmwares: [fw('ssd', '1')] },
    },
  );
  const fleet = createFleet({
    servers: createTable([{ ...aServer(), ownership: noOwnership }], serverIndexers),
    firmwares: createTable([firmware], firmwareIndexers),
    groups: createTable([group]),
  });
  const [standing] = createStandings({ fleet, compare: compareVersions, maxAttempts: 3 })(group);
  assert.equal(standing?.isApplied, true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machinesInUse } from './machines-in-use.ts';

const server = (systemUUID: string, macAddress: string) => ({
  metadata: { name: systemUUID },
  spec: { systemUUID },
  status: { networkInterfaces: [{ macAddress }] },
});

test('a machine on which a host is in use is found by any of its MACs, and says what an update waits for', () => {
  const servers = [server('UUID-A', 'AA:00'), server('uuid-b', 'bb:00'), server('uuid-c', 'cc:00')];
  const metadata = { namespace: 'n', name: 'h' };
  const hosts = [
    { metadata, spec: { bootMACAddress: 'aa:00' }, status: { provisioning: { state: 'provisioned' } } },
    { metadata, status: { provisioning: { state: 'available' }, hardware: { nics: [{ mac: 'bb:00' }] } } },
    { metadata, spec: { externallyProvisioned: true }, status: { hardware: { nics: [{ mac: 'CC:00' }] } } },
    { metadata, spec: { bootMACAddress: 'dd:00' }, status: { provisioning: { state: 'provisioned' } } },
  ];
  const found = machinesInUse(hosts, servers);
  assert.deepEqual([...found.keys()], ['uuid-a', 'uuid-c']);
  assert.match(
    found.get('uuid-a') ?? '',
    /^BareMetalHost n\/h is in use \(provisioned\): .* until the host is deprovisioned\.$/,
  );
  assert.match(found.get('uuid-c') ?? '', /externally provisioned/);
});

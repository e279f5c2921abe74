import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderFound, toFoundHost } from './discovery-view.ts';

const annotations = { 'discovery.rackwright.io/host': '{}' };
const quarantined = { 'discovery.rackwright.io/quarantine': 'true' };

function host(name: string, more: { labels?: object; annotations?: object; spec?: object; at?: string } = {}) {
  const { labels = {}, at = '2030-01-01T00:00:00Z', spec = {} } = more;
  return {
    metadata: {
      ...{ name, namespace: 'lab', creationTimestamp: at },
      labels: labels as Record<string, string>,
      annotations: (more.annotations ?? annotations) as Record<string, string>,
    },
    spec,
    status: {
      provisioning: { state: 'importing' },
      hardware: {
        ramMebibytes: 524_288,
        cpu: { count: 64 },
        storage: [{ sizeBytes: 2e12 }, { sizeBytes: 2e12 }],
        systemVendor: { manufacturer: 'Dell Inc.', productName: 'R750', serialNumber: 'S1' },
        nics: [{ lldp: { switchSystemName: 'tor-a', portID: 'Ethernet1/37' } }, {}],
      },
    },
  };
}

test('a host that somebody registered is none of this page', () => {
  assert.equal(toFoundHost(host('own', { annotations: {} })), undefined);
});

test('a found host says what it is and where it is plugged in', () => {
  const found = toFoundHost(host('a', { labels: quarantined }));
  assert.equal(found?.standing, 'quarantined');
  assert.equal(found?.size, '64 CPUs · 512 GiB · 2 disks, 4.0 TB');
  assert.equal(found?.plugged, 'tor-a Ethernet1/37');
  assert.equal(found?.serial, 'S1');
});

test('those in quarantine come first, then the newest', () => {
  const rows = orderFound(
    [
      host('used', { spec: { image: {} } }),
      host('old'),
      host('young', { at: '2031-01-01T00:00:00Z' }),
      host('waiting', { labels: quarantined }),
      host('own', { annotations: {} }),
    ].map(toFoundHost),
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['waiting', 'young', 'old', 'used'],
  );
});

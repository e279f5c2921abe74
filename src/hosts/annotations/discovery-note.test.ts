import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BareMetalHost } from '../../api/index.ts';
import { discoveryNote, readDiscoveryNote, writeDiscoveryNote } from './discovery-note.ts';

const hostWith = (note?: string): BareMetalHost => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name: 'found', ...(note === undefined ? {} : { annotations: { [discoveryNote]: note } }) },
});

describe('what discovery notes of a host', () => {
  it('is read as it was written', () => {
    const found = { provisionerId: 'a-node', hardware: { hostname: 'node-1', ramMebibytes: 4096 } };
    assert.deepEqual(readDiscoveryNote(hostWith(writeDiscoveryNote(found))), { value: found });
    const bare = { provisionerId: 'a-node' };
    assert.deepEqual(readDiscoveryNote(hostWith(writeDiscoveryNote(bare))), { value: bare });
    assert.equal(readDiscoveryNote(hostWith()), undefined);
  });

  it('is refused with a reason where it is not what discovery writes', () => {
    for (const [note, problem] of [
      ['{', /no JSON/],
      ['[]', /no object/],
      ['{"provisionerID":7}', /no provisionerID/],
      ['{"provisionerID":"a","hardware":{"wings":2}}', /unknown field.*wings/],
    ] as const) {
      const reading = readDiscoveryNote(hostWith(note));
      assert.ok(reading !== undefined && 'problem' in reading, note);
      assert.match(reading.problem, problem);
    }
  });
});

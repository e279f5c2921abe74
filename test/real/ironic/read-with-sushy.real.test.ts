import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePortRange } from '../free-ports.ts';
import { whyNoRealIronic } from './programs.ts';
import { readWithSushy, type SushyTarget } from './read-with-sushy.ts';
import { createScratch } from './scratch.ts';
import { type SushyTools, startSushyTools } from './sushy-tools.ts';

describe('reading sushy-tools with Python sushy', { skip: whyNoRealIronic() ?? false }, () => {
  const scratch = createScratch('sushy');
  let emulator: SushyTools;
  let target: SushyTarget;
  let verify: string;

  before(async () => {
    const options = { driver: 'fakeplus', withTls: true, withBasicAuth: true } as const;
    emulator = await startSushyTools({ ...options, dataDir: scratch.folder('emulator'), port: await freePortRange(1) });
    scratch.keep(emulator);
    target = { url: emulator.url, username: emulator.username, password: emulator.password };
    verify = emulator.caPath ?? '';
  });
  after(() => scratch.end());

  it('reads everything the emulator has, and tells links to nowhere from errors', async () => {
    const { targets } = await readWithSushy({ targets: [target], verify });
    const [read] = targets;
    assert.deepEqual(read?.errors, []);
    assert.equal(read.dangling.length, 2, 'the emulator names a firmware and a software inventory and has none');
    const { systems, managers, drives, processors } = read.counts ?? {};
    assert.deepEqual({ systems, managers, drives, processors }, { systems: 8, managers: 8, drives: 8, processors: 32 });
    const [system] = (read.values?.systems ?? []) as {
      bios: { attributes: object; registry: { attributes: unknown[] } };
    }[];
    const { Attributes } = await emulator.reader.read(`${emulator.systemPath}/BIOS`);
    assert.deepEqual(system?.bios.attributes, Attributes);
    assert.ok((system?.bios.registry.attributes.length ?? 0) > 3);
  });

  it('fetches exactly the listed resources of every BMC and counts the requests', async () => {
    const reads = ['/redfish/v1/Systems', emulator.systemPath, `${emulator.systemPath}/BIOS`, '/redfish/v1/Registries'];
    const own = { ...target, reads: ['/redfish/v1/UpdateService', '/redfish/v1/CertificateService'] };
    const result = await readWithSushy({ targets: [target, own], verify, reads });
    assert.deepEqual(
      result.targets.map((each) => [each.reads, each.typedReads, each.errors]),
      [
        [4, 4, []],
        [6, 5, []],
      ],
    );
    // The root, and the attempt to get a session, which the emulator does not have.
    const overhead = result.targets.map((each) => each.requests - (each.reads ?? 0));
    assert.deepEqual(overhead, [2, 2]);
    assert.equal(result.cpuSecondsPerBmc, result.cpuSeconds / 2);
    assert.ok(result.cpuSeconds > 0);
  });

  it('names a refused password without showing it', async () => {
    const wrong = { ...target, password: 'not-the-password' };
    const result = await readWithSushy({ targets: [wrong], verify, reads: ['/redfish/v1/Systems'] });
    assert.match(result.targets[0]?.errors[0] ?? '', /AccessError/);
    assert.doesNotMatch(JSON.stringify(result), /not-the-password/);
  });

  it('goes on with the next BMC where one does not answer at all', async () => {
    const untrusted = await readWithSushy({ targets: [target, target], verify: true, reads: ['/redfish/v1/Systems'] });
    assert.deepEqual(
      untrusted.targets.map((each) => each.errors.length),
      [1, 1],
    );
    assert.match(untrusted.targets[1]?.errors[0] ?? '', /log-in: ConnectionError/);
  });
});

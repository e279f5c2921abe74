import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, type Machine } from '../../../simulator/index.ts';
import type { InstallGoal } from '../update/testing/install-until-verified.ts';

/** A file with the next BIOS of a simulated machine, also on a file server for BMCs that only pull, until it is removed. */
export interface BiosFile {
  readonly goal: InstallGoal;
  remove(): Promise<void>;
}

/** Writes an image with a version that is one higher than the one that runs. */
export async function writeNextBios(machine: Machine): Promise<BiosFile> {
  const slot = machine.firmware.find(({ component }) => component === 'bios');
  assert.ok(slot, `${machine.name} has no BIOS`);
  const version = slot.version.replace(/(?<=\d\.)\d+/, (part) => String(Number(part) + 1).padStart(part.length, '0'));
  const bytes = buildImage({
    vendor: machine.personality.manufacturer,
    models: [machine.hardware.model],
    softwareId: slot.softwareId,
    component: 'bios',
    version,
    payloadBytes: 40_000,
  }).bytes();
  const folder = await mkdtemp(join(tmpdir(), 'bios-'));
  const path = join(folder, 'bios.bin');
  await writeFile(path, bytes);
  const digest = { algorithm: 'sha256' as const, hex: createHash('sha256').update(bytes).digest('hex') };
  const server = createServer((_, response) => response.end(bytes)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const served = { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bios.bin` };
  const order = { image: { path, digest }, served, targets: [], component: 'bios', version };
  return {
    goal: { order, component: 'bios', version, from: slot.version },
    async remove() {
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, type ComponentType, type Machine } from '../../simulator/index.ts';
import type { InstallOrder } from '../../src/bmc/index.ts';

/** A newer version of a component, as a file on disk and on a file server. */
export interface Release {
  readonly order: InstallOrder;
  readonly component: ComponentType;
  readonly from: string;
  readonly version: string;
}

/** Where images are made, kept and served. */
export interface ReleaseShelf {
  /** The next version for the first part of this kind that can be updated. */
  make(machine: Machine, component: ComponentType): Promise<Release>;
  close(): Promise<void>;
}

const payloadBytes = 40_000;

/** Opens a shelf: a folder, and a file server on a port that the system chooses. */
export async function openShelf(): Promise<ReleaseShelf> {
  const folder = await mkdtemp(join(tmpdir(), 'releases-'));
  const served = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const file = served.get(request.url ?? '');
    response.writeHead(file === undefined ? 404 : 200).end(file);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async make(machine, component) {
      const { bytes, from, version } = draw(machine, component);
      const name = `${machine.name}-${component}.bin`;
      const path = join(folder, name);
      await writeFile(path, bytes);
      served.set(`/${name}`, bytes);
      const digest = { algorithm: 'sha256' as const, hex: createHash('sha256').update(bytes).digest('hex') };
      const image = { path, digest };
      return {
        order: { image, served: { uri: `${base}/${name}` }, targets: [], component, version },
        component,
        from,
        version,
      };
    },
    async close() {
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

function draw(machine: Machine, component: ComponentType): { bytes: Buffer; from: string; version: string } {
  const slot = machine.firmware.find((each) => each.component === component && each.isUpdateable);
  assert.ok(slot, `${machine.name} has no ${component} that can be updated`);
  const version = nextVersion(slot.version);
  const bytes = buildImage({
    vendor: machine.personality.manufacturer,
    models: [machine.hardware.model],
    softwareId: slot.softwareId,
    component,
    version,
    payloadBytes,
  }).bytes();
  return { bytes, from: slot.version, version };
}

/** The version with the number after its first dot one higher, or its last number, as wide as it was. */
function nextVersion(version: string): string {
  const pattern = /\d\.\d/.test(version) ? /(?<=\d\.)\d+/ : /\d+(?=\D*$)/;
  return version.replace(pattern, (number) => String(Number(number) + 1).padStart(number.length, '0'));
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createScaledClock, type Machine, startDataCentre } from '../../../simulator/index.ts';
import { startFileServer } from '../../firmware-store/index.ts';
import type { Clock } from '../../kube/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import type { StrategyScene } from '../contract/strategy-contract.ts';
import { Harvest } from '../run/harvest.ts';
import { openJobTools } from '../run/job-tools.ts';

/** For tests: one simulated server that wants another BIOS. */
export interface SimulatedScene extends StrategyScene {
  readonly machine: Machine;
  readonly clock: Clock;
  readonly password: string;
  readonly wanted: { readonly component: 'bios'; readonly version: string; readonly image: Buffer };
  /** Where any file can be got. */
  put(path: string, body: Buffer): string;
  /** Writes the wanted version, as a tool or an image would. */
  install(component: string, version: string): void;
  putOtherMachine(): void;
}

/** For tests: starts a scene that ends with its test. */
export async function startSimulatedScene(
  context: TestContext,
  { speed }: { readonly speed: number },
): Promise<SimulatedScene> {
  const clock = createScaledClock({ speed, mostAtOnceMs: 100 });
  // Quick restarts: time passes really here.
  const timings = { powerOnMs: 500, postMs: 3000, osBootMs: 500, gracefulShutdownMs: 500, forceOffMs: 500 };
  const dataCentre = await startDataCentre({
    seed: 7,
    servers: 1,
    personalities: ['dell-idrac9'],
    isPlain: true,
    addressing: 'port',
    arePoweredOn: true,
    clock,
    timings,
  });
  const [bmc] = dataCentre.bmcs;
  assert.ok(bmc);
  const { machine, username, password, url: origin, systemPath } = bmc;
  const folder = await mkdtemp(join(tmpdir(), 'strategy-'));
  const files = await startFileServer(context);
  const target = 'server/1';
  const known = { uuid: machine.hardware.uuid, serial: machine.hardware.serial };
  const opened = await openJobTools({
    bmc: {
      target,
      origin,
      username,
      password,
      systemPath,
      trust: { kind: 'system', allowsHttp: true },
      machine: known,
    },
    sink: new Harvest(),
    images: { folder, maxBytes: 10_000_000 },
    clock,
    random: () => 0.5,
    logger: silentLogger,
  });
  context.after(async () => {
    await opened.close();
    await dataCentre.close();
    await rm(folder, { recursive: true, force: true });
  });
  const image = Buffer.from('a BIOS of the future');
  const wanted = { component: 'bios' as const, version: '9.9.9', image };
  const slotOf = (component: string) =>
    machine.firmware.find((slot) => slot.component === component && slot.isUpdateable);
  let installs = 0;
  return {
    machine,
    clock,
    password,
    wanted,
    target,
    tools: opened.tools,
    parameters: {
      firmwares: [
        {
          id: 'bios-9',
          vendor: 'Dell Inc.',
          component: 'bios',
          version: wanted.version,
          filename: 'BIOS_9.9.9.EXE',
          URL: files.put('/BIOS_9.9.9.EXE', image),
          checksum: `sha256:${createHash('sha256').update(image).digest('hex')}`,
          models: [],
        },
      ],
    },
    put: (path, body) => files.put(path, body),
    isInstalled: () => slotOf('bios')?.version === wanted.version,
    countInstalls: () => installs,
    putOtherMachine: () =>
      void Object.assign(machine.hardware, { uuid: '7e0d1c2b-5a69-4788-96a5-b4c3d2e1f001', serial: 'OTHER-1' }),
    install(component, version) {
      const slot = slotOf(component);
      assert.ok(slot, component);
      installs += 1;
      slot.version = version;
    },
  };
}

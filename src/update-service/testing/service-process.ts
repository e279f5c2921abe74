/**
 * For tests: an update service in a process of its own, to be killed. Its jobs are files in a folder: whoever started it
 * plays the jobs. Arguments: the folder. It writes the address of its calls to `url` there.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, type JsonObject, openSqliteDatabase, startSweeping } from '../../engine/index.ts';
import { flasherKinds } from '../../flasher/index.ts';
import { systemClock as clock } from '../../kube/index.ts';
import { createFixedAuthorizer } from '../../rest/index.ts';
import { createServerservice } from '../../serverservice/index.ts';
import { silentLogger as logger, noMetrics as metrics } from '../../telemetry/index.ts';
import { firmwareDiscover } from '../kinds.ts';
import type { Launcher } from '../launchers/launcher.ts';
import { createInventoryNames } from '../names/fleet-names.ts';
import { startUpdateService } from '../start-update-service.ts';
import { serverA, serverB } from './update-rig.ts';

const folder = process.argv[2] ?? '';
const fileOf = (handle: JsonObject): string => join(folder, `${String(handle.job)}.job`);
const look = async (handle: JsonObject) =>
  existsSync(fileOf(handle)) ? ({ state: 'running' } as const) : ({ state: 'gone', why: 'its file is gone' } as const);
const launcher: Launcher = {
  name: 'files',
  scope: async () => 'here',
  async launch({ jobId, token, work }) {
    const handle = { job: `${jobId}.${work.lease.token}` };
    if (!existsSync(fileOf(handle))) writeWhole(fileOf(handle), JSON.stringify({ jobId, token }));
    return { handle };
  },
  look,
  interrupt: look,
  async close() {},
};

const database = await openSqliteDatabase({ path: join(folder, 'engine.db'), clock });
const kinds = [...flasherKinds({ leaseMs: 120_000, requestDeadlineMs: 100 }), firmwareDiscover];
const engine = await createEngine({ database, clock, kinds, settings: { pollMs: 50 } });
const credentialKeys = [{ id: 'k1', secret: randomBytes(32) }] as const;
const service = await createServerservice({ database, machines: engine.machines, credentialKeys });
if ((await engine.machines.get(serverA)) === undefined) {
  for (const [id, name] of [
    [serverA, 'alpha'],
    [serverB, 'beta'],
  ] as const) {
    await service.servers.create({ id, name, facility: 'fc1', vendor: 'Dell', model: 'R640', serial: name });
  }
}
startSweeping(engine, { clock, everyMs: 200, logger });
const { url = '' } = await startUpdateService({
  ...{ engine, database, service, clock, logger, metrics },
  names: createInventoryNames(service),
  strategy: { name: 'redfish' },
  sources: [],
  random: Math.random,
  authorizer: createFixedAuthorizer({ all: { name: 'test', scopes: ['read', 'write'] } }),
  listen: { host: '127.0.0.1', port: 0 },
  runner: { launcher, facilities: ['fc1'], concurrency: 10 },
});
writeWhole(join(folder, 'url'), url);

/** A file that is there is complete, also for whoever looks at once and after a kill in the middle. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

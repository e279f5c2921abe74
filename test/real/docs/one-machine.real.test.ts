/**
 * Commands of pages that need nothing but this machine, and that the rack of test/docs cannot be asked: they start racks
 * of their own, or change the one they are typed on for good. They are typed into bash as the pages have them; ports and
 * the speed of simulated time come from the environment.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { blocksFor, textOf } from '../../docs/pages.ts';
import { typePages } from '../../docs/type-pages.ts';
import { type Desk, type StayingCommand, startLines, typeLines } from '../../docs/typed-commands.ts';
import { shellPrograms } from '../shells/programs.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'rackwright-docs-'));
/** Any free ports, and simulated servers that are quick. */
const env = { RACKWRIGHT_PORT: '0', RACKWRIGHT_BMC_PORT: '0', RACKWRIGHT_SPEED: '2000' };
/** One server is enough where nothing is done to any. */
const small = { ...env, RACKWRIGHT_SIMULATE: '1' };
const staying = new Set<StayingCommand>();
/** Where `npm start` is typed: a clone, and a rack of two servers. */
const clone: Desk = {
  folder: join(folder, 'clone'),
  env: { ...env, RACKWRIGHT_SIMULATE: '2' },
  programs: await shellPrograms(),
};

before(() => {
  mkdirSync(clone.folder);
  const parts = readdirSync(root).filter((name) => !name.startsWith('.'));
  for (const part of parts) symlinkSync(join(root, part), join(clone.folder, part));
});
after(async () => {
  for (const each of staying) await each.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A folder in which nothing was typed before. */
function newDesk(name: string): Desk {
  const desk = { folder: join(folder, name), env: small };
  mkdirSync(desk.folder);
  return desk;
}

async function startUntil(text: string, { desk, lines }: { desk: Desk; lines: string }): Promise<StayingCommand> {
  const started = startLines(desk, lines);
  staying.add(started);
  await started.until(text);
  return started;
}

async function stop(started: StayingCommand): Promise<void> {
  staying.delete(started);
  assert.equal(await started.stop(), 0, started.printed());
}

const ready = 'Ctrl-C stops it';
const startsAndStops = (name: string) => ({
  type: async (lines: string) => stop(await startUntil(ready, { desk: newDesk(name), lines })),
});

const switchedOn =
  '{apiVersion: metal3.io/v1alpha1, kind: BareMetalHost, metadata: {name: r01-s01, namespace: simulated}, spec: {online: true}}';
/** npm itself ends by Ctrl-C; what it started ends well. */
async function npmStartsAndStops(desk: Desk, lines: string): Promise<void> {
  const started = await startUntil(ready, { desk, lines });
  staying.delete(started);
  await started.stop();
  assert.match(started.printed(), /^Stopped\.$/m);
}

/** Where two spare servers are in the rack. */
const spares: Desk = { folder: join(folder, 'spares'), env };
/** Where a simulator runs by itself, as fast as its page says. */
const simulator: Desk = { folder: join(folder, 'simulator'), env: { RACKWRIGHT_BMC_PORT: '0', RACKWRIGHT_PORT: '0' } };

typePages(blocksFor(import.meta.filename), {
  'npm start': {
    type: async (lines) => {
      await startUntil(ready, { desk: clone, lines });
      await typeLines(clone, 'npx rackwright wait serverfirmware --all --for=condition=Scanned --timeout=300s');
    },
  },
  'npm start -- --port 8000 --data-dir /var/lib/rackwright': {
    differences: () => ({ '/var/lib/rackwright': join(folder, 'var'), '--port 8000': '--port 0' }),
    type: async (lines) => npmStartsAndStops({ ...clone, env: small }, lines),
  },
  'npm start -- --spares 4': {
    type: async (lines) =>
      npmStartsAndStops({ ...clone, env: { ...small, RACKWRIGHT_DATA_DIR: join(folder, 'more') } }, lines),
  },
  // All tests would take this one with them; a file of few is named besides.
  'npm test': {
    type: async (lines) => {
      const printed = await typeLines(clone, `${lines} -- test/docs/index.test.ts`);
      assert.match(printed, /^[1-9]\d* passed, 0 failed$/m);
    },
  },
  'source <(rackwright completion bash)': {
    type: async (lines) => {
      const typed = "COMP_LINE='rackwright hist'; COMP_POINT=15; COMP_WORDS=(rackwright hist)";
      // Nobody's terminal ends with the first command that fails.
      const printed = await typeLines(clone, `${lines}\nset +e\n${typed}\n_rackwright\necho "\${COMPREPLY[*]}"`);
      assert.match(printed, /^history$/m);
    },
  },
  'rackwright completion fish | source': {
    type: async (lines) => {
      // Of another shell than the rest.
      const printed = await typeLines(clone, `fish --no-config -c '${lines}; complete -C "rackwright hist"'`);
      assert.match(printed, /^history\b/m);
    },
  },
  'npx rackwright up --discoverable 2': startsAndStops('discoverable'),
  'npx rackwright up --spares 2': {
    type: async (lines) => {
      mkdirSync(spares.folder);
      await startUntil(ready, { desk: spares, lines });
    },
  },
  // On the rack with spare servers, of which one was discovered.
  'npx rackwright get bmh -A -l discovery.rackwright.io/quarantine': {
    type: async (lines) => {
      const apply = `npx rackwright apply -f ${join(root, 'examples', '12-review-a-host', 'discovery.yaml')}`;
      const wait = 'npx rackwright wait bmh/lab-r01-s10 -n lab --for create --timeout 300s';
      await typeLines(spares, [apply, 'npx rackwright simulate reset r01-s10 On', wait].join('\n'));
      assert.match(await typeLines(spares, lines), /^lab +lab-r01-s10 /m);
    },
  },
  'npx rackwright label bmh lab-r01-s10': {
    type: async (lines) => {
      await typeLines(spares, lines);
      const left = await typeLines(spares, 'npx rackwright get bmh -A -l discovery.rackwright.io/quarantine -o name');
      assert.equal(left, '');
    },
  },
  'npx rackwright install-firmware r01-s01 --set latest': {
    type: async (lines) => {
      // A host that runs need not be switched on first, whose self-test is waited for in real time.
      await typeLines(
        clone,
        `npx rackwright apply --force-conflicts -f - <<< '${switchedOn}'
        npx rackwright wait bmh/r01-s01 -n simulated --for=jsonpath={.status.poweredOn}=true --timeout=300s`,
      );
      // The set has nine parts that go one after the other, each at the pace of real polls; one is named here besides.
      assert.match(await typeLines(clone, `${lines} --component psu`), /^r01-s01: succeeded/m);
    },
  },
  'npx rackwright cancel ID': {
    type: async (lines) => {
      const again = 'npx rackwright install-firmware r01-s01 --set latest --force --no-wait';
      const id = /condition ([0-9a-f-]{36})/.exec(await typeLines(clone, again))?.[1] ?? assert.fail();
      await typeLines(clone, lines.replace('ID', id));
      const isCancelled = new RegExp(`^${id} .* failed .*cancelled by admin`, 'm');
      while (!isCancelled.test(await typeLines(clone, 'npx rackwright conditions r01-s01'))) await pause(100);
    },
  },
  'npx rackwright up --provisioner redfish': startsAndStops('redfish'),
  'npx rackwright up --traces-endpoint': startsAndStops('traces'),
  'openssl req -new': { type: async (lines) => void (await typeLines(clone, lines)) },
  'openssl x509 -req': {
    type: async (lines) => {
      await typeLines(clone, lines);
      const kubeconfig = readFileSync(join(clone.folder, '.rackwright', 'kubeconfig'), 'utf8');
      const url = /server: "?(https:[^"\s]+)/.exec(kubeconfig)?.[1] ?? assert.fail(kubeconfig);
      const words = '--silent --cacert .rackwright/pki/ca.crt --cert alice.crt --key alice.key';
      // Known by name, and allowed nothing yet.
      assert.match(await typeLines(clone, `curl ${words} ${url}/api/v1/nodes`), /User \\"alice\\" cannot list/);
    },
  },
  'npx rackwright simulate --servers 100': {
    type: async (lines) => {
      mkdirSync(simulator.folder);
      const rules = /^```yaml\n(faults:\n.*?)^```$/ms.exec(textOf('docs/simulator.md'))?.[1] ?? assert.fail();
      writeFileSync(join(simulator.folder, 'faults.yaml'), rules);
      await startUntil(ready, { desk: simulator, lines });
    },
  },
  'npx rackwright apply -f fleet/': {
    type: async (lines) => {
      const desk = newDesk('any-server');
      const server = await startUntil('https://', { desk, lines: 'rackwright apiserver' });
      await typeLines(desk, `rackwright apply -f ${join(root, 'deploy', 'crds')}`);
      symlinkSync(join(simulator.folder, 'fleet'), join(desk.folder, 'fleet'));
      const hosts = (await typeLines(desk, lines)).match(/^baremetalhost\.metal3\.io\/\S+ created$/gm);
      assert.equal(hosts?.length, 100);
      await stop(server);
    },
  },
  'npx rackwright up --simulate 0 --data-dir DIR': {
    differences: () => {
      const admin = readFileSync(join(simulator.folder, '.rackwright', 'simulator', 'admin.json'), 'utf8');
      const { url } = JSON.parse(admin) as { url: string };
      return { DIR: 'plane', 'http://127.0.0.1:PORT': url };
    },
    type: async (lines) => stop(await startUntil(ready, { desk: simulator, lines })),
  },
  'curl --cacert .rackwright/pki/ca.crt': {
    differences: () => {
      const { url } = JSON.parse(readFileSync(join(clone.folder, '.rackwright', 'rest.json'), 'utf8')) as {
        url: string;
      };
      return { 'https://127.0.0.1:7441': url };
    },
    type: async (lines) => {
      const { status, jobId } = JSON.parse(await typeLines(clone, lines.replace('curl', 'curl --silent --show-error')));
      assert.deepEqual([status, /^[0-9a-f-]{36}$/.test(jobId)], ['REQUEST_STATUS_SCHEDULED', true]);
    },
  },
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePortRange } from '../real/free-ports.ts';
import { realKubeBinaries, whyNoRealKube } from '../real/kube/binaries.ts';
import { type RealKube, startRealKube } from '../real/kube/real-kube.ts';
import { type CliProcess, runCli, startCli, startUp, temporaryFolder } from './cli-fixture.ts';
import { ask } from './work-services.ts';

const whyNot = whyNoRealKube();
/** As many as are shipped. */
const kinds = readdirSync(join(import.meta.dirname, '..', '..', 'deploy', 'crds')).length;
const machine = JSON.stringify({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
  kind: 'Metal3Machine',
  metadata: { name: 'machine-1', namespace: 'default' },
  spec: {
    image: { url: 'http://192.0.2.9/image.qcow2', checksum: 'http://192.0.2.9/sum' },
    automatedCleaningMode: 'disabled',
  },
});
const host = JSON.stringify({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name: 'host-1', namespace: 'default' },
  spec: { online: true },
});

/** Runs kubectl and gives what it printed; fails the test when it fails. */
function kubectlOn(kubectl: string, kubeconfig: string) {
  return (words: string[], input = ''): string => {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const { status, stdout, stderr } = spawnSync(kubectl, words, { env, input, encoding: 'utf8' });
    assert.equal(status, 0, `kubectl ${words.join(' ')}: ${stderr}`);
    return stdout;
  };
}

if (whyNot !== undefined) test('the command with kubectl and with a real cluster', { skip: whyNot }, () => {});
else {
  describe('kubectl on what rackwright up started', useKubectl);
  describe('rackwright up --kubeconfig on a real cluster', useRealCluster);
}

function useKubectl(): void {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  let up: CliProcess;
  let kubectl: ReturnType<typeof kubectlOn>;

  before(async () => {
    up = await startUp(dataDir);
    kubectl = kubectlOn((await realKubeBinaries()).kubectl, join(dataDir, 'kubeconfig'));
  });
  after(async () => {
    await up.end('SIGTERM');
    folder.remove();
  });

  test('applies, shows, labels, waits for and deletes a host', () => {
    assert.equal(kubectl(['apply', '-f', '-'], host), 'baremetalhost.metal3.io/host-1 created\n');
    assert.equal(
      kubectl(['apply', '--server-side', '-f', '-'], host),
      'baremetalhost.metal3.io/host-1 serverside-applied\n',
    );
    kubectl(['wait', 'bmh/host-1', '--for=jsonpath={.status.provisioning.state}=unmanaged', '--timeout=100s']);
    assert.match(kubectl(['get', 'bmh']), /^NAME +STATE +CONSUMER +ONLINE +ERROR +AGE\nhost-1 +unmanaged +true /);
    assert.equal(kubectl(['label', 'bmh', 'host-1', 'rack=a1']), 'baremetalhost.metal3.io/host-1 labeled\n');
    assert.match(
      kubectl(['wait', 'bmh/host-1', '--for=jsonpath={.metadata.labels.rack}=a1', '--timeout=100s']),
      /condition met/,
    );
    assert.match(kubectl(['delete', 'bmh', 'host-1']), /"host-1" deleted/);
  });

  test('explains a field of a kind and says what may be done', () => {
    assert.match(kubectl(['explain', 'bmh.spec.bmc.address']), /FIELD: address <string>/);
    assert.equal(kubectl(['auth', 'can-i', 'create', 'bmh']), 'yes\n');
  });

  test('sees every kind, all of them established', () => {
    const printed = kubectl([
      'wait',
      'crd',
      '-l',
      'app.kubernetes.io/part-of=rackwright',
      '--for=condition=Established',
      '--timeout=100s',
    ]);
    assert.equal(printed.trim().split('\n').length, kinds);
  });

  test('shows the hosts of the rack as Metal3 shows hosts', async () => {
    await up.until('Hosts of the rack: 6 available, 2 provisioned.');
    const [head, first, ...others] = kubectl(['get', 'bmh', '-n', 'simulated']).trimEnd().split('\n');
    assert.match(head ?? '', /^NAME +STATE +CONSUMER +ONLINE +ERROR +AGE$/);
    assert.match(first ?? '', /^r01-s01 +available +false +\w+$/);
    assert.match(others.at(-1) ?? '', /^r01-s08 +provisioned +true +\w+$/);
    const wide = kubectl(['get', 'bmh', '-n', 'simulated', '-o', 'wide']).split('\n');
    assert.match(wide[0] ?? '', /^NAME +STATUS +STATE +CONSUMER +BMC +ONLINE +ERROR +AGE$/);
    assert.match(wide[1] ?? '', /^r01-s01 +OK +available +redfish-virtualmedia\+https:\S+ +false +\w+$/);
  });

  test('prints a table that the command prints alike', async () => {
    kubectl(['apply', '-f', '-'], host);
    kubectl(['wait', 'bmh/host-1', '--for=jsonpath={.status.provisioning.state}=unmanaged', '--timeout=100s']);
    for (const words of [
      ['get', 'bmh'],
      ['get', 'bmh', '-o', 'wide', '-A'],
      ['get', 'ns', '--show-labels'],
    ]) {
      const ours = await runCli([...words, '--data-dir', dataDir]);
      const withoutAges = (text: string): string => text.replace(/\b\d+(s|m\d+s|m)\b/g, 'AGE').replace(/ +/g, ' ');
      assert.equal(withoutAges(ours.out), withoutAges(kubectl(words)));
    }
  });
}

function useRealCluster(): void {
  const folder = temporaryFolder();
  let real: RealKube;
  let up: CliProcess;
  let kubectl: ReturnType<typeof kubectlOn>;
  const start = async (): Promise<CliProcess> => {
    const started = startCli([
      'up',
      '--kubeconfig',
      real.kubeconfigPath,
      '--port',
      '0',
      '--data-dir',
      join(folder.path, 'data'),
    ]);
    await started.until('Ctrl-C stops it');
    return started;
  };

  before(async () => {
    real = await startRealKube({ dataDir: join(folder.path, 'real'), port: await freePortRange(4) });
    kubectl = kubectlOn(real.kubectl, real.kubeconfigPath);
    // Somebody else's definition of a kind that we have, too.
    const foreign = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'machinesets.cluster.x-k8s.io' },
      spec: {
        group: 'cluster.x-k8s.io',
        scope: 'Namespaced',
        names: { plural: 'machinesets', singular: 'machineset', kind: 'MachineSet' },
        versions: [{ name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    kubectl(['create', '-f', '-'], JSON.stringify(foreign));
    up = await start();
  });
  after(async () => {
    await up.end('SIGTERM');
    await real.stop();
    folder.remove();
  });

  test('installs the kinds and roles, and leaves what is not ours alone', () => {
    // One of them is somebody else's here.
    assert.match(up.printed.out, new RegExp(`${kinds - 1} kinds and \\d+ roles are installed`));
    assert.match(up.printed.out, /machinesets\.cluster\.x-k8s\.io was installed by somebody else and is left as it is/);
    assert.equal(
      kubectl(['get', 'crd', 'machinesets.cluster.x-k8s.io', '-o', 'jsonpath={.spec.versions[*].name}']),
      'v1beta1',
    );
    assert.match(
      kubectl(['get', 'clusterroles', '-o', 'name']),
      /clusterrole\.rbac\.authorization\.k8s\.io\/rackwright-tenant\n/,
    );
  });

  test('the commands work there as they do here', async () => {
    const { code, out, err } = await runCli(['apply', '-f', '-', '--kubeconfig', real.kubeconfigPath], { input: host });
    assert.equal(code, 0, err);
    assert.equal(out, 'baremetalhost.metal3.io/host-1 created\n');
    const shown = await runCli(['get', 'bmh', '--kubeconfig', real.kubeconfigPath]);
    assert.match(shown.out, /^NAME +STATE .*\nhost-1 /);
  });

  function tokenOf(name: string, ...roles: readonly string[]): string {
    kubectl(['create', 'serviceaccount', name]);
    for (const role of roles) {
      const words = [`--clusterrole=${role}`, `--serviceaccount=default:${name}`];
      kubectl(['create', 'clusterrolebinding', `${name}-${role}`, ...words]);
    }
    return kubectl(['create', 'token', name]).trim();
  }

  test('the console plans with the rights of whoever asks, and has no audit log of its own', async () => {
    const url = /Console +(http:\/\/\S+)\/console\//.exec(up.printed.out)?.[1] ?? assert.fail(up.printed.out);
    const plan = (token: string) =>
      fetch(`${url}/plan`, { method: 'POST', body: '{}', headers: { authorization: `Bearer ${token}` } });
    const viewer = tokenOf('planner', 'rackwright-viewer');
    const made = await plan(viewer);
    assert.equal(made.status, 200);
    assert.equal(((await made.json()) as { kind?: string }).kind, 'FirmwarePlan');
    assert.equal((await plan(tokenOf('stranger'))).status, 403);
    assert.equal((await plan('wrong')).status, 401);
    assert.equal((await fetch(`${url}/audit`, { headers: { authorization: `Bearer ${viewer}` } })).status, 404);
  });

  test('its tokens and roles say who may use the REST services', async () => {
    const url = /REST and RPC +(http:\/\/\S+)/.exec(up.printed.out)?.[1] ?? assert.fail(up.printed.out);
    const statusOf = async (token: string, path: string) => (await ask(`${url}${path}`, { token })).status;
    const viewer = tokenOf('viewer', 'rackwright-rest-viewer');
    assert.equal(await statusOf(viewer, '/api/v1/servers'), 200);
    const login = '/api/v1/servers/5d2b4fb5-60fa-44b4-9a3a-7c5f7f6f64f1/credentials/bmc';
    assert.equal(await statusOf(viewer, login), 403);
    assert.equal(await statusOf(tokenOf('keeper', 'rackwright-rest-credentials'), login), 404);
    assert.equal(await statusOf(tokenOf('nobody'), '/api/v1/servers'), 403);
    assert.equal(await statusOf('wrong', '/api/v1/servers'), 401);
  });

  test('the cluster asks us to convert, also after a restart', async () => {
    kubectl(['apply', '-f', '-'], machine);
    const cleaning = (version: string): string =>
      kubectl([
        'get',
        `metal3machines.${version}.infrastructure.cluster.x-k8s.io`,
        'machine-1',
        '-o',
        'jsonpath={.spec.automatedCleaningMode}',
      ]);
    assert.equal(cleaning('v1beta1'), 'disabled');
    assert.equal(cleaning('v1beta2'), 'disabled');
    assert.equal(await up.end('SIGTERM'), 0);
    up = await start();
    assert.equal(cleaning('v1beta1'), 'disabled');
  });
}

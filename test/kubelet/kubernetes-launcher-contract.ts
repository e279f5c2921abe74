import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import {
  type ConnectionSpec,
  createClient,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  systemClock,
} from '../../src/kube/index.ts';
import { silentLogger } from '../../src/telemetry/index.ts';
import { jobOf } from '../../src/update-service/launchers/kubernetes/job-objects.ts';
import {
  createKubernetesLauncher,
  type KubernetesLauncherOptions,
} from '../../src/update-service/launchers/kubernetes/kubernetes-launcher.ts';
import type { Launcher } from '../../src/update-service/launchers/launcher.ts';
import { startLaunchRig } from '../../src/update-service/launchers/testing/launch-rig.ts';
import { freePortRange } from '../real/free-ports.ts';
import { type Job, type Pod, refs, type Secret } from './objects.ts';
import { startTestJobController } from './test-job-controller.ts';
import { startTestKubelet, type TestKubelet } from './test-kubelet.ts';

const namespace = 'jobs-under-test';
const image = 'registry.example/rackwright-job:test';
const program = join(import.meta.dirname, '../../src/update-service/launchers/testing/job-program.ts');
const password = 'the-password-of-the-bmc';
/** Much longer than a Job takes to go on a busy machine. */
const patienceMs = 300_000;

/** What every cluster that jobs are launched in has to keep. */
export function runKubernetesLauncherContract(
  name: string,
  connect: () => Promise<ConnectionSpec>,
  options: { readonly hasJobController: boolean },
): void {
  describe(`jobs as Jobs of ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubelet-'));
    const closing: (() => Promise<void>)[] = [];
    let client: KubeClient;
    let kubelet: TestKubelet;

    before(async () => {
      client = await createClient(await connect());
      const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false };
      await client.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      kubelet = startTestKubelet({ client, namespace, folder, images: { [image]: [process.execPath, program] } });
      closing.push(() => kubelet.stop());
      if (!options.hasJobController) {
        const controller = startTestJobController({ client, namespace });
        closing.push(() => controller.stop());
      }
    });

    after(async () => {
      for (const close of closing) await close();
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const rigOf = async (context: TestContext, more: Partial<KubernetesLauncherOptions> = {}) => {
      const rig = await startLaunchRig(context);
      const taskPort = await freePortRange(1);
      const open = (other: Partial<KubernetesLauncherOptions> = {}): Launcher =>
        createKubernetesLauncher({
          client,
          namespace,
          image,
          taskPort,
          updateService: rig.updateService,
          bmcOf: async () => ({
            target: 'server/1',
            origin: 'http://127.0.0.1:1',
            username: 'root',
            password,
            trust: { kind: 'system', allowsHttp: true },
          }),
          clock: systemClock,
          logger: silentLogger,
          lookEveryMs: 50,
          replaceWithinMs: patienceMs,
          ...more,
          ...other,
        });
      return { ...rig, open, launcher: open() };
    };
    const podsOf = async (uid: unknown): Promise<readonly Pod[]> =>
      (
        await client
          .resource<Pod>(refs.pods)
          .list({ namespace, labelSelector: `batch.kubernetes.io/controller-uid=${String(uid)}` })
      ).items;

    test('a job runs in a pod and reports for itself; its token is in a Secret that goes with the Job', async (context) => {
      const { launcher, order, until } = await rigOf(context);
      const { job, order: wanted } = order('succeed', 'runs');
      const { handle } = await launcher.launch(wanted);
      const key = { namespace, name: String(handle.name) };
      const made = await client.resource<Job>(refs.jobs).get(key);
      const secret = await client.resource<Secret>(refs.secrets).get(key);
      assert.deepEqual(
        secret.metadata?.ownerReferences?.map(({ uid }) => uid),
        [made.metadata?.uid],
      );
      await until(async () => (await launcher.look(handle)).state === 'gone');
      assert.equal(job.ended, 'succeeded');
      const seen = JSON.stringify([made, handle, await podsOf(handle.uid)]);
      assert.equal(seen.includes(job.token) || seen.includes(password), false);
    });

    test('launched twice it is one Job, and another life of the launcher finds it and can cancel it', async (context) => {
      const { launcher, open, order, atWork, until } = await rigOf(context);
      const { job, order: wanted } = order('wait', 'twice');
      const before = kubelet.started;
      const [first, second] = await Promise.all([launcher.launch(wanted), launcher.launch(wanted)]);
      assert.deepEqual(first.handle, second.handle);
      await atWork(job);
      const next = open();
      assert.deepEqual((await next.launch(wanted)).handle, first.handle);
      assert.deepEqual(await next.look(first.handle), { state: 'running' });
      // A job that has much to do may not answer in time; it is asked again.
      const how = { timeoutMs: 1000, isForced: false };
      await until(async () => (await next.interrupt(first.handle, how)).state === 'gone');
      assert.equal(job.failure?.reason, 'Cancelled');
      assert.equal(kubelet.started, before + 1);
    });

    test('each life names the same scope, and says nothing of Jobs of other namespaces', async (context) => {
      const { launcher, open } = await rigOf(context);
      const other = await rigOf(context, { namespace: 'default' });
      const scope = await launcher.scope();
      assert.equal(await open().scope(), scope);
      assert.notEqual(await other.launcher.scope(), scope);
      const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false };
      const { metadata } = await client.resource(namespaces).get({ name: namespace });
      assert.equal(scope, `${namespace}/${metadata?.uid}`);
      const handle = { namespace, name: 'rackwright-job-x', uid: 'u' };
      assert.equal((await launcher.look(handle)).state, 'gone');
      assert.equal((await other.launcher.look(handle)).state, 'unknown');
      await assert.rejects(open({ namespace: 'nowhere' }).scope(), /the namespace nowhere of Jobs cannot be read/);
    });

    test('a job that is deaf goes with its Job when it is forced to', async (context) => {
      const { launcher, order, until } = await rigOf(context);
      const { job, order: wanted } = order('hang', 'deaf');
      const { handle } = await launcher.launch(wanted);
      await until(() => job.isCancelUnsafe);
      assert.deepEqual(await launcher.interrupt(handle, { timeoutMs: 1, isForced: false }), { state: 'running' });
      assert.equal((await launcher.interrupt(handle, { timeoutMs: 1, isForced: true })).state, 'gone');
    });

    test('a pod that failed is seen, with what it ended with', async (context) => {
      const { launcher, order, until } = await rigOf(context);
      const { job, order: wanted } = order('die', 'dies');
      const { handle } = await launcher.launch(wanted);
      let why = '';
      await until(async () => {
        const sight = await launcher.look(handle);
        if (sight.state === 'gone') why = sight.why;
        return sight.state === 'gone';
      });
      assert.match(why, /ended with 7/);
      assert.equal(job.ended, undefined);
    });

    test('a Job of an earlier lease goes before the next one is made', async (context) => {
      const { launcher, order, atWork, until } = await rigOf(context);
      const earlier = order('wait', 'again');
      const first = await launcher.launch(earlier.order);
      await atWork(earlier.job);
      const later = order('succeed', 'again');
      const token = 'a-token-of-the-next-lease';
      Object.assign(later.job, { token });
      const second = await launcher.launch({ ...later.order, token });
      assert.notEqual(first.handle.uid, second.handle.uid);
      assert.equal((await launcher.look(first.handle)).state, 'gone');
      await until(() => later.job.ended === 'succeeded');
      await assert.rejects(launcher.launch(earlier.order), /is of a newer lease/);
    });

    test('an image that cannot be run is said at once', async (context) => {
      const { launcher, order, until } = await rigOf(context, { image: 'registry.example/other:1' });
      const { handle } = await launcher.launch(order('succeed', 'no-image').order);
      await until(async () => (await launcher.look(handle)).state === 'gone');
      const sight = await launcher.look(handle);
      assert.match(sight.state === 'gone' ? sight.why : '', /cannot begin: InvalidImageName/);
    });

    const isThere = async (name: unknown): Promise<boolean> =>
      await client
        .resource<Job>(refs.jobs)
        .get({ namespace, name: String(name) })
        .then(
          () => true,
          (error: unknown) => !isNotFound(error),
        );

    test('a Job that cannot begin is buried, and one that ended stays for its time', async (context) => {
      const { launcher, open, order, until } = await rigOf(context);
      const other = open({ image: 'registry.example/other:1' });
      const { handle } = await other.launch(order('succeed', 'unborn').order);
      await until(async () => (await other.look(handle)).state === 'gone');
      await other.bury?.(handle);
      await until(async () => !(await isThere(handle.name)));
      const ended = await launcher.launch(order('succeed', 'ended').order);
      const { name, uid } = ended.handle;
      await until(async () => {
        const { status } = await client.resource<Job>(refs.jobs).get({ namespace, name: String(name) });
        return status?.conditions?.some(({ type }) => type === 'Complete') === true;
      });
      await launcher.bury?.({ namespace, name: String(name), uid: String(uid) });
      assert.equal(await isThere(name), true);
    });

    test('no Job is left without its Secret, whatever goes wrong', async (context) => {
      const noPassword = async () => assert.fail('the password cannot be read');
      const { order, open, until } = await rigOf(context);
      await assert.rejects(open({ bmcOf: noPassword }).launch(order('succeed', 'no-password').order), /password/);
      assert.equal(await isThere('rackwright-job-no-password'), false);
      const away = async () => assert.fail('Secrets cannot be made');
      const deaf = {
        ...client,
        resource: (ref: Parameters<KubeClient['resource']>[0]) =>
          Object.assign(Object.create(client.resource(ref)), ref.resource === 'secrets' ? { create: away } : {}),
      } as KubeClient;
      await assert.rejects(
        open({ client: deaf }).launch(order('succeed', 'no-secret').order),
        /Secrets cannot be made/,
      );
      await until(async () => !(await isThere('rackwright-job-no-secret')));
    });

    test('a Job that was left without its Secret is swept once it is old, and no other', async (context) => {
      const { launcher, open, order, atWork, until } = await rigOf(context);
      const { job, order: wanted } = order('wait', 'kept');
      const { handle } = await launcher.launch(wanted);
      await atWork(job);
      const orphan = jobOf(order('wait', 'orphan').order, { namespace, image, words: [], taskPort: 1, ttlSeconds: 1 });
      await client.resource(refs.jobs).create(orphan as Job);
      await launcher.sweep?.([]);
      assert.equal(await isThere(orphan.metadata?.name), true, 'somebody may be about to make its Secret');
      const later = open({ clock: { ...systemClock, now: () => Date.now() + 3_600_000 } });
      await later.sweep?.([]);
      await until(async () => !(await isThere(orphan.metadata?.name)));
      assert.deepEqual(await launcher.look(handle), { state: 'running' });
      await launcher.interrupt(handle, { timeoutMs: 1, isForced: true });
    });

    test('the rights that the documentation names are enough', async (context) => {
      const subject = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'the-update-service' };
      const role = documentedRole();
      const ref = (kind: string, resource: string) => ({
        ...{ group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true },
        ...{ kind, resource },
      });
      const metadata = { name: role.metadata.name, namespace };
      await client.resource<KubeObject>(ref('Role', 'roles')).create({ ...role, metadata } as KubeObject);
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role.metadata.name };
      const binding = { apiVersion: role.apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects: [subject] };
      await client.resource<KubeObject>(ref('RoleBinding', 'rolebindings')).create(binding as KubeObject);
      const limited = await createClient(await connect(), { impersonate: { user: subject.name } });
      context.after(() => limited.close());
      const { open, order, until } = await rigOf(context);
      const launcher = open({ client: limited });
      // Servers take a moment to know of a new binding.
      await until(() =>
        limited
          .resource(refs.pods)
          .list({ namespace })
          .then(
            () => true,
            (error: unknown) => !isForbidden(error),
          ),
      );
      assert.equal(await launcher.scope(), await open().scope());
      await launcher.sweep?.([]);
      const { job, order: wanted } = order('hang', 'limited');
      const { handle } = await launcher.launch(wanted);
      await until(() => job.isCancelUnsafe);
      assert.equal((await launcher.interrupt(handle, { timeoutMs: 1, isForced: true })).state, 'gone');
      await launcher.bury?.(handle);
    });

    test('a template that makes no Job is refused with the reason of the cluster', async (context) => {
      const { launcher, order } = await rigOf(context, {
        template: { spec: { template: { spec: { restartPolicy: 'Always' } } } },
      });
      await assert.rejects(launcher.launch(order('succeed', 'bad').order), /restartPolicy/);
    });
  });
}

/** The Role that the page of strategies gives for this launcher. */
function documentedRole(): { readonly apiVersion: string; readonly metadata: { readonly name: string } } {
  const page = readFileSync(join(import.meta.dirname, '../../docs/strategies.md'), 'utf8');
  const [, text = assert.fail('the page has no Role')] = /```yaml\n(kind: Role\n[^`]*)```/.exec(page) ?? [];
  return parse(text);
}

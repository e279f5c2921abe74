/**
 * Commands of pages that need a cluster, PostgreSQL and NATS, typed into bash as the pages have them, on real ones. No pod
 * runs here, so what a page runs in one is typed with the kubeconfig of the cluster. Ports come from the environment.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { loadCredentialKeys } from '../../../src/serverservice/index.ts';
import { blocksFor, textOf } from '../../docs/pages.ts';
import { typePages } from '../../docs/type-pages.ts';
import { type Desk, type StayingCommand, startLines, typeForCode, typeLines } from '../../docs/typed-commands.ts';
import { createCertificateAuthority } from '../certificate-authority.ts';
import { freePortRange } from '../free-ports.ts';
import { until } from '../ironic/until.ts';
import { whyNoRealKube } from '../kube/binaries.ts';
import { type RealKube, startRealKube } from '../kube/real-kube.ts';
import { type RealNats, startNats } from '../nats/real-nats.ts';
import { type RealPostgres, startPostgres } from '../postgres/real-postgres.ts';
import { shellPrograms } from '../shells/programs.ts';

const skip = whyNoRealKube();
const root = join(import.meta.dirname, '..', '..', '..');
const issuer = 'https://issuer.example';

describe('commands for a cluster', { ...(skip === undefined ? {} : { skip }) }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-docs-'));
  const at = (...names: string[]) => join(folder, ...names);
  const staying = new Set<StayingCommand>();
  /** Where services say that they listen, by the command that started them. */
  const urls = new Map<string, string>();
  let kube: RealKube;
  let postgres: RealPostgres;
  let nats: RealNats;
  let keys: Server;
  let desk: Desk;

  before(async () => {
    for (const name of readdirSync(root).filter((each) => !each.startsWith('.')))
      symlinkSync(join(root, name), at(name));
    for (const name of ['.kube', 'etc', 'firmware']) mkdirSync(at(name));
    const user = { name: 'rackwright', password: 'of-this-run-only' };
    // One after the other: where one does not start, those before it are stopped.
    kube = await startRealKube({ dataDir: at('kube'), port: await freePortRange(4) });
    postgres = await startPostgres();
    nats = await startNats({ dataDir: at('nats'), port: await freePortRange(1), user });
    cpSync(kube.kubeconfigPath, at('.kube', 'config'));
    writeFileSync(at('etc', 'database-url'), `${postgres.url}\n`, { mode: 0o600 });
    writeFileSync(at('etc', 'nats-url'), `${nats.url}\n`, { mode: 0o600 });
    writeFileSync(at('jwt.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
    writeFileSync(at('boot-token'), `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
    writeFileSync(at('token'), kube.adminToken, { mode: 0o600 });
    await writeCertificates();
    keys = await serveKeys();
    const env = {
      ...{ RACKWRIGHT_PORT: '0', RACKWRIGHT_REST_PORT: '0', RACKWRIGHT_AGENT_PORT: '0' },
      // As if the machine trusted the authority.
      NODE_EXTRA_CA_CERTS: at('ca.pem'),
    };
    desk = { folder, env, programs: { ...(await shellPrograms()), kubectl: kube.kubectl } };
  });
  after(async () => {
    for (const each of staying) await each.stop();
    keys?.close();
    await Promise.all([kube?.stop(), nats?.stop(), postgres?.stop()]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function writeCertificates(): Promise<void> {
    const authority = await createCertificateAuthority('docs-test');
    const { certPem, keyPem } = await authority.issueServer('services');
    for (const name of ['ca.pem', 'bmc-ca.pem']) writeFileSync(at(name), authority.certPem);
    writeFileSync(at('tls.crt'), certPem);
    writeFileSync(at('tls.key'), keyPem, { mode: 0o600 });
  }

  /** An issuer of tokens: serves its keys, and has issued one to a flasher. */
  async function serveKeys(): Promise<Server> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const scope = 'update:worker read:server read:server:credentials read:firmware-set';
    const token = new SignJWT({ scope, iss: issuer, aud: 'rackwright' }).setProtectedHeader({
      alg: 'ES256',
      kid: 'one',
    });
    const signed = await token.setSubject('flasher').setIssuedAt().setExpirationTime('1h').sign(privateKey);
    writeFileSync(at('flasher.token'), signed, { mode: 0o600 });
    const set = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] });
    const server = createServer((_, answer) => answer.setHeader('content-type', 'application/json').end(set));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return server;
  }

  const keysUrl = () => `http://127.0.0.1:${(keys.address() as AddressInfo).port}/keys`;

  /** Starts what stays, waits until it is ready, and lets it run. */
  async function start(lines: string, ready = '"msg":"ready"'): Promise<StayingCommand> {
    const started = startLines(desk, lines);
    staying.add(started);
    await started.until(ready);
    return started;
  }

  /** Starts a service whose name is the second word, and keeps where it listens. */
  async function startService(lines: string): Promise<void> {
    const started = await start(lines);
    const line =
      started
        .printed()
        .split('\n')
        .find((each) => each.includes('"msg":"ready"')) ?? '';
    const { url } = JSON.parse(line) as { url: string };
    const name = /^rackwright (\S+)/m.exec(lines)?.[1] ?? '';
    urls.set(name, url.replace('0.0.0.0', '127.0.0.1'));
    const asked = await typeLines(desk, `curl --silent --show-error --fail --cacert ca.pem ${urls.get(name)}/livez`);
    assert.match(asked, /ok/);
  }

  /** Types something again until it ends well: what a server was told just now, it may say a moment later. */
  async function untilDone(what: string, type: () => ReturnType<typeof typeForCode>): Promise<void> {
    let said = '';
    await until({
      what,
      timeoutMs: 120_000,
      async look() {
        const { code, printed } = await type();
        said = printed;
        return code === 0 || undefined;
      },
      detail: () => said,
    });
  }

  async function stopAll(): Promise<void> {
    for (const each of staying) assert.equal(await each.stop(), 0, each.printed());
    staying.clear();
  }

  const etc = () => ({ '/etc/rackwright/': `${at('etc')}/` });
  const urlOf = (name: string) => urls.get(name) ?? assert.fail(`${name} does not run`);
  const service = { differences: () => ({ ...etc(), [`${issuer}/keys`]: keysUrl() }), type: startService };

  typePages(blocksFor(import.meta.filename), {
    'npm start -- --kubeconfig ~/.kube/config': {
      // npm itself ends by Ctrl-C; what it started ends well.
      type: async (lines) => void (await upBesideCluster(lines)),
    },
    'rackwright up --kubeconfig ~/.kube/config': {
      type: async (lines) => assert.equal(await upBesideCluster(lines), 0),
    },
    'kubectl create serviceaccount ann': {
      type: async (lines) => void (await typeLines(desk, `kubectl create namespace lab\n${lines}`)),
    },
    'kubectl create clusterrolebinding ann-views': { type: async (lines) => void (await typeLines(desk, lines)) },
    'kubectl create rolebinding ann-uses': {
      type: async (lines) => {
        await typeLines(desk, lines);
        const may = (namespace: string) =>
          typeForCode(desk, `kubectl auth can-i patch bmh -n ${namespace} --as system:serviceaccount:default:ann`);
        await untilDone('ann may use hosts of the lab', () => may('lab'));
        assert.equal((await may('default')).code, 1);
      },
    },
    'kubectl create token ann': {
      type: async (lines) => assert.match(await typeLines(desk, lines), /^[\w-]+\.[\w-]+\.[\w-]+\n?$/),
    },
    'rackwright controllers --provisioner agent': {
      differences: () => ({
        '--kubeconfig FILE': `--kubeconfig ${kube.kubeconfigPath}`,
        '--database-url-file FILE': `--database-url-file ${at('etc', 'database-url')}`,
        '--agent-token-file FILE': `--agent-token-file ${at('boot-token')}`,
        '--tls-cert FILE': '--tls-cert tls.crt',
        '--tls-key FILE': '--tls-key tls.key',
      }),
      type: async (lines) => {
        await startService(lines);
        await stopAll();
      },
    },
    'kubectl patch bmhd rack1': {
      type: async (lines) => {
        const shown = /^```yaml\n(.*?kind: BareMetalHostDiscovery.*?)^```$/ms.exec(textOf('docs/discovery.md'))?.[1];
        writeFileSync(at('discovery.yaml'), shown ?? assert.fail());
        await typeLines(desk, 'kubectl create namespace fleet\nkubectl apply -f discovery.yaml');
        await typeLines(desk, lines);
        assert.equal(await typeLines(desk, 'kubectl get bmhd rack1 -n fleet -o jsonpath={.spec.paused}'), 'true');
      },
    },
    'rackwright serverservice': service,
    'rackwright conditionorc --host 0.0.0.0': service,
    'rackwright flasher --facility ams1': service,
    'rackwright flasher --facility fra1': {
      differences: () => ({
        'https://orc:7444': urlOf('conditionorc'),
        'https://inventory:7445': urlOf('serverservice'),
      }),
      type: async (lines) => {
        await startService(lines);
        const ask = `curl --silent --fail ${urlOf('flasher')}/readyz`;
        await untilDone('the flasher is ready', () => typeForCode(desk, ask));
        await stopAll();
      },
    },
    'rackwright conditionorc --jwt-issuer lab': {
      type: async (lines) => {
        await startService(lines);
        await stopAll();
      },
    },
    // Where `npm start` has run beside the cluster before.
    'rackwright install --dry-run': { type: async (lines) => installs(lines, { isWritten: false }) },
    "printf '{": {
      type: async (lines) => {
        await typeLines(desk, lines);
        chmodSync(at('credentials.key'), 0o600);
        assert.equal(loadCredentialKeys(at('credentials.key')).length, 1);
      },
    },
    'kubectl create secret generic': {
      type: async (lines) => {
        cpSync(at('etc', 'database-url'), at('database-url'));
        cpSync(at('ca.pem'), at('ca.crt'));
        const shown = /^```yaml\n(catalogs:\n.*?)^```$/ms.exec(textOf('docs/catalogs.md'))?.[1];
        writeFileSync(at('catalogs.yaml'), shown ?? assert.fail());
        await typeLines(desk, lines);
      },
    },
    'rackwright install --set database': {
      type: async (lines) => {
        await installs(lines, { isWritten: true });
        const ready =
          'kubectl get deployment rackwright-update-service rackwright-firmware --namespace rackwright-system';
        assert.match(await typeLines(desk, ready), /^rackwright-update-service /m);
      },
    },
    'rackwright install --set': { type: async (lines) => installs(lines, { isWritten: true }) },
    'kubectl delete --all-namespaces': {
      type: async (lines) => {
        await typeLines(desk, lines);
        assert.equal(await count('deployment,validatingwebhookconfiguration,clusterrole,namespace'), 0);
        assert.ok((await count('customresourcedefinition')) > 20, 'the kinds are left');
      },
    },
    'kubectl delete customresourcedefinition': {
      type: async (lines) => {
        await typeLines(desk, lines);
        assert.equal(await count('customresourcedefinition'), 0);
      },
    },
    'rackwright update-service': {
      differences: () => ({
        ...etc(),
        'nats://nats:4222': nats.url,
        'in-cluster': kube.kubeconfigPath,
        '/srv/firmware': at('firmware'),
      }),
      type: async (lines) => {
        await typeLines(desk, 'kubectl apply --server-side -f deploy/crds -f deploy/rbac');
        await startService(lines);
      },
    },
    'rackwright controllers --facility ams1': {
      differences: () => ({
        ...etc(),
        'nats://nats:4222': nats.url,
        'in-cluster': kube.kubeconfigPath,
        'https://update-service:7447': urlOf('update-service'),
      }),
      type: async (lines) => {
        await startService(lines);
        await stopAll();
      },
    },
  });

  /** Starts everything beside the cluster, looks whether the kinds are there, stops it, and gives its exit code. */
  async function upBesideCluster(lines: string): Promise<number | null> {
    // The store that all others here work on, too, since one store owns the fleet of a cluster.
    const store = `export RACKWRIGHT_DATABASE_URL_FILE=${at('etc', 'database-url')}`;
    const up = await start(`${store}\n${lines}`, 'Ctrl-C stops it');
    const kinds = await typeLines(desk, 'kubectl get crd -o name');
    assert.match(kinds, /^customresourcedefinition\S+\/baremetalhosts\.metal3\.io$/m);
    staying.delete(up);
    const code = await up.stop();
    assert.match(up.printed(), /^Stopped\.$/m);
    return code;
  }

  /** How many objects of kinds have the label that all of ours have. */
  async function count(kinds: string): Promise<number> {
    const words = '--all-namespaces --selector app.kubernetes.io/part-of=rackwright -o name --ignore-not-found';
    return (await typeLines(desk, `kubectl get ${kinds} ${words}`)).split('\n').filter((line) => line !== '').length;
  }

  async function installs(lines: string, { isWritten }: { readonly isWritten: boolean }): Promise<void> {
    const printed = await typeLines({ ...desk, env: { ...desk.env, KUBECONFIG: kube.kubeconfigPath } }, lines);
    assert.match(printed, /rackwright-webhooks/);
    assert.equal((await count('deployment')) > 0, isWritten);
  }
});

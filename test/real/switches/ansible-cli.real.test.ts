import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/kube/index.ts';
import {
  type AnsibleRunner,
  cleanSettings,
  createAnsibleRunner,
  createMemoryHostKeys,
  openAnsibleSwitch,
  type PortSettings,
  type SwitchDevice,
} from '../../../src/switches/index.ts';
import { freePortRange } from '../free-ports.ts';
import { until } from '../ironic/until.ts';
import { type StartedProcess, startProcess } from '../processes.ts';
import { switchPrograms, whyNoRealSwitches } from './programs.ts';
import { answers } from './real-ssh.ts';

const deny = {
  family: 'ipv4',
  action: 'deny',
  protocol: 'tcp',
  source: '192.0.2.0/24',
  sourcePorts: [],
  destinationPorts: [{ first: 22, last: 30 }],
} as const;
const allow = { family: 'ipv6', action: 'allow', protocol: 'all', sourcePorts: [], destinationPorts: [] } as const;
const trunk: PortSettings = {
  isDisabled: false,
  untaggedVlan: 99,
  taggedVlans: [{ first: 20, last: 22 }],
  acl: [deny, allow],
};

// Ansible's own modules of arista.eos and cisco.nxos talk to small command lines like those of EOS and NX-OS.
for (const os of ['eos', 'nxos'] as const) describeSystem(os);

function describeSystem(os: 'eos' | 'nxos'): void {
  describe(`an emulated ${os} by Ansible`, { skip: whyNoRealSwitches() ?? false, timeout: 1_200_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), `${os}-`));
    let runner: AnsibleRunner;
    let server: StartedProcess;
    let port: number;
    before(async () => {
      const programs = await switchPrograms('ansible');
      const python = join(programs, 'venv', 'bin', 'python');
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', join(folder, 'key')]);
      writeFileSync(join(folder, 'password'), 'a {{ word }}\n', { mode: 0o600 });
      port = await freePortRange(1);
      server = startProcess({
        name: `fake-${os}`,
        file: python,
        args: [
          join(import.meta.dirname, 'fake-cli.py'),
          os,
          String(port),
          join(folder, 'key'),
          'admin',
          join(folder, 'password'),
          'Ethernet1',
          'Ethernet2',
        ],
        logPath: join(folder, `${os}.log`),
      });
      await until({
        what: 'the emulated switch',
        timeoutMs: 60_000,
        look: async () => (await answers(port)) || undefined,
        detail: () => server.tail(),
      });
      runner = createAnsibleRunner({ python, collections: [join(programs, 'collections')] });
    });
    after(async () => {
      await runner?.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const open = (
      password = 'a {{ word }}',
      hostKey = readFileSync(join(folder, 'key.pub'), 'utf8').trim(),
    ): SwitchDevice =>
      openAnsibleSwitch({
        clock: systemClock,
        runner,
        object: { namespace: 'default', name: 'leaf' },
        hostKeys: createMemoryHostKeys(),
        spec: { os, ip: '127.0.0.1', port, hostKey, credentialsSecret: { name: 'login' } },
        credentials: { username: 'admin', password },
      });

    it('sets a trunk with an access list, reads it back, and cleans the port', async () => {
      const device = open();
      const set = (await device.apply([{ port: 'Ethernet1', wanted: trunk }])).get('Ethernet1');
      assert.equal(set?.kind, 'done', JSON.stringify(set));
      const cleared = (await device.clear([{ port: 'Ethernet1', parkingVlan: 999 }])).get('Ethernet1');
      assert.deepEqual(cleared, {
        kind: 'done',
        value: { port: 'Ethernet1', ...cleanSettings(999), unread: [], strays: [] },
      });
    });

    it('sets an access port and shuts it down, and cleans it without a parking VLAN', async () => {
      const device = open();
      const wanted = { isDisabled: true, untaggedVlan: 10, taggedVlans: [], acl: [deny] };
      const set = (await device.apply([{ port: 'Ethernet2', wanted }])).get('Ethernet2');
      assert.equal(set?.kind, 'done', JSON.stringify(set));
      const cleared = (await device.clear([{ port: 'Ethernet2' }])).get('Ethernet2');
      assert.deepEqual(cleared, {
        kind: 'done',
        value: { port: 'Ethernet2', ...cleanSettings(), unread: [], strays: [] },
      });
    });

    const itOnEos = os === 'eos' ? it : () => undefined;
    itOnEos('hears who is plugged in', async () => {
      const heard = await open().readNeighbours();
      assert.deepEqual(heard, {
        kind: 'done',
        value: [{ port: 'Ethernet1', chassisId: '52:54:00:aa:00:01', portId: 'eno1', systemName: 'h1' }],
      });
    });

    it('says that a port is missing, a password wrong, and a host key another one', async () => {
      assert.equal((await open().readPorts(['Ethernet77'])).get('Ethernet77')?.kind, 'no-port');
      const denied = await open('wrong').verify();
      assert.equal(denied.kind, 'denied', JSON.stringify(denied));
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'other')]);
      const untrusted = await open(undefined, readFileSync(join(folder, 'other.pub'), 'utf8').trim()).verify();
      assert.equal(untrusted.kind, 'untrusted', JSON.stringify(untrusted));
    });
  });
}

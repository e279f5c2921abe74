import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Provisioner, ReachedHost, Registration } from '../provisioner.ts';
import { createDrive, type Drive } from './drive.ts';
import type { ContractSubject } from './subject.ts';

/** Which parts of the contract an implementation can be held to. */
export interface ContractOptions {
  readonly name: string;
  connect(): Promise<ContractSubject>;
  /** Needs `wrongCredentials`. */
  readonly canRefuseCredentials: boolean;
  /** Needs `changePassword`. */
  readonly canChangePassword: boolean;
  readonly canRestart: boolean;
  readonly canUpdateFirmware: boolean;
  /** Whether its host has a virtual drive that anything can be put into. */
  readonly hasVirtualDrive?: boolean;
  /** False where nobody can switch a host or see whether it is on; true unless given. */
  readonly canSwitchPower?: boolean;
  /** False where BIOS settings are out of reach, and are refused; true unless given. */
  readonly canChangeSettings?: boolean;
}

const registration: Registration = {
  isRetry: false,
  haveCredentialsChanged: false,
  bootMode: 'UEFI',
  cleaningMode: 'disabled',
  isExternallyProvisioned: false,
};

/** What every provisioner promises, tried on one host from its registration to its end. */
export function describeProvisionerContract(options: ContractOptions): void {
  const { canSwitchPower = true, canChangeSettings = true } = options;
  describe(`the provisioner contract on ${options.name}`, { concurrency: false }, () => {
    let subject: ContractSubject;
    let drive: Drive;
    let host: ReachedHost;
    before(async () => {
      subject = await options.connect();
      drive = createDrive((afterMs) => subject.pause(afterMs));
      host = subject.host;
    });
    after(() => subject?.close());

    const at = (): Provisioner => subject.provisioners.of(host);
    const order = (): Registration => ({
      ...registration,
      bootMode: subject.deployment.bootMode,
      inspectionMode: subject.inspectionMode,
    });
    const register = (more: Partial<Registration> = {}) => drive.done(() => at().register({ ...order(), ...more }));
    const setPower = (target: 'on' | 'off', mode: 'hard' | 'soft' = 'hard') =>
      drive.done(() => at().setPower({ target, mode, isForced: false, isRetry: false }));
    const isPoweredOn = async () => {
      const seen = await drive.done(() => at().look());
      const past = await subject.look?.isPoweredOn();
      if (past !== undefined) assert.equal(seen.isPoweredOn, past, 'the BMC says something else');
      return seen.isPoweredOn;
    };

    /** A setting that may be changed, and another value for it. */
    const chooseSetting = async (): Promise<{ readonly name: string; readonly value: string }> => {
      const seen = await drive.done(() => at().readFirmwareSettings());
      const found = Object.entries(seen.schema).find(
        ([name, each]) =>
          (subject.biosSetting === undefined || name === subject.biosSetting) &&
          each.read_only !== true &&
          (each.allowable_values?.length ?? 0) > 1,
      );
      assert.ok(found, 'there is no setting to change');
      const [name, { allowable_values }] = found;
      const value = allowable_values?.find((each) => each !== seen.settings[name]);
      assert.ok(value !== undefined);
      return { name, value };
    };
    const checkSetting = async ({ name, value }: { readonly name: string; readonly value: string }) => {
      const seen = await drive.done(() => at().readFirmwareSettings());
      assert.equal(seen.settings[name], value);
      if (subject.look !== undefined) assert.equal(await subject.look.bios(name), value);
    };

    it('does not know a host that was not registered, and says so', async () => {
      assert.deepEqual(await at().look(), { kind: 'unregistered' });
      assert.deepEqual(await at().prepare({ isRetry: false, isWanted: true }), { kind: 'unregistered' });
      assert.equal((await at().remove()).kind, 'done');
    });

    if (options.canRefuseCredentials) {
      it('does not register a host with credentials that its BMC refuses, and says why, until they are right', async () => {
        const bmc = { ...subject.host.bmc, credentials: subject.wrongCredentials };
        host = { ...subject.host, bmc };
        const refused = await drive.until(() => at().register(order()));
        assert.equal(refused.kind, 'failed');
        assert.doesNotMatch(JSON.stringify(refused), new RegExp(subject.wrongCredentials?.password ?? '-'));
        assert.equal((await at().register(order())).kind, 'failed', 'it is the same as long as nothing changes');
        host = subject.host;
        await drive.done(({ hasStarted }) => at().register({ ...order(), haveCredentialsChanged: !hasStarted }));
      });
    }

    it('registers a host, and says the same id whenever it is asked', async () => {
      const { id } = await register();
      assert.notEqual(id, '');
      assert.equal((await register()).id, id);
      host = { ...host, id };
      assert.deepEqual(await at().register(order()), { kind: 'done', value: { id } });
    });

    it('inspects a host, and can tell again what it found', async () => {
      const look = { isRetry: false, isForced: false, bootMode: subject.deployment.bootMode };
      const details = await drive.done(({ hasStarted }) => at().inspect({ ...look, isRefresh: !hasStarted }));
      assert.equal(details.ramMebibytes, subject.expected.ramMebibytes);
      assert.equal(details.cpu?.count, subject.expected.cpus);
      const macs = new Set((details.nics ?? []).map((nic) => nic.mac?.toLowerCase()));
      for (const mac of subject.expected.macs) assert.ok(macs.has(mac), `${mac} was not found`);
      assert.deepEqual(await drive.done(() => at().readInventory()), details);
    });

    if (canChangeSettings) {
      it('prepares a host with another BIOS setting, and makes it available', async () => {
        const setting = await chooseSetting();
        const settings = { [setting.name]: setting.value };
        await drive.done(({ hasStarted }) => at().prepare({ isRetry: false, isWanted: !hasStarted, settings }));
        await checkSetting(setting);
        const again = await at().prepare({ isRetry: false, isWanted: false });
        assert.equal(again.kind, 'done', 'what is prepared stays so');
      });
    } else {
      it('refuses BIOS settings in words, and makes a host available without any', async () => {
        const order = { isRetry: false, isWanted: true };
        const refused = await at().prepare({ ...order, settings: { NumLock: 'Off' } });
        assert.match(refused.kind === 'failed' ? refused.message : refused.kind, /BIOS/);
        await drive.done(() => at().prepare({ ...order, settings: {} }));
      });
    }

    it('has room for one host', async () => {
      assert.equal(await drive.done(() => subject.provisioners.hasCapacity(host)), true);
    });

    if (canSwitchPower) {
      it('switches a host on and off', async () => {
        await setPower('on');
        assert.equal(await isPoweredOn(), true);
        const on = { target: 'on', mode: 'hard', isForced: false, isRetry: false } as const;
        assert.equal((await at().setPower(on)).kind, 'done');
        await setPower('off', 'soft');
        assert.equal(await isPoweredOn(), false);
      });
    } else {
      it('says in words that it cannot switch a host', async () => {
        for (const target of ['off', 'reboot'] as const) {
          const refused = await at().setPower({ target, mode: 'hard', isForced: false, isRetry: false });
          assert.match(refused.kind === 'failed' ? refused.message : refused.kind, /BMC/);
        }
      });
    }

    it('leaves a host alone that we work on past it', async () => {
      await drive.done(() => at().setMaintenance('a new BIOS is being written'));
      const refused = await at().setPower({ target: 'on', mode: 'hard', isForced: false, isRetry: false });
      assert.equal(refused.kind, 'busy');
      const provision = { isRetry: false, isForced: false, deployment: subject.deployment, config: {} };
      assert.equal((await at().provision(provision)).kind, 'busy');
      assert.equal((await at().register(order())).kind, 'done', 'it can still be reached');
      await drive.done(() => at().setMaintenance(undefined));
      if (canSwitchPower) assert.equal(await isPoweredOn(), false);
    });

    it('provisions a host', async () => {
      const provision = {
        isRetry: false,
        isForced: false,
        deployment: subject.deployment,
        config: subject.config ?? {},
      };
      await drive.done(() => at().provision(provision));
      if (canSwitchPower) assert.equal(await isPoweredOn(), true);
      assert.equal((await at().provision(provision)).kind, 'done', 'what is provisioned stays so');
    });

    if (options.hasVirtualDrive === true) {
      it('puts an image into the virtual drive of a host, and takes it out', async () => {
        const order = { isRetry: false, url: 'http://files/data.iso' };
        await drive.done(() => at().attachDataImage(order));
        assert.equal((await at().attachDataImage(order)).kind, 'done', 'what is attached stays so');
        await drive.done(() => at().detachDataImage({ isRetry: false }));
        assert.equal((await at().detachDataImage({ isRetry: false })).kind, 'done', 'an empty drive stays so');
      });
    }

    if (canChangeSettings) {
      it('changes a BIOS setting of a host in use', async () => {
        const setting = await chooseSetting();
        const service = { ticket: 'settings', isSpecified: true, settings: { [setting.name]: setting.value } };
        const serviced = await drive.done(() => at().service(service));
        assert.deepEqual(serviced, { settings: service.settings, updates: [] });
        await checkSetting(setting);
        assert.equal((await at().service(service)).kind, 'done', 'one attempt is made once');
        assert.equal((await at().register(order())).kind, 'done');
        if (canSwitchPower) assert.equal(await isPoweredOn(), true, 'what was done leaves it on');
      });

      it('gives up what nobody wants any more, and calls nothing of it done', async () => {
        const setting = await chooseSetting();
        const service = { ticket: 'given up', isSpecified: true, settings: { [setting.name]: setting.value } };
        await at().service(service);
        await drive.done(() => at().service({ ticket: 'given up', isSpecified: false }));
        await drive.done(() => at().adopt({ isRetry: false, deployment: subject.deployment }));
        await drive.done(() => at().service({ ticket: 'nothing', isSpecified: true }));
        // It may have been shut down for what was given up: who asked for that switches it on again.
        if (canSwitchPower) await setPower('on');
      });
    } else {
      it('refuses to change a host in use in words, and to change nothing is done', async () => {
        const refused = await at().service({ ticket: 'settings', isSpecified: true, settings: { NumLock: 'Off' } });
        assert.match(refused.kind === 'failed' ? refused.message : refused.kind, /BIOS/);
        await drive.done(() => at().service({ ticket: 'settings', isSpecified: false }));
        await drive.done(() => at().service({ ticket: 'nothing', isSpecified: true }));
      });
    }

    if (options.canUpdateFirmware) {
      it('updates the firmware of a host in use', async () => {
        const { update } = subject;
        assert.ok(update);
        const wanted = { component: update.component, url: update.url };
        const service = { ticket: 'firmware', isSpecified: true, updates: [wanted] };
        assert.deepEqual(await drive.done(() => at().service(service)), { settings: {}, updates: [wanted] });
        const components = await drive.done(() => at().readFirmwareComponents());
        assert.equal(components.find((each) => each.component === update.component)?.currentVersion, update.version);
        const givenUp = { ticket: 'firmware', isSpecified: false };
        const made = { settings: {}, updates: [wanted] };
        assert.deepEqual(await drive.done(() => at().service(givenUp)), made, 'what was made is told all the same');
      });
    }

    if (options.canRestart) {
      it('goes on where it was when what is behind it was restarted in the middle', async () => {
        const on = { target: 'on', mode: 'hard', isForced: false, isRetry: false } as const;
        // Where the first answer is lost, the host may be on before the second one: then nothing is under way.
        const begun = await drive.repeated(async () => {
          await setPower('off');
          return await drive.taken(() => at().setPower(on));
        }, 'continue');
        assert.equal(begun.kind, 'continue');
        await subject.restart?.();
        await register({ current: subject.deployment });
        await drive.done(({ hasStarted }) => at().setPower({ ...on, isRetry: !hasStarted }));
        assert.equal(await isPoweredOn(), true);
      });
    }

    it('detaches a host as it is, and takes it over again', async () => {
      await drive.done(() => at().detach({ isForced: false }));
      assert.equal(await subject.look?.isPoweredOn(), subject.look === undefined ? undefined : true);
      assert.equal((await at().look()).kind, 'unregistered');
      host = { ...host, id: undefined };
      const { id } = await register({ current: subject.deployment });
      host = { ...host, id };
      await drive.done(() => at().adopt({ isRetry: false, deployment: subject.deployment }));
      assert.equal((await at().adopt({ isRetry: false, deployment: subject.deployment })).kind, 'done');
      const provision = { isRetry: false, isForced: false, deployment: subject.deployment, config: {} };
      assert.equal((await at().provision(provision)).kind, 'done', 'it is provisioned already');
    });

    if (options.canChangePassword) {
      it('goes on with a host whose credentials changed', async () => {
        const password = await subject.changePassword?.();
        assert.ok(password !== undefined);
        const { username = '' } = host.bmc.credentials ?? {};
        host = { ...host, bmc: { ...host.bmc, credentials: { username, password } } };
        await register({ haveCredentialsChanged: true, current: subject.deployment });
        await setPower('off');
        assert.equal(await isPoweredOn(), false);
      });
    }

    it('leaves on a host what is not what was attempted, and says so', async () => {
      const attempted = { image: { url: 'http://files/never-written.qcow2' } };
      const refused = await at().deprovision({ isRetry: false, cleaningMode: 'disabled', attempted });
      assert.deepEqual(refused.kind === 'failed' ? refused.isInUse : refused, true);
      assert.equal((await at().adopt({ isRetry: false, deployment: subject.deployment })).kind, 'done');
    });

    it('deprovisions a host, and makes it available', async () => {
      // A controller that does not know how far it is asks for both each time.
      await drive.done(async () => {
        const adopted = await at().adopt({ isRetry: false, deployment: subject.deployment });
        assert.equal(adopted.kind, 'done');
        return at().deprovision({ isRetry: false, cleaningMode: 'disabled' });
      });
      assert.equal((await at().deprovision({ isRetry: false, cleaningMode: 'disabled' })).kind, 'done');
      assert.equal((await at().prepare({ isRetry: false, isWanted: false })).kind, 'done', 'it is available');
    });

    it('forgets a host that is to be no more, once and for all', async () => {
      await drive.done(() => at().remove());
      assert.equal((await at().remove()).kind, 'done');
      assert.equal((await at().look()).kind, 'unregistered');
    });
  });
}

import { after, before, describe, test } from 'node:test';
import { changeBios } from './bios-step.ts';
import type { HostBench } from './host-bench.ts';
import { openHostDiary } from './host-diary.ts';
import type { HostPlane } from './host-plane.ts';
import { HostStage, type StageParts } from './host-stage.ts';
import { beginWithWrongPassword, refuseTwin, register } from './register-steps.ts';
import { changePassword, loseIronic, mistypePassword } from './trouble-steps.ts';
import { detachAndAttach, leave, provisionWithRestart } from './use-steps.ts';

/** What a suite about the life of hosts runs on. */
export interface HostLife extends Pick<StageParts, 'meeting' | 'outage'> {
  /** Of the API server. */
  readonly name: string;
  /** Where hosts are; suites that share an Ironic need different ones. */
  readonly namespace: string;
  /** Which machines of the bench are used. */
  readonly suite: number;
  readonly bench: () => HostBench;
  start(): Promise<HostPlane>;
}

/** Tells the life of hosts on one API server: every step is taken with all machines side by side. */
export function describeHostLife(life: HostLife): void {
  describe(`BareMetalHosts on ${life.name}`, { concurrency: false }, () => {
    const { namespace, meeting, outage } = life;
    let stage: HostStage | undefined;
    const step = (name: string, play: (stage: HostStage) => Promise<void>): void => {
      test(name, async () => {
        if (stage === undefined) throw new Error('the stage is not set');
        await play(stage);
      });
    };

    before(async () => {
      const { ironic, machinesOf } = life.bench();
      const plane = await life.start();
      const diary = await openHostDiary({ kubeconfig: plane.kubeconfig, namespace });
      const machines = machinesOf(life.suite);
      stage = new HostStage({ namespace, machines, plane, diary, ironic, meeting, outage });
      await stage.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });
    after(async () => {
      meeting.leave();
      await stage?.parts.diary.close();
    });

    step('a host with a wrong password is not registered, and says why', beginWithWrongPassword);
    step('with the right one it is registered, inspected and available, with its companions', register);
    step('a second host with the same BMC is refused', refuseTwin);
    step('another BIOS setting is made while it is available, whoever leads the controllers', changeBios);
    step('it is provisioned, Ironic being restarted in the middle', provisionWithRestart);
    step('it is detached and attached again, and what runs there does not notice', detachAndAttach);
    step('its BMC gets another password, and it is reached by the new one', changePassword);
    step('a password that its BMC refuses is told as an error, until it is right again', mistypePassword);
    step('while Ironic is away nothing is lost or called an error, and then nothing is done twice', loseIronic);
    step('it is deleted, and nobody knows it any more', (on) => leave(on, life.bench().secrets));
  });
}

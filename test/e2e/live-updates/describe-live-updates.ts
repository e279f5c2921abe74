import { after, describe, test } from 'node:test';
import type { Scratch } from '../../real/ironic/scratch.ts';
import { type HostDiary, openHostDiary } from '../hosts/host-diary.ts';
import type { Meeting } from '../hosts/meeting.ts';
import { openInstallService } from './install-service.ts';
import type { LiveBench } from './live-bench.ts';
import type { LiveMachine } from './live-machine.ts';
import { type LivePlane, type PlaneKind, restToken, startLivePlane } from './live-plane.ts';
import { LiveStage } from './live-stage.ts';
import {
  changeSetting,
  deleteMeanwhile,
  failAndGiveUp,
  forbidMeanwhile,
  provision,
  updateWithRestart,
} from './update-steps.ts';

/** What a suite about live updates runs on. */
export interface LiveSuite {
  readonly kind: PlaneKind;
  readonly by: 'ironic' | 'redfish';
  /** Of the API server. */
  readonly name: string;
  /** Which machines of the bench are used. */
  readonly index: number;
  readonly scratch: Scratch;
  readonly bench: () => LiveBench;
  /** Where those who share an Ironic wait for each other before it is restarted. */
  readonly meeting: Meeting;
}

interface Opened {
  readonly namespace: string;
  readonly plane: LivePlane;
  readonly diary: HostDiary;
}

/** Tells live updates of hosts on one API server: the machines go their ways side by side. */
export function describeLiveUpdates(suite: LiveSuite): void {
  const { by, index, bench } = suite;
  describe(`live updates by ${by} on ${suite.name}`, { concurrency: true }, () => {
    let opening: Promise<Opened> | undefined;
    // Opened by the first step of its hosts: a failure is theirs.
    const open = (): Promise<Opened> => {
      opening ??= openPlane(suite);
      return opening;
    };
    after(async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.diary.close();
    });
    const setStage = async (which: number): Promise<LiveStage> =>
      stageOn(suite, await open(), { which, machines: machinesOf(bench(), { by, index }) });
    if (by === 'ironic') describeHost('a host on sushy-tools', suite, () => setStage(0));
    describeHost('a host of the simulator', suite, () => setStage(by === 'ironic' ? 1 : 0));
  });
}

async function openPlane({ kind, by, scratch, bench }: LiveSuite): Promise<Opened> {
  const namespace = `${kind}-${by}`;
  const words = by === 'ironic' ? bench().ironicWords : bench().nativeWords;
  const plane = await bench().inTurn(() => startLivePlane(scratch, { name: namespace, kind, words }));
  const diary = await openHostDiary({ kubeconfig: plane.kubeconfig, namespace });
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await diary.client.request({ method: 'POST', path: '/api/v1/namespaces', body: object });
  return { namespace, plane, diary };
}

function machinesOf(bench: LiveBench, { by, index }: Pick<LiveSuite, 'by' | 'index'>): readonly LiveMachine[] {
  return by === 'ironic' ? bench.ironicMachines(index) : bench.nativeMachines(index);
}

async function stageOn(
  { by, bench, meeting }: LiveSuite,
  { namespace, plane, diary }: Opened,
  { which, machines }: { readonly which: number; readonly machines: readonly LiveMachine[] },
): Promise<LiveStage> {
  const machine = machines[which];
  if (machine === undefined) throw new Error('the machine is not there');
  const { ironic, imageUrl } = bench();
  const shared = { namespace, machine, plane, diary, imageUrl };
  if (by === 'ironic') {
    return new LiveStage({ ...shared, ironic, interrupt: () => meeting.meet(() => ironic.restart()) });
  }
  const install = openInstallService(machine, { rest: plane.rest, token: await restToken(diary.client, namespace) });
  return new LiveStage({ ...shared, install, interrupt: () => plane.killAndStart() });
}

function describeHost(name: string, { by, meeting }: LiveSuite, setStage: () => Promise<LiveStage>): void {
  describe(name, { concurrency: false }, () => {
    let stage: LiveStage | undefined;
    let failed: string | undefined;
    // What follows a step that failed would only wait in vain, and others for it.
    const step = (what: string, play: (stage: LiveStage) => Promise<void>): void => {
      test(what, async () => {
        if (failed !== undefined) throw new Error(`before this, it failed that ${failed}`);
        failed = what;
        stage ??= await setStage();
        await play(stage);
        failed = undefined;
      });
    };
    after(() => (by === 'ironic' ? meeting.leave() : undefined));

    step('it runs something', provision);
    step('a BIOS setting is changed at its reboot: servicing, then OK', changeSetting);
    step('its BIOS is updated at its reboot, what does it being restarted in the middle', updateWithRestart);
    step('an update that fails is told as an error, and given up when nothing is wanted any more', failAndGiveUp);
    step('an update is given up when the policy is deleted in the middle', forbidMeanwhile);
    step('it is deleted in the middle of an update, and nobody knows it any more', deleteMeanwhile);
  });
}

import assert from 'node:assert/strict';
import type { FirmwareSchema, HostFirmwareSettings } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import { until } from '../../real/ironic/until.ts';
import type { BenchMachine } from './host-bench.ts';
import { patienceMs } from './host-diary.ts';
import type { HostStage } from './host-stage.ts';

const metal3 = (resource: string, kind: string) =>
  ({ group: 'metal3.io', version: 'v1alpha1', namespaced: true, resource, kind }) as const;

interface Setting {
  readonly name: string;
  readonly value: string;
}

/** Wants another BIOS setting of hosts that are available; where there is a second process, the first one is killed meanwhile. */
export async function changeBios(stage: HostStage): Promise<void> {
  const changes = new Map<BenchMachine, { readonly mark: number; readonly setting: Setting }>();
  await stage.onEach(async (machine) => {
    const setting = await chooseSetting(stage, machine);
    const mark = stage.mark(machine);
    changes.set(machine, { mark, setting });
    await settingsAt(stage).patch(
      { namespace: stage.parts.namespace, name: machine.name },
      { type: 'merge', body: { spec: { settings: { [setting.name]: setting.value } } } },
    );
    await stage.untilSo(machine, 'preparing', () => stage.states(machine, mark).length > 1);
  });
  await stage.parts.plane.killLeader?.();
  await stage.onEach(async (machine) => {
    const { mark, setting } = changes.get(machine) ?? assert.fail();
    await stage.untilMoved(machine, mark, 'available');
    assert.deepEqual(stage.states(machine, mark), ['available', 'preparing', 'available']);
    assert.deepEqual(stage.errors(machine, mark), []);
    assert.equal(await machine.bios(setting.name), setting.value);
    const { status } = await readSettings(stage, machine);
    assert.equal(status?.settings?.[setting.name], setting.value);
    assert.equal(status?.conditions?.find(({ type }) => type === 'ChangeDetected')?.status, 'False');
    await stage.checkNode(machine, 'available');
  });
}

function settingsAt({ parts }: HostStage) {
  const ref = metal3('hostfirmwaresettings', 'HostFirmwareSettings');
  return parts.diary.client.resource<HostFirmwareSettings & KubeObject>(ref);
}

function readSettings(stage: HostStage, { name }: BenchMachine): Promise<HostFirmwareSettings & KubeObject> {
  return settingsAt(stage).get({ namespace: stage.parts.namespace, name });
}

/** A setting that may be changed, and another value for it, as the schema of the host tells. */
async function chooseSetting(stage: HostStage, machine: BenchMachine): Promise<Setting> {
  const { namespace, diary } = stage.parts;
  const { settings = {}, schema } = await until({
    what: `${machine.name}: the schema of its settings`,
    timeoutMs: patienceMs,
    look: async () => {
      const { status } = await readSettings(stage, machine);
      return status?.schema === undefined ? undefined : status;
    },
  });
  const { spec } = await diary.client
    .resource<FirmwareSchema & KubeObject>(metal3('firmwareschemas', 'FirmwareSchema'))
    .get({ namespace, name: schema?.name ?? '' });
  const [name, { allowable_values: values = [] }] =
    Object.entries(spec?.schema ?? {}).find(
      ([each, { read_only, allowable_values = [] }]) =>
        (machine.biosSetting ?? each) === each && read_only !== true && allowable_values.length > 1,
    ) ?? assert.fail('there is no setting to change');
  const value = values.find((each) => each !== settings[name]);
  return { name, value: value ?? assert.fail(`there is no other value for ${name}`) };
}

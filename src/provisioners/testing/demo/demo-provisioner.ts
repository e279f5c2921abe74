import type { HardwareDetails } from '../../../api/index.ts';
import type { FirmwareComponentSeen, HostIdentity, Outcome, PowerOrder, Provisioner } from '../../provisioner.ts';
import { withoutBmc } from '../../without-bmc.ts';
import type { ArrivedMachine } from './demo-arrivals.ts';
import { demoComponents, demoHardware, demoSchema, demoSettings } from './demo-hardware.ts';
import { applyFirmware, createRecord, type DemoRecord, done } from './demo-record.ts';
import { serviceDemo } from './service-demo.ts';
import { type DemoBehaviour, type StepOrder, takeStep } from './take-step.ts';

/** Where the records of demo hosts are. */
export interface DemoRecords {
  find(host: HostIdentity): DemoRecord | undefined;
  /** One that is there already, and not only to be made up from its id. */
  peek(host: HostIdentity): DemoRecord | undefined;
  add(host: HostIdentity, record: DemoRecord): void;
  remove(host: HostIdentity): void;
  /** The machine that came by itself and that is meant, and whose it is if it is another host's. */
  arrival(host: HostIdentity): { readonly machine: ArrivedMachine; readonly owner: string | undefined } | undefined;
}

const unregistered: Outcome<never> = { kind: 'unregistered' };
const runsAnother: Outcome<never> = {
  kind: 'failed',
  message: 'the host runs something else than was to be written to it, so it is left as it is',
  isInUse: true,
};

/** A demo host: nothing happens but in its record. */
export function demoProvisionerOf(behaviour: DemoBehaviour, records: DemoRecords, host: HostIdentity): Provisioner {
  const withRecord = async <T>(work: (record: DemoRecord) => Outcome<T>): Promise<Outcome<T>> => {
    const record = records.find(host);
    return record === undefined ? unregistered : work(record);
  };
  const hardwareOf = (): HardwareDetails => records.arrival(host)?.machine.hardware ?? demoHardware(host);
  const step = (order: (record: DemoRecord) => StepOrder) =>
    withRecord((record) => takeStep(behaviour, host, record, order(record)));

  return {
    async register(order) {
      const record = records.find(host) ?? recognise(records, host);
      records.add(host, record);
      if (order.current !== undefined || order.isExternallyProvisioned) record.use ??= 'deployed';
      record.image ??= order.current?.image?.url;
      const isKnown = (record.attempts.register ?? 0) > 0 && !order.haveCredentialsChanged;
      const isUnderWay = record.work !== undefined && record.work.step !== 'register';
      // A host that is at something else was registered before.
      if (isUnderWay) return { kind: 'done', value: { id: record.id } };
      const { isRetry } = order;
      const taken = takeStep(behaviour, host, record, {
        step: 'register',
        isRetry,
        isDone: () => isKnown,
        finish() {},
      });
      return taken.kind === 'done' ? { kind: 'done', value: { id: record.id } } : taken;
    },
    async importHost({ isRetry }) {
      const arrival = records.arrival(host);
      if (arrival === undefined) return unregistered;
      const { machine, owner } = arrival;
      if (owner !== undefined) {
        return {
          kind: 'failed',
          message: `the machine ${machine.id} is that of the host ${owner}; delete one of the two`,
        };
      }
      const record = records.peek(host) ?? { ...createRecord(host), id: machine.id };
      records.add(host, record);
      const order = {
        step: 'import',
        isRetry,
        isDone: () => record.isInspected,
        finish: () => takeIn(record),
      } as const;
      const taken = takeStep(behaviour, host, record, order);
      return taken.kind === 'done' ? { kind: 'done', value: { id: record.id } } : taken;
    },
    adopt: async ({ isRetry, deployment }) => {
      const work = records.find(host)?.work;
      // What is on its way back from use is not taken over: that would begin all again.
      if (work !== undefined && work.step !== 'adopt') return done;
      return step((record) => ({
        step: 'adopt',
        isRetry,
        isDone: () => record.use === 'deployed',
        finish: () => {
          record.use = 'deployed';
          record.image = deployment?.image?.url;
        },
      }));
    },
    async inspect({ isRetry, isRefresh, isForced }) {
      const outcome = await step((record) => ({
        step: 'inspect',
        isRetry,
        isForced,
        isDone: () => record.isInspected && !isRefresh,
        finish: () => {
          record.isInspected = true;
        },
      }));
      return outcome.kind === 'done' ? { kind: 'done', value: hardwareOf() } : outcome;
    },
    readInventory: () =>
      withRecord((record) => ({ kind: 'done', value: record.isInspected ? hardwareOf() : undefined })),
    look: () =>
      withRecord((record) => ({
        kind: 'done',
        value: { isPoweredOn: record.isPoweredOn, maintenance: record.maintenance, health: 'OK' },
      })),
    prepare: async (order) => {
      if (host.bmc === undefined && order.isWanted && hasWork(order)) return noChange;
      return step((record) => ({
        step: 'prepare',
        isRetry: order.isRetry,
        isDone: () => record.isAvailable && !(order.isWanted && hasWork(order)),
        finish: () => {
          if (order.isWanted) applyFirmware(record, order, behaviour.clock.now());
          record.isAvailable = true;
        },
      }));
    },
    service: (order) => withRecord((record) => serviceDemo(behaviour, host, record, order)),
    provision: ({ isRetry, isForced, deployment }) =>
      step((record) => ({
        step: 'provision',
        isRetry,
        isForced,
        isDone: () => record.use === 'deployed',
        finish: () => {
          record.use = 'deployed';
          record.image = deployment.image?.url;
          record.isPoweredOn = true;
        },
      })),
    deprovision: async ({ isRetry, attempted }) => {
      const runs = records.find(host)?.image;
      if (attempted !== undefined && runs !== undefined && runs !== attempted.image?.url) return runsAnother;
      return step((record) => ({
        step: 'deprovision',
        isRetry,
        endsOthers: true,
        isDone: () => record.use === 'unused',
        finish: () => {
          record.use = 'unused';
          record.image = undefined;
          record.isAvailable = true;
          // Nobody can switch a machine off whose BMC is not known.
          if (host.bmc !== undefined) record.isPoweredOn = false;
        },
      }));
    },
    setPower: (order) => step((record) => powerStep(host, record, order)),
    async detach() {
      records.remove(host);
      return done;
    },
    async remove() {
      records.remove(host);
      return done;
    },
    readFirmwareSettings: () =>
      withRecord((record) => ({
        kind: 'done',
        value: {
          settings:
            record.settings === undefined ? demoSettings : { ...demoSettings, ...Object.fromEntries(record.settings) },
          schema: demoSchema,
          vendor: 'Demo',
          model: 'Rack Server',
        },
      })),
    readFirmwareComponents: () => withRecord((record) => ({ kind: 'done', value: componentsOf(record) })),
    attachDataImage: ({ url, isRetry }) =>
      step((record) => ({
        step: 'data image',
        isRetry,
        isDone: () => record.dataImage !== undefined,
        finish: () => {
          record.dataImage = url;
        },
      })),
    detachDataImage: ({ isRetry }) =>
      step((record) => ({
        step: 'data image',
        isRetry,
        isDone: () => record.dataImage === undefined,
        finish: () => {
          record.dataImage = undefined;
        },
      })),
    setMaintenance: (reason) =>
      withRecord((record) => {
        record.maintenance = reason;
        return done;
      }),
  };
}

/** A host that is registered may be a machine that came by itself before: then that is known of it already. */
function recognise(records: DemoRecords, host: HostIdentity): DemoRecord {
  const arrival = records.arrival(host);
  if (arrival === undefined || arrival.owner !== undefined) return createRecord(host);
  const record = { ...createRecord(host), id: arrival.machine.id };
  takeIn(record);
  return record;
}

/** A machine that came by itself is on, and has told what it is made of. */
function takeIn(record: DemoRecord): void {
  record.isInspected = true;
  record.isPoweredOn = true;
}

const noChange = withoutBmc('RAID, BIOS settings and firmware cannot be changed');

function hasWork(order: {
  readonly raid?: unknown;
  readonly settings?: object | undefined;
  readonly updates?: readonly unknown[] | undefined;
}): boolean {
  return order.raid !== undefined || Object.keys(order.settings ?? {}).length > 0 || (order.updates ?? []).length > 0;
}

function powerStep(host: HostIdentity, record: DemoRecord, order: PowerOrder): StepOrder {
  const isReboot = order.target === 'reboot' || (order.target === 'off' && host.isPowerOffDisabled);
  const isOn = isReboot || order.target === 'on';
  return {
    step: 'power',
    isRetry: order.isRetry,
    isForced: order.isForced,
    isDone: () => !isReboot && record.isPoweredOn === isOn,
    finish: () => {
      record.isPoweredOn = isOn;
    },
  };
}

function componentsOf(record: DemoRecord): readonly FirmwareComponentSeen[] {
  return Object.entries(demoComponents).map(([component, initialVersion]) => {
    const flashed = record.components?.get(component);
    if (flashed === undefined) return { component, initialVersion, currentVersion: initialVersion };
    const updatedAt = new Date(flashed.atMs).toISOString().replace(/\.\d+Z$/, 'Z');
    const { version } = flashed;
    return { component, initialVersion, currentVersion: version, lastVersionFlashed: version, updatedAt };
  });
}

import type { JsonObject } from '../redfish/route.ts';

/** What steps are for: Ironic asks for each kind by itself. */
export type StepKind = 'clean' | 'deploy' | 'service';

interface AgentStep {
  readonly step: string;
  /** Automatic ones run from high to low; those with 0 only when asked for. */
  readonly priority: number;
}

/** What a step does to the host. */
export type StepWork = 'write-image' | 'erase-disks' | 'exercise';

const hardwareManager = 'GenericHardwareManager';

/** Versions that Ironic hands back with each step, so that an agent that changed meanwhile is noticed. */
export const managerVersions = { generic_hardware_manager: '1.2' } as const;

const steps: Readonly<Record<StepKind, readonly AgentStep[]>> = {
  clean: [
    { step: 'erase_devices_metadata', priority: 99 },
    { step: 'erase_devices', priority: 10 },
    { step: 'burnin_cpu', priority: 0 },
    { step: 'burnin_memory', priority: 0 },
  ],
  deploy: [
    { step: 'write_image', priority: 0 },
    { step: 'erase_devices_metadata', priority: 0 },
  ],
  service: [
    { step: 'burnin_cpu', priority: 0 },
    { step: 'burnin_memory', priority: 0 },
  ],
};

const works: Readonly<Record<string, StepWork>> = {
  write_image: 'write-image',
  erase_devices: 'erase-disks',
  erase_devices_metadata: 'erase-disks',
  burnin_cpu: 'exercise',
  burnin_memory: 'exercise',
};

/** The steps of a kind, as an agent lists them. */
export function listSteps(kind: StepKind): JsonObject {
  const listed = steps[kind].map((each) => ({
    ...each,
    interface: 'deploy',
    reboot_requested: false,
    abortable: true,
  }));
  return { [`${kind}_steps`]: { [hardwareManager]: listed }, hardware_manager_version: { ...managerVersions } };
}

/** What a step of a kind does; undefined for one that the agent does not have. */
export function workOfStep(kind: StepKind, name: string): StepWork | undefined {
  return steps[kind].some(({ step }) => step === name) ? works[name] : undefined;
}

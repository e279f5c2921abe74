import type { FirmwareSettings, FirmwareUpdate } from '../../provisioner.ts';

/** A step of cleaning or servicing. */
export interface NodeStep {
  readonly interface: 'bios' | 'firmware' | 'raid' | 'deploy';
  readonly step: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What is to be changed in firmware. */
export interface FirmwareChange {
  readonly settings?: FirmwareSettings | undefined;
  readonly updates?: readonly FirmwareUpdate[] | undefined;
}

/**
 * The steps that set BIOS settings and then update firmware; none where nothing is to be changed. Each component has a step
 * of its own: one that fails says so of itself, and what comes before it is done.
 */
export function firmwareSteps({ settings = {}, updates = [] }: FirmwareChange): readonly NodeStep[] {
  const wanted = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const steps: NodeStep[] = [];
  if (wanted.length > 0) steps.push({ interface: 'bios', step: 'apply_configuration', args: { settings: wanted } });
  for (const { component, url } of updates) {
    steps.push({ interface: 'firmware', step: 'update', args: { settings: [{ component, url }] } });
  }
  return steps;
}

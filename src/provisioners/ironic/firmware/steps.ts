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

/** The steps that set BIOS settings and then update firmware; none where nothing is to be changed. */
export function firmwareSteps({ settings = {}, updates = [] }: FirmwareChange): readonly NodeStep[] {
  const wanted = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const steps: NodeStep[] = [];
  if (wanted.length > 0) steps.push({ interface: 'bios', step: 'apply_configuration', args: { settings: wanted } });
  if (updates.length > 0) {
    const chosen = updates.map(({ component, url }) => ({ component, url }));
    steps.push({ interface: 'firmware', step: 'update', args: { settings: chosen } });
  }
  return steps;
}

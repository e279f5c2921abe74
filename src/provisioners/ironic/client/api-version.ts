import { IronicError } from './ironic-error.ts';

/** What an Ironic can do beyond what every one can that is new enough. */
export interface IronicFeatures {
  /** The minor version to ask with. */
  readonly minor: number;
  /** Whether nodes in use can be changed. */
  readonly canService: boolean;
  readonly canReadVirtualMedia: boolean;
  readonly canDisablePowerOff: boolean;
  readonly hasHealth: boolean;
  readonly canAbortDeployment: boolean;
}

const oldestMinor = 86;
const serviceMinor = 87;
const attachMediaMinor = 89;
const virtualMediaMinor = 93;
const disablePowerOffMinor = 95;
const healthMinor = 109;
const abortDeploymentMinor = 110;

/** Versions that bring something we use; newer ones may answer differently, so they are not asked for. */
const usedMinors = [
  oldestMinor,
  serviceMinor,
  attachMediaMinor,
  virtualMediaMinor,
  disablePowerOffMinor,
  healthMinor,
  abortDeploymentMinor,
];

/** What to ask with when Ironic speaks up to this version. Throws `tooOld`. */
export function featuresOf(newest: string | undefined): IronicFeatures {
  const [major, theirs = 0] = (newest ?? '').split('.').map(Number);
  const minor = major === 1 ? usedMinors.findLast((each) => each <= theirs) : undefined;
  if (minor === undefined) {
    throw new IronicError(
      'tooOld',
      `it speaks API versions up to ${newest ?? 'none'}, and 1.${oldestMinor} (Ironic 23.1) is needed; upgrade it`,
    );
  }
  return {
    minor,
    canService: minor >= serviceMinor,
    canReadVirtualMedia: minor >= virtualMediaMinor,
    canDisablePowerOff: minor >= disablePowerOffMinor,
    hasHealth: minor >= healthMinor,
    canAbortDeployment: minor >= abortDeploymentMinor,
  };
}

import type { ComponentType } from '../images/component-type.ts';
import { dellLines } from './dell-idrac9/firmware.ts';
import { ilo5Lines } from './hpe-ilo5/firmware.ts';
import { ilo6Lines } from './hpe-ilo6/firmware.ts';
import { lenovoLines } from './lenovo-xcc/firmware.ts';
import { openbmcLines } from './openbmc/firmware.ts';
import type { ReleaseLine } from './parts/release-line.ts';
import type { Personality, PersonalityName } from './personality.ts';
import { supermicroLines } from './supermicro-x12/firmware.ts';

const linesOf: Readonly<Record<PersonalityName, readonly ReleaseLine[]>> = {
  'dell-idrac9': dellLines,
  'hpe-ilo5': ilo5Lines,
  'hpe-ilo6': ilo6Lines,
  'lenovo-xcc': lenovoLines,
  'supermicro-x12': supermicroLines,
  openbmc: openbmcLines,
};

/** A firmware image that exists for a model; what an image builder has to know of it. */
export interface AvailableFirmware {
  /** As the BMC checks it: ComputerSystem.Manufacturer. */
  readonly vendor: string;
  readonly models: readonly string[];
  readonly softwareId: string;
  readonly component: ComponentType;
  readonly name: string;
  readonly version: string;
  /** The day it came out: `2023-07-20`. */
  readonly releaseDate: string;
  /** True for the newest of its line, which no server has out of the box if there is an older one. */
  readonly isNewest: boolean;
}

/** All versions that can be had for one model, line by line, oldest first. */
export function availableFirmware(personality: Personality, model: string): readonly AvailableFirmware[] {
  return linesOf[personality.name]
    .filter((line) => line.isUpdateable !== false && (line.models === undefined || line.models.includes(model)))
    .flatMap((line) =>
      line.releases.map((release, at) => ({
        vendor: personality.manufacturer,
        models: line.models ?? personality.models,
        softwareId: line.softwareId,
        component: line.component,
        name: line.name,
        version: release.version,
        releaseDate: release.date,
        isNewest: at === line.releases.length - 1,
      })),
    );
}

import { excludeLabel, operationAnnotation, parkedAnnotation, retryOperation } from '../../api/index.ts';
import type { Explained } from './explain-server.ts';
import type { Advice } from './explanation.ts';

/** What somebody can type about what keeps a server. */
export function adviceFor(explained: Explained): readonly Advice[] {
  const advice = explained.plan.reasons.flatMap(({ code }) => adviceAbout(code, explained));
  return advice.filter(({ command }, at) => advice.findIndex((each) => each.command === command) === at);
}

function adviceAbout(code: string, { server, serverFirmware = server.name, plan }: Explained): Advice[] {
  const { group = '', reasons } = plan;
  switch (code) {
    case 'AttemptsExhausted':
      // What a group holds is not begun for a single server, whatever that is told.
      if (reasons.some((reason) => reason.code === 'GroupHalted' || reason.code === 'GroupPaused')) return [];
      return [
        {
          command: `rackwright annotate serverfirmware ${serverFirmware} ${operationAnnotation}=${retryOperation}`,
          purpose: 'try the same versions again',
        },
        { command: `rackwright edit serverfirmware ${serverFirmware}`, purpose: 'want other versions' },
      ];
    case 'GroupHalted':
      return [
        {
          command: `rackwright annotate serverfirmwaregroup ${group} ${operationAnnotation}=${retryOperation}`,
          purpose: 'let the group go on, and its servers that gave up try again',
        },
        { command: `rackwright describe serverfirmwaregroup ${group}`, purpose: 'see which servers failed' },
      ];
    case 'GroupPaused':
      return [{ command: `rackwright edit serverfirmwaregroup ${group}`, purpose: 'set spec.paused to false' }];
    case 'SelectorConflict':
      return [{ command: 'rackwright get serverfirmwaregroups -o yaml', purpose: 'compare the selectors' }];
    case 'ContradictoryEntries':
      return [{ command: `rackwright edit serverfirmware ${serverFirmware}`, purpose: 'keep one of the entries' }];
    case 'NoTarget':
      return [
        {
          command: `rackwright edit serverfirmware ${serverFirmware}`,
          purpose: 'declare versions in spec.firmwares, or create a ServerFirmwareGroup',
        },
      ];
    case 'FirmwareNotFound':
      return [{ command: 'rackwright get discoveredfirmwares -o yaml', purpose: 'see which versions can be had' }];
    default:
      return adviceAboutObjects(code, { server: server.name, serverFirmware, bmc: server.bmc });
  }
}

/** What can be done about the objects of a server. */
function adviceAboutObjects(
  code: string,
  { server, serverFirmware, bmc }: { server: string; serverFirmware: string; bmc: string | undefined },
): Advice[] {
  switch (code) {
    case 'Excluded':
      return [{ command: `rackwright label server ${server} ${excludeLabel}-`, purpose: 'take it in again' }];
    case 'BmcExcluded':
      return [{ command: `rackwright label bmc ${bmc} ${excludeLabel}-`, purpose: 'take its servers in again' }];
    case 'ServerParked':
      return [{ command: `rackwright annotate server ${server} ${parkedAnnotation}-`, purpose: 'end its parking' }];
    case 'ServerIgnored':
      return [{ command: `rackwright annotate server ${server} ${operationAnnotation}-`, purpose: 'end ignoring it' }];
    case 'DuplicateServer':
      return [
        { command: `rackwright delete serverfirmware ${serverFirmware}`, purpose: 'keep the older object alone' },
      ];
    case 'DuplicateMachine':
      return [{ command: `rackwright delete server ${server}`, purpose: 'keep the older Server alone' }];
    case 'ServerNotFound':
      return [{ command: 'rackwright get servers', purpose: 'see which Servers there are' }];
    case 'ScanFailed':
    case 'HardwareUnknown':
      return bmc === undefined
        ? []
        : [{ command: `rackwright describe bmc ${bmc}`, purpose: 'see whether it answers' }];
    default:
      return [];
  }
}

import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { InstallOrder } from '../firmware-update.ts';
import type { JsonObject } from '../json.ts';
import { barePath, listPaths, systemOf, textIn } from '../redfish/index.ts';
import { progressOfTask } from '../tasks/index.ts';
import { firstOffered, genericWays } from './generic.ts';
import { readAllTasks } from './read-all-tasks.ts';
import type { UpdateWays } from './update-ways.ts';

const bmcPreserve = { PreserveCfg: true, PreserveSdr: true, PreserveSsl: true } as const;

/** What a BIOS update keeps. Boards differ, and a member that a board does not know makes it refuse the update. */
const biosPreserve = {
  PreserveME: false,
  PreserveNVRAM: false,
  PreserveSMBIOS: true,
  PreserveOA: true,
  PreserveSETUPCONF: true,
  PreserveSETUPPWD: true,
  PreserveSECBOOTKEY: true,
  PreserveBOOTCONF: true,
} as const;

const biosPreserveByBoard: readonly (readonly [RegExp, JsonObject])[] = [
  [
    /^x12spo-ntf$/i,
    { PreserveME: false, PreserveNVRAM: false, PreserveSMBIOS: true, BackupBIOS: false, PreserveBOOTCONF: true },
  ],
];

/** Supermicro X12 and later. */
export const supermicroWays: UpdateWays = {
  ...genericWays,
  vendor: 'supermicro',
  chooseApplyTime: (_component, offered) => firstOffered(offered, ['OnStartUpdateRequest', 'Immediate', 'OnReset']),
  async defaultTargets(bmc, order) {
    if (order.component === 'bios') return [`${barePath((await systemOf(bmc)).path)}/Bios`];
    if (order.component !== 'bmc') throw targetsWanted(bmc, order);
    const { managers } = await bmc.root();
    const [manager] = managers === undefined ? [] : await listPaths(bmc, managers);
    return manager === undefined ? [] : [manager];
  },
  async oemFor(bmc, order) {
    if (order.component === 'bmc') return { Supermicro: { BMC: bmcPreserve } };
    return order.component === 'bios' ? { Supermicro: { BIOS: await preserveOf(bmc) } } : {};
  },
  checkBefore: refuseBesideAnother,
  adviceFor(error) {
    // The DCMS licence is asked for only when the update is; the BMC words it as a refusal.
    if (error.messageIds.some((id) => /licen[cs]e/i.test(id))) {
      return 'the server has no licence for updates by Redfish (SFT-DCMS-SINGLE): add it or update in another way';
    }
    return genericWays.adviceFor(error);
  },
};

/** Without targets the BMC refuses every image, and which of several parts is meant cannot be guessed. */
function targetsWanted(bmc: Bmc, order: InstallOrder): BmcError {
  return new BmcError('blocked', {
    origin: bmc.gate.origin,
    what: `take an image for ${order.component}`,
    detail: 'it must be told what the image is for: name the inventory entries as targets',
  });
}

async function preserveOf(bmc: Bmc): Promise<JsonObject> {
  const model = textIn((await systemOf(bmc)).body, 'Model') ?? '';
  return biosPreserveByBoard.find(([board]) => board.test(model))?.[1] ?? biosPreserve;
}

/** The BMC takes one image at a time: `BIOS Verify`, `BIOS Update` and the like are its tasks for them. */
async function refuseBesideAnother(bmc: Bmc, order: InstallOrder): Promise<void> {
  const what = `take an image for ${order.component}`;
  const tasks = await readAllTasks(bmc, what);
  const other = tasks.find((task) => {
    if (!/\b(?:verify|update)\b/i.test(task.name)) return false;
    const { kind } = progressOfTask(task);
    return kind === 'running' || kind === 'suspended';
  });
  if (other === undefined) return;
  throw new BmcError('blocked', {
    origin: bmc.gate.origin,
    what,
    detail: `task ${other.uri} (${other.name}) is ${other.state}; let it end`,
  });
}

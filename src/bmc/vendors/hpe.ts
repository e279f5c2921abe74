import type { Bmc } from '../bmc.ts';
import type { UpdateProgress } from '../firmware-update.ts';
import type { JsonObject } from '../json.ts';
import { numberIn, objectIn, textIn } from '../redfish/index.ts';
import { meaningOf } from '../tasks/index.ts';
import { firstOffered, genericWays } from './generic.ts';
import type { UpdateWays } from './update-ways.ts';

/** HPE iLO 5 and 6. */
export const hpeWays: UpdateWays = {
  ...genericWays,
  vendor: 'hpe',
  choosesParts: true,
  // The iLO decides by component when an image becomes active, and BIOS waits for the host in any case.
  chooseApplyTime: (_component, offered) => firstOffered(offered, ['Immediate', 'OnReset']),
  whyNoPush: (offer) =>
    offer.push !== undefined && /\/cgi-bin\//.test(offer.push.uri)
      ? 'the HttpPushUri of this iLO is a form of its web pages that wants the key of a session in it; serve the image from a URL and let the iLO pull it'
      : undefined,
  readServiceProgress: readIloProgress,
  // A ROM that is written shows nowhere until the host restarts, and the task of it is thrown away long before.
  mayHaveForgotten: async (bmc, sinceMs) =>
    sinceMs >= keptTaskMs && /^complete$/i.test(textIn(await readIloState(bmc), 'State') ?? ''),
};

/** How long an iLO keeps the task of an update that is over, at the least. */
const keptTaskMs = 60_000;

async function readIloState(bmc: Bmc): Promise<JsonObject> {
  const { updateService } = await bmc.root();
  if (updateService === undefined) return {};
  const { body } = await bmc.gate.request({ method: 'GET', path: updateService });
  return objectIn(body, 'Oem', 'Hpe');
}

/** The iLO tells the state of its flasher in UpdateService, also when it gave no task or threw it away. */
async function readIloProgress(bmc: Bmc): Promise<UpdateProgress | undefined> {
  const hpe = await readIloState(bmc);
  const state = textIn(hpe, 'State');
  if (state === undefined) return undefined;
  const percent = numberIn(hpe, 'FlashProgressPercent');
  const message = `the iLO's updater is ${state}`;
  if (/^(?:Uploading|Verifying|Writing|Updating|InProgress|ReadyToFlash)$/i.test(state)) {
    return { kind: 'running', percent, message };
  }
  if (!/^(?:Error|Failed)$/i.test(state)) return undefined;
  const id = textIn(objectIn(hpe, 'Result'), 'MessageId');
  const meaning = id === undefined ? undefined : (meaningOf(id) ?? id);
  const words = meaning === undefined ? message : `${message}: ${meaning}`;
  return { kind: 'failed', message: words, messageIds: id === undefined ? [] : [id] };
}

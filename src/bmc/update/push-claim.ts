import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { patchWithEtag } from '../gate/patch-with-etag.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject, memberIn } from '../redfish/index.ts';
import type { PushOffer, UpdateOffer } from '../update-offer.ts';

/** What is set in UpdateService before a raw push, which carries nothing but the image. */
export interface PushClaim {
  /** Gives back what was claimed; resolves with what went wrong with that, if anything. Never throws. */
  release(): Promise<string | undefined>;
}

const nothingToRelease: PushClaim = { release: async () => undefined };

/**
 * Claims the push where the BMC knows claims (Lenovo), names the targets and sets the applying time. Throws `blocked`
 * where somebody else has the claim.
 */
export async function claimPush(
  bmc: Bmc,
  offer: UpdateOffer,
  wish: { readonly targets: readonly string[]; readonly applyTime: string | undefined; readonly isForced: boolean },
): Promise<PushClaim> {
  const { push } = offer;
  if (push === undefined) return nothingToRelease;
  if (push.isBusy === true) throw claimedByOther(bmc);
  const settings = settingsFor(push, wish);
  if (Object.keys(settings).length === 0) return nothingToRelease;
  await claim(bmc, offer, settings);
  return push.isBusy === undefined ? nothingToRelease : releaseLater(bmc, offer, wish.targets.length > 0);
}

/** The settings steer where the next image goes, whoever pushes it: they are fenced like the push itself. */
async function claim(bmc: Bmc, offer: UpdateOffer, settings: JsonObject): Promise<void> {
  try {
    await patchWithEtag(bmc.gate, offer.path, settings, { isDisruptive: true });
  } catch (error) {
    if (!isBmcError(error, 'ambiguous')) throw error;
    const { body } = await bmc.gate.request({ method: 'GET', path: offer.path });
    if (isSet(settings, body)) return;
    throw new BmcError('blocked', {
      origin: bmc.gate.origin,
      what: 'take a push',
      detail: `the answer to its settings was lost, and it does not show them; nothing was pushed: try again later (${error.message})`,
    });
  }
}

function isSet(wanted: JsonValue | undefined, shown: JsonValue | undefined): boolean {
  if (!isJsonObject(wanted)) return JSON.stringify(wanted) === JSON.stringify(shown);
  return (
    isJsonObject(shown) && Object.keys(wanted).every((name) => isSet(memberIn(wanted, name), memberIn(shown, name)))
  );
}

function settingsFor(
  push: PushOffer,
  wish: { readonly targets: readonly string[]; readonly applyTime: string | undefined; readonly isForced: boolean },
): JsonObject {
  const settings: Record<string, JsonValue> = {};
  if (push.canNameTargets && wish.targets.length > 0) settings.HttpPushUriTargets = [...wish.targets];
  if (push.isBusy !== undefined) settings.HttpPushUriTargetsBusy = true;
  const options: Record<string, JsonValue> = {};
  if (wish.applyTime !== undefined && wish.applyTime !== push.applyTime) {
    options.HttpPushUriApplyTime = { ApplyTime: wish.applyTime };
  }
  if (wish.isForced) options.ForceUpdate = true;
  return Object.keys(options).length === 0 ? settings : { ...settings, HttpPushUriOptions: options };
}

function releaseLater(bmc: Bmc, offer: UpdateOffer, hasTargets: boolean): PushClaim {
  return {
    async release() {
      const settings = { HttpPushUriTargetsBusy: false, ...(hasTargets ? { HttpPushUriTargets: [] } : {}) };
      try {
        await patchWithEtag(bmc.gate, offer.path, settings, { isDisruptive: true });
        return undefined;
      } catch (error) {
        // The push is over either way; the claim is told of, so that somebody can take it back.
        if (!isBmcError(error)) throw error;
        return `the claim on HttpPushUriTargets could not be given back: ${error.message}`;
      }
    },
  };
}

function claimedByOther(bmc: Bmc): BmcError {
  return new BmcError('blocked', {
    origin: bmc.gate.origin,
    what: 'take a push',
    detail:
      'somebody has claimed it (HttpPushUriTargetsBusy is true): wait for the other update, or set it to false if there is none',
  });
}

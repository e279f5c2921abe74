import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import { patchWithEtag } from '../gate/patch-with-etag.ts';
import { booleanIn, linksIn, objectIn, type System, systemOf, textIn } from '../redfish/index.ts';

/** The light by which a machine is found in its rack. */
export type Indicator = 'lit' | 'blinking' | 'off' | 'unknown';

interface Light {
  readonly path: string;
  readonly state: Indicator;
  readonly form: 'LocationIndicatorActive' | 'IndicatorLED';
}

/** Reads the light. */
export async function readIndicator(bmc: Bmc): Promise<Indicator> {
  return (await findLight(bmc)).state;
}

/** Sets the light; a BMC that only knows on and off blinks as it is lit. Sends nothing when it is so already. */
export async function setIndicator(
  bmc: Bmc,
  wish: { readonly state: 'lit' | 'blinking' | 'off' },
): Promise<{ readonly wasSent: boolean }> {
  const light = await findLight(bmc);
  const isBoolean = light.form === 'LocationIndicatorActive';
  const wanted = isBoolean && wish.state === 'blinking' ? 'lit' : wish.state;
  if (light.state === wanted) return { wasSent: false };
  const words = { lit: 'Lit', blinking: 'Blinking', off: 'Off' } as const;
  await patchWithEtag(bmc.gate, light.path, { [light.form]: isBoolean ? wanted === 'lit' : words[wanted] });
  return { wasSent: true };
}

/** On the system, else on its chassis. */
async function findLight(bmc: Bmc): Promise<Light> {
  const system = await systemOf(bmc);
  const own = lightIn(system);
  if (own !== undefined) return own;
  for (const path of linksIn(objectIn(system.body, 'Links'), 'Chassis').slice(0, 4)) {
    const light = lightIn({ path, body: (await bmc.gate.request({ method: 'GET', path })).body });
    if (light !== undefined) return light;
  }
  const detail = `${system.path} and its chassis have none`;
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'show its indicator light', detail });
}

function lightIn({ path, body }: System): Light | undefined {
  const isActive = booleanIn(body, 'LocationIndicatorActive');
  if (isActive !== undefined) return { path, state: isActive ? 'lit' : 'off', form: 'LocationIndicatorActive' };
  const word = textIn(body, 'IndicatorLED');
  return word === undefined ? undefined : { path, state: stateOf(word), form: 'IndicatorLED' };
}

function stateOf(word: string): Indicator {
  const states: ReadonlyMap<string, Indicator> = new Map([
    ['Lit', 'lit'],
    ['Blinking', 'blinking'],
    ['Off', 'off'],
  ]);
  return states.get(word) ?? 'unknown';
}

import { type Bmc, ejectMedia, insertMedium, isBmcError, readPower, setBootOverride } from '../../../bmc/index.ts';
import type { Deployment, Deprovisioning, HostConfig, Outcome } from '../../provisioner.ts';
import type { HostRecord } from '../host-record.ts';
import { changeRecord, done, goesOn, refusedMedium, type Workplace, withFreeRecord } from '../workplace.ts';
import { beginPower, keyOf, letUpdateEnd, updateThatMinds } from './power.ts';

/** Why a deployment cannot be done here; undefined where it can. Nothing was done to the host by asking. */
export function whyNotDeployable(deployment: Deployment, config: HostConfig): string | undefined {
  const { image, customDeploy } = deployment;
  if (customDeploy !== undefined) return `the deploy method ${customDeploy.method} ${needsIronic}`;
  if (image?.format !== 'live-iso') {
    return `writing a disk image ${needsIronic}; without it a host can run a live ISO (image.format: live-iso)`;
  }
  if (Object.values(config).some((each) => (each ?? '') !== '')) {
    return `handing user, network or meta data to a host ${needsIronic}; put it into the ISO`;
  }
  return undefined;
}

const needsIronic = 'needs an Ironic, and this host is looked after by its BMC alone';

/** Lets a host run a live ISO from a virtual drive. */
export function provisionHost(
  place: Workplace,
  { deployment, config }: { readonly deployment: Deployment; readonly config: HostConfig },
): Promise<Outcome> {
  return withFreeRecord(place, async (record) => {
    const image = deployment.image?.url ?? '';
    if (record.use === 'deployed') return record.image === image ? done : runsAnother(record);
    const problem = whyNotDeployable(deployment, config);
    if (problem !== undefined) return { kind: 'failed', message: problem };
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    const name = `boot ${image}`;
    const begun = place.background.look(keyOf(place), name);
    if (begun.kind === 'going') return goesOn(place);
    if (begun.kind === 'failed') return { kind: 'failed', message: begun.message };
    if (begun.kind === 'done') {
      await changeRecord(place, (now) => ({ ...now, use: 'deployed', image }));
      return done;
    }
    const isOn = (await readPower(reached.bmc)).state === 'on';
    const writing = await letUpdateEnd(place, reached.bmc, updateThatMinds(!isOn));
    if (writing !== undefined) return writing;
    const refused = await refusedMedium(place, image);
    if (refused !== undefined) return refused;
    await insertMedium(reached.bmc, { image });
    await bootFromDrive(reached.bmc, deployment);
    beginPower(place, name, { target: isOn ? 'reset' : 'on' });
    return goesOn(place, true);
  });
}

function runsAnother({ image }: HostRecord): Outcome<never> {
  const what = image === undefined ? 'something that was installed before' : image;
  return { kind: 'failed', message: `it runs ${what}; deprovision it first`, isInUse: true };
}

/** At every boot where the BMC knows that, else at the next. */
async function bootFromDrive(bmc: Bmc, { bootMode }: Deployment): Promise<void> {
  const mode = bootMode === 'legacy' ? 'Legacy' : 'UEFI';
  try {
    await setBootOverride(bmc, { enabled: 'Continuous', target: 'Cd', mode });
  } catch (error) {
    if (!isBmcError(error, 'refused', 'unsupported')) throw error;
    await setBootOverride(bmc, { enabled: 'Once', target: 'Cd', mode });
  }
}

/** Takes the live ISO from a host and switches it off. Disks were never written, so there is nothing to clean. */
export function deprovisionHost(place: Workplace, { attempted }: Deprovisioning): Promise<Outcome> {
  return withFreeRecord(place, async (record) => {
    if (record.use === 'unused') return done;
    if (attempted !== undefined && record.image !== attempted.image?.url) return runsAnother(record);
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    const begun = place.background.look(keyOf(place), 'leave');
    if (begun.kind === 'going') return goesOn(place);
    if (begun.kind === 'failed') return { kind: 'failed', message: begun.message };
    if ((await readPower(reached.bmc)).state !== 'off' && !place.host.isPowerOffDisabled) {
      const writing = await letUpdateEnd(place, reached.bmc);
      if (writing !== undefined) return writing;
      beginPower(place, 'leave', { target: 'off' });
      return goesOn(place, true);
    }
    if (record.image !== undefined) await ejectMedia(reached.bmc);
    await setBootOverride(reached.bmc, { enabled: 'Disabled' });
    await changeRecord(place, ({ image: _, service: __, ...bare }) => ({ ...bare, use: 'unused' }));
    return done;
  });
}

import type { Outcome, Provisioner } from './provisioner.ts';

/** What is said where something needs the BMC of a host, and nobody has said where that is. */
export function withoutBmc(what: string): Outcome<never> {
  return { kind: 'failed', message: `${what} without its BMC, of which nothing is said; set spec.bmc` };
}

/** A provisioner for a machine that came by itself: all that needs its BMC is refused before anything is done. */
export function refuseBmcWork(provisioner: Provisioner): Provisioner {
  const refuse = (what: string) => async (): Promise<Outcome<never>> => withoutBmc(what);
  return {
    ...provisioner,
    register: refuse('a host cannot be registered'),
    inspect: refuse('a host cannot be inspected anew'),
    // What is to be given up was never begun without it.
    service: async (order) =>
      order.isSpecified ? withoutBmc('a host in use cannot be serviced') : provisioner.service(order),
    setPower: refuse('the power of a host cannot be switched'),
    readFirmwareSettings: refuse('the settings of a BIOS cannot be read'),
    readFirmwareComponents: refuse('the firmware of a host cannot be read'),
    attachDataImage: refuse('an image cannot be put into the virtual drive of a host'),
    detachDataImage: refuse('the virtual drive of a host cannot be emptied'),
  };
}

import type { SwitchFailure } from '../switch-result.ts';

// Interface names of all systems served: Ethernet1/1, ge-0/0/1.0, swp1s0, "ethernet 1/1/1". Nothing that a shell, YAML,
// Jinja or a command line of a switch could take for more than a name gets past this.
const portName = /^[A-Za-z0-9](?:[A-Za-z0-9._:/+@-]| (?=[0-9]))*$/;

/** Why a text is no name of a port, or undefined when it is one. */
export function whyNoPortName(port: string): SwitchFailure | undefined {
  if (port.length <= 128 && portName.test(port)) return undefined;
  return {
    kind: 'no-port',
    message: `${JSON.stringify(port.slice(0, 128))} is no name of a port: letters, digits and . _ : / + @ - are allowed`,
  };
}

import type { SwitchDevice, SwitchProviders } from '../../src/switches/index.ts';

/** How often switches were called, and for how many ports. */
export interface CallCounts {
  verify: number;
  read: number;
  apply: number;
  clear: number;
  /** Ports in all calls that read, and in all calls that change. */
  portsRead: number;
  portsChanged: number;
}

/** Counts what goes to switches of any kind. */
export function countCalls(providers: SwitchProviders): SwitchProviders & { readonly counts: CallCounts } {
  const counts: CallCounts = { verify: 0, read: 0, apply: 0, clear: 0, portsRead: 0, portsChanged: 0 };
  return {
    counts,
    open: (access) => counted(providers.open(access), counts),
    close: () => providers.close(),
  };
}

function counted(device: SwitchDevice, counts: CallCounts): SwitchDevice {
  return {
    ...device,
    verify(options) {
      counts.verify += 1;
      return device.verify(options);
    },
    readPorts(ports, options) {
      counts.read += 1;
      counts.portsRead += ports.length;
      return device.readPorts(ports, options);
    },
    apply(changes, options) {
      counts.apply += 1;
      counts.portsChanged += changes.length;
      return device.apply(changes, options);
    },
    clear(ports, options) {
      counts.clear += 1;
      counts.portsChanged += ports.length;
      return device.clear(ports, options);
    },
  };
}

import type { LldpNeighbour } from '../../switch-device.ts';
import type { RunnerTask, TaskResult } from '../runner-order.ts';

const reading = 'read who is plugged in';

interface Told {
  readonly chassisIdType?: string;
  readonly chassisId?: string;
  readonly systemName?: string;
  readonly neighborInterfaceInfo?: {
    readonly interfaceIdType?: string;
    readonly interfaceId?: string;
    /** The same without quotes, on newer releases. */
    readonly interfaceId_v2?: string;
  };
}

/** The task that asks EOS what it hears by LLDP. */
export function neighbourTask(keywords: Readonly<Record<string, unknown>>): RunnerTask {
  const args = { commands: ['show lldp neighbors detail | json'] };
  return { name: reading, module: 'arista.eos.eos_command', args, keywords };
}

/** What EOS hears on each port; throws where that is not what EOS says. */
export function neighboursIn(results: readonly TaskResult[]): readonly LldpNeighbour[] {
  const printed = results.find(({ name }) => name === reading)?.result.stdout;
  const [answer] = Array.isArray(printed) ? (printed as unknown[]) : [];
  // Ansible has taken JSON apart already, where it noticed that it is some.
  const told = (typeof answer === 'string' ? JSON.parse(answer) : answer) as {
    lldpNeighbors?: Record<string, { lldpNeighborInfo?: readonly Told[] }>;
  };
  if (typeof told?.lldpNeighbors !== 'object') throw new Error('there is no lldpNeighbors in it');
  return Object.entries(told.lldpNeighbors).flatMap(([port, { lldpNeighborInfo = [] }]) =>
    lldpNeighborInfo.map((each) => neighbourOf(port, each)),
  );
}

function neighbourOf(
  port: string,
  { chassisIdType, chassisId = '', systemName, neighborInterfaceInfo }: Told,
): LldpNeighbour {
  const { interfaceIdType, interfaceId = '', interfaceId_v2: plain } = neighborInterfaceInfo ?? {};
  const portId = plain ?? interfaceId.replaceAll(/^"|"$/g, '');
  return {
    port,
    chassisId: chassisIdType === 'macAddress' ? macOf(chassisId) : chassisId,
    portId: interfaceIdType === 'macAddress' ? macOf(portId) : portId,
    ...(systemName === undefined || systemName === '' ? {} : { systemName }),
  };
}

/** `001c.73a0.fc18` as `00:1c:73:a0:fc:18`. */
function macOf(text: string): string {
  const digits = text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');
  return digits.length === 12 ? (digits.match(/../g) ?? []).join(':') : text;
}

import { formatDetail } from './log-detail.ts';
import type { MediaDrives, Medium } from './machine.ts';
import type { MachineBody } from './machine-body.ts';

/** The virtual drives of one BMC; nothing is kept for empty ones. */
export class MediaSlots implements MediaDrives {
  readonly #machine: MachineBody;
  #media: Map<string, Medium> | undefined;

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  get hasMedium(): boolean {
    return this.#media !== undefined && this.#media.size > 0;
  }

  get(id: string): Medium | undefined {
    return this.#media?.get(id);
  }

  insert(id: string, medium: Medium): void {
    this.#media ??= new Map();
    this.#media.set(id, medium);
    this.#machine.log.add('media.insert', formatDetail({ id, path: pathOf(medium.image) }));
  }

  eject(id: string): boolean {
    const had = this.#media?.delete(id) ?? false;
    if (had) this.#machine.log.add('media.eject', `id=${id}`);
    return had;
  }

  /** What outlives the simulator; undefined when all drives are empty. */
  save(): Record<string, Medium> | undefined {
    return this.hasMedium ? Object.fromEntries(this.#media ?? []) : undefined;
  }

  restore(saved: Readonly<Record<string, Medium>>): void {
    this.#media = new Map(Object.entries(saved));
  }
}

/**
 * The path of an address: without user and query, where passwords and tokens are, and without host and port, which differ
 * from run to run while the log must not.
 */
export function pathOf(address: string): string {
  return address.replace(/^[a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
}

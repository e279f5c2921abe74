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
    this.#machine.log.add('media.insert', `id=${id} image=${withoutSecrets(medium.image)}`);
  }

  eject(id: string): boolean {
    const had = this.#media?.delete(id) ?? false;
    if (had) this.#machine.log.add('media.eject', `id=${id}`);
    return had;
  }
}

/** An address without the user part and the query, where passwords and tokens are. */
export function withoutSecrets(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*$/s, '');
}

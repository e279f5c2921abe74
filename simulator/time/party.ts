/** A wait inside the simulator for which a party's request is kept. */
export interface Hold {
  isCounted: boolean;
}

/** A workload that talks to one machine, and what it waits for. */
export class Party {
  readonly name: string;
  /** Workloads that run under this name. */
  strands = 0;
  #sleeping = 0;
  readonly #holds = new Set<Hold>();

  constructor(name: string) {
    this.name = name;
  }

  /** True while it may do something without time going on. */
  get isBusy(): boolean {
    return this.#sleeping + this.#holds.size < this.strands;
  }

  sleep(): void {
    this.#sleeping++;
  }

  wake(): void {
    this.#sleeping--;
  }

  hold(hold: Hold): void {
    this.#holds.add(hold);
  }

  release(hold: Hold): void {
    if (hold.isCounted) this.#holds.delete(hold);
    hold.isCounted = false;
  }

  /** A deadline passed: the client gives its request up and goes on, whatever the simulator still keeps for it. */
  releaseAll(): void {
    for (const hold of this.#holds) hold.isCounted = false;
    this.#holds.clear();
  }
}

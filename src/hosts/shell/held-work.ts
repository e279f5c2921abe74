import type { HostIdentity } from '../../provisioners/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { ExternalWork, Hold, HostName } from '../ports.ts';

/** What is held for hosts, with a memory. Holding and releasing do not throw: a round must not be lost by that. */
export interface HeldWork extends ExternalWork {
  /** Releases what could not be released before. */
  makeGood(host: HostName): Promise<void>;
  /** True while something could not be released. */
  isOwed(host: HostName): boolean;
  /** The host is gone: what is still held for it is released, and nothing is remembered of it. Throws if it cannot be. */
  forget(host: HostName): Promise<void>;
}

/** How long until it is tried again to hold or release something. */
export const holdAgainMs = 10_000;

const refused: Hold = {
  kind: 'refused',
  message: 'whether others work on its machine cannot be asked now; nothing is done to it before',
  afterMs: holdAgainMs,
};

/** Remembers what is held for which hosts, so that releasing at the end of every round costs nothing. */
export function createHeldWork(externalWork: ExternalWork, logger: Logger): HeldWork {
  const memory = createMemory(externalWork);

  const releaseByOwner = async (host: HostName): Promise<void> => {
    await externalWork.releaseOwner(host);
    memory.forget(host);
  };

  /** What was held under another name, or by somebody before, cannot be found by the name that the machine has now. */
  const releaseNow = async (host: HostIdentity): Promise<void> => {
    if (await memory.wasHeldBefore(host)) return releaseByOwner(host);
    const held = memory.held.get(keyOf(host));
    if (held === undefined) return;
    if (!isSameMachine(held, host)) return releaseByOwner(host);
    await externalWork.release(host);
    memory.forget(host);
  };

  const tryTo = async (host: HostName, release: () => Promise<void>): Promise<void> => {
    try {
      await release();
      memory.owed.delete(keyOf(host));
    } catch (error) {
      memory.owed.add(keyOf(host));
      logger.warn('the machine of a host could not be released; it is tried again', { key: keyOf(host), error });
    }
  };

  return {
    async hold(host, what) {
      try {
        const held = memory.held.get(keyOf(host));
        if (held !== undefined && !isSameMachine(held, host)) await releaseByOwner(host);
        memory.owed.delete(keyOf(host));
        memory.held.set(keyOf(host), host);
        return await externalWork.hold(host, what);
      } catch (error) {
        logger.warn('the machine of a host could not be held; it is tried again', { key: keyOf(host), error });
        return refused;
      }
    },
    release: (host) => tryTo(host, () => releaseNow(host)),
    releaseOwner: (host) => tryTo(host, () => releaseByOwner(host)),
    owners: () => externalWork.owners(),
    async makeGood(host) {
      if (memory.owed.has(keyOf(host))) await tryTo(host, () => releaseByOwner(host));
    },
    isOwed: (host) => memory.owed.has(keyOf(host)),
    async forget(host) {
      const key = keyOf(host);
      const isKnown = memory.held.has(key) || memory.owed.has(key);
      if (isKnown || (await memory.wasHeldBefore(host))) await releaseByOwner(host);
    },
  };
}

/** What is known to be held, and what is not known to be free. */
function createMemory(externalWork: ExternalWork) {
  const held = new Map<string, HostIdentity>();
  const owed = new Set<string>();
  // Whoever led before may have held something; what they did is asked for once, of all hosts.
  let before: Promise<Set<string>> | undefined;
  const readBefore = (): Promise<Set<string>> => {
    before ??= externalWork.owners().then((owners) => new Set(owners.map(keyOf)));
    before.catch(() => {
      before = undefined;
    });
    return before;
  };
  return {
    /** With the machine that was meant then. */
    held,
    /** Those that are to be released, which failed. */
    owed,
    wasHeldBefore: async (host: HostName): Promise<boolean> => (await readBefore()).has(keyOf(host)),
    forget(host: HostName): void {
      const key = keyOf(host);
      held.delete(key);
      owed.delete(key);
      void before?.then(
        (keys) => keys.delete(key),
        () => {},
      );
    },
  };
}

function isSameMachine(one: HostIdentity, other: HostIdentity): boolean {
  return one.bmc?.address === other.bmc?.address && one.bootMacAddress === other.bootMacAddress;
}

function keyOf({ namespace, name }: HostName): string {
  return `${namespace}/${name}`;
}

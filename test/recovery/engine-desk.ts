import type { Line } from './line-process.ts';
import type { AskedWork, DeskRequest, LeaseEvent, SeenCondition } from './work-order.ts';

/** Where a run asks for work and looks how it goes. */
export interface EngineDesk {
  create(target: string, orders: readonly AskedWork[]): Promise<void>;
  list(): Promise<readonly SeenCondition[]>;
  events(): Promise<readonly LeaseEvent[]>;
  /** Takes what the process behind it says. */
  hear(line: Line): void;
}

/** How long a process may take to answer before it is asked again: it may have been killed or stopped meanwhile. */
const againMs = 3000;

/** A desk in another process, which may be killed in the middle of an answer: what is not answered is asked again. */
export function createPipeDesk(send: (request: DeskRequest) => void): EngineDesk {
  const waiting = new Map<number, (line: Line) => void>();
  let ids = 0;
  const ask = async (request: DistributedOmit<DeskRequest, 'id'>): Promise<Line> => {
    for (;;) {
      ids += 1;
      const id = ids;
      const answered = new Promise<Line>((resolve) => waiting.set(id, resolve));
      send({ ...request, id });
      let timer: ReturnType<typeof setTimeout> | undefined;
      const over = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), againMs);
      });
      const answer = await Promise.race([answered, over]);
      clearTimeout(timer);
      waiting.delete(id);
      if (answer !== undefined && answer.error === undefined) return answer;
    }
  };
  return {
    async create(target, orders) {
      await ask({ ask: 'create', target, orders });
    },
    list: async () => (await ask({ ask: 'list' })).conditions as readonly SeenCondition[],
    events: async () => (await ask({ ask: 'events' })).events as readonly LeaseEvent[],
    hear(line) {
      if (line.say === 'answer') waiting.get(Number(line.id))?.(line);
    },
  };
}

type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

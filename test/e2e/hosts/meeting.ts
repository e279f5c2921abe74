/** A place where suites that share something wait for each other before it is taken away from all of them. */
export interface Meeting {
  /** Resolves once everybody who is still there has come here and the work was done, once for all. */
  meet(work: () => Promise<void>): Promise<void>;
  /** Nobody waits for one who has left. */
  leave(): void;
}

/** Makes a meeting of so many. Each round ends when all of them have come, or left. */
export function createMeeting(members: number): Meeting {
  let present = members;
  let round = { come: 0, work: async () => {}, done: Promise.withResolvers<void>() };
  const endRound = (): void => {
    if (round.come === 0 || round.come < present) return;
    const { work, done } = round;
    round = { come: 0, work: async () => {}, done: Promise.withResolvers<void>() };
    work().then(done.resolve, done.reject);
  };
  return {
    meet(work) {
      const { promise } = round.done;
      round.come += 1;
      round.work = work;
      endRound();
      return promise;
    },
    leave() {
      present -= 1;
      endRound();
    },
  };
}

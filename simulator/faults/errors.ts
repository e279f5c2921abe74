/** What is wrong with a text of fault rules, and where. */
export class BadFaults extends Error {
  /** Each problem with its place: `faults[2].kind: ...`. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the fault rules cannot be used: ${problems.join('; ')}`);
    this.name = 'BadFaults';
    this.problems = problems;
  }
}

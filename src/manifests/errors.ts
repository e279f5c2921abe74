/** Values that no installation can be made of. Every fault is a line of its message. */
export class ValuesError extends Error {
  override readonly name = 'ValuesError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(
      faults.length === 1
        ? `${faults[0]}`
        : `the values cannot be used:\n${faults.map((each) => `  ${each}`).join('\n')}`,
    );
    this.faults = faults;
  }
}

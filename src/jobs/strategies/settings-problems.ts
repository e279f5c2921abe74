/** A problem as a compiled schema tells it. */
interface SchemaProblem {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
}

const mostProblems = 20;

/** All that is wrong with the settings of a strategy, in words of somebody who wrote them. */
export function settingsProblems(given: unknown, problems: readonly SchemaProblem[]): readonly string[] {
  if (given === undefined) return ['there are none, and it needs some: name a file with --strategy-settings'];
  const told = problems.flatMap(({ keyword, instancePath, message }) => {
    // Each of them is told by itself.
    if (keyword === 'additionalProperties') return [];
    const what = keyword === 'boolean' ? 'is no setting that is known' : message;
    return [`${instancePath || 'the whole'} ${what}`];
  });
  return [...new Set(told)].slice(0, mostProblems);
}

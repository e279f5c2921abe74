import assert from 'node:assert/strict';
import { type LiveFigures, type LiveRunOptions, runLiveUpdates } from './run-live-updates.ts';

/** Runs live updates under fire, prints the figures, and holds them against what is promised. */
export async function prove(options: LiveRunOptions): Promise<LiveFigures> {
  const figures = await runLiveUpdates(options);
  console.log(JSON.stringify(figures));
  assert.deepEqual(figures.wrongEnds, [], 'every host ends OK, or in an error that names its cause');
  assert.deepEqual(figures.violations, [], 'the machines saw no change made twice');
  assert.equal(figures.updates, options.hosts * options.each);
  assert.equal(figures.kills, options.kills);
  assert.ok(figures.mostServicing <= options.limit, `${figures.mostServicing} hosts were serviced at once`);
  assert.ok(figures.mostWorkedOn <= options.limit, `${figures.mostWorkedOn} machines were worked on at once`);
  return figures;
}

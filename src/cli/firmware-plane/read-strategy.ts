import {
  enabledStrategy,
  isStrategyError,
  loadStrategy,
  type Strategy,
  type StrategyChoice,
} from '../../jobs/index.ts';
import { CliError } from '../errors.ts';

/** The strategy of an update service. */
export interface ChosenStrategy {
  readonly strategy: Strategy;
  /** What jobs outside this process load it by. */
  readonly told: { readonly name: string; readonly settings: unknown };
}

/** The strategy of `--strategy`. Throws a usage error for what is wrong with it. */
export async function readStrategy(choice: StrategyChoice): Promise<ChosenStrategy> {
  try {
    const strategy = await loadStrategy(choice);
    return { strategy, told: { name: enabledStrategy(choice), settings: choice.settings } };
  } catch (error) {
    if (!isStrategyError(error)) throw error;
    throw new CliError('usage', `--strategy: ${error.message}`, { cause: error });
  }
}

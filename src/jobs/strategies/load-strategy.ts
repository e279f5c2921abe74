import { type ImportPackage, isPackageName, importPackage as load } from '../import-package.ts';
import { bootImage } from './boot-image/boot-image.ts';
import { StrategyError } from './errors.ts';
import { redfish } from './redfish.ts';
import type { Strategy, StrategyFactory } from './strategy.ts';
import { vendorCli } from './vendor-cli/vendor-cli.ts';

/** The strategies that come with this package. */
export const builtInStrategies: readonly StrategyFactory[] = [redfish, vendorCli, bootImage];

/** Which strategy an instance works by. */
export interface StrategyChoice {
  /** Names of strategies or of packages; exactly one. */
  readonly enabled: readonly string[];
  /** What the strategy is told; it checks that itself. */
  readonly settings?: unknown;
  /** Those that need no package; `builtInStrategies` unless given. */
  readonly builtIn?: readonly StrategyFactory[];
  /** How packages are loaded; for tests. */
  readonly importPackage?: ImportPackage;
}

/**
 * Makes the one strategy of an instance. Throws `noStrategy`, `severalStrategies`, `unknownStrategy`, and `badStrategy` for
 * one that is no strategy or refuses its settings.
 */
export async function loadStrategy(choice: StrategyChoice): Promise<Strategy> {
  const { builtIn = builtInStrategies } = choice;
  const name = enabledStrategy(choice);
  const known = namesOf(builtIn);
  const factory = builtIn.find((one) => one.name === name) ?? (await importFactory(name, known, choice));
  return await create(factory, name, choice.settings);
}

/**
 * The name that the one strategy of an instance is loaded by: of a strategy in a package that of the package, which need
 * not be what the strategy calls itself. Throws `noStrategy` and `severalStrategies`.
 */
export function enabledStrategy({ enabled, builtIn = builtInStrategies }: StrategyChoice): string {
  const names = [...new Set(enabled.map((name) => name.trim()).filter((name) => name !== ''))];
  const [name] = names;
  if (name === undefined) throw new StrategyError('noStrategy', { known: namesOf(builtIn) });
  if (names.length > 1) {
    throw new StrategyError('severalStrategies', { count: names.length, names: names.join(', ') });
  }
  return name;
}

function namesOf(factories: readonly StrategyFactory[]): string {
  return factories.map(({ name }) => name).join(', ');
}

async function importFactory(name: string, known: string, { importPackage = load }: StrategyChoice) {
  if (!isPackageName(name)) {
    throw new StrategyError('unknownStrategy', { name, known, detail: 'it is no name of a package' });
  }
  let module: unknown;
  try {
    module = await importPackage(name);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new StrategyError('unknownStrategy', { name, known, detail }, { cause });
  }
  const { strategy } = Object(module) as { strategy?: unknown };
  const { name: called, create: make } = Object(strategy) as Partial<StrategyFactory>;
  if (typeof called !== 'string' || called === '' || typeof make !== 'function') {
    const detail = 'the package exports no `strategy` that was made with defineStrategy';
    throw new StrategyError('badStrategy', { name, detail });
  }
  return strategy as StrategyFactory;
}

async function create(factory: StrategyFactory, name: string, settings: unknown): Promise<Strategy> {
  let made: Strategy;
  try {
    made = await factory.create(settings);
  } catch (cause) {
    if (cause instanceof StrategyError) throw cause;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new StrategyError('badStrategy', { name, detail }, { cause });
  }
  const missing = (['update', 'scan'] as const).filter((each) => typeof Object(made)[each] !== 'function');
  if (missing.length > 0) {
    throw new StrategyError('badStrategy', { name, detail: `it has no function ${missing.join(' and no ')}` });
  }
  return made;
}

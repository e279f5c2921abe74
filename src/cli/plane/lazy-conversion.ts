import { createRequire } from 'node:module';
import { type ConverterFactory, renameOnly } from '../../apiserver/index.ts';
import { convertedGroups } from './converted-groups.ts';

type InProcessConversion = typeof import('./in-process-conversion.ts');

/**
 * Converts our kinds like `converterOfKinds`, but loads them only when the definition of one of them is there: their
 * declarations are a third of what an API server without them would hold.
 */
export function lazyConverterOfKinds(): ConverterFactory {
  let loaded: ConverterFactory | undefined;
  return (crd) => {
    if (!convertedGroups.has(crd.spec.group)) return renameOnly;
    loaded ??= load().converterOfKinds();
    return loaded(crd);
  };
}

/** Loads at once: whoever asks for a converter cannot wait. */
function load(): InProcessConversion {
  return createRequire(import.meta.url)('./in-process-conversion.ts') as InProcessConversion;
}

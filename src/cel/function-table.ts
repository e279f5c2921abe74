import { declareFunctions, type FunctionDeclaration } from './declarations.ts';
import { authorizerLibrary } from './libraries/authorizer.ts';
import { conversionLibrary } from './libraries/conversions.ts';
import { formatLibrary } from './libraries/formats.ts';
import { listEndLibrary, listLibrary, setLibrary, storedListLibrary } from './libraries/lists.ts';
import { networkLibrary } from './libraries/network.ts';
import { operatorLibrary } from './libraries/operators.ts';
import { optionalLibrary } from './libraries/optionals.ts';
import { quantityLibrary } from './libraries/quantity.ts';
import { findLibrary, matchLibrary } from './libraries/regex.ts';
import { semverLibrary } from './libraries/semver.ts';
import { stringExtensionLibrary, stringLibrary } from './libraries/strings.ts';
import { timeLibrary } from './libraries/times.ts';
import { urlLibrary } from './libraries/urls.ts';

const base = [
  operatorLibrary,
  conversionLibrary,
  stringLibrary,
  matchLibrary,
  timeLibrary,
  listLibrary,
  optionalLibrary,
  listEndLibrary,
  stringExtensionLibrary,
  findLibrary,
  setLibrary,
  urlLibrary,
  networkLibrary,
  quantityLibrary,
  semverLibrary,
  formatLibrary,
  authorizerLibrary,
];

/** What Kubernetes 1.34 accepts in an expression that is written now: what 1.33 could already run. */
export const newFunctions: ReadonlyMap<string, FunctionDeclaration> = declareFunctions(base);

/** What Kubernetes 1.34 understands in an expression that is already stored. */
export const storedFunctions: ReadonlyMap<string, FunctionDeclaration> = declareFunctions([...base, storedListLibrary]);

import type { Topic } from '../case.ts';
import { apply } from './apply.ts';
import { auth } from './auth.ts';
import { builtins } from './builtins.ts';
import { cel } from './cel.ts';
import { conversion } from './conversion.ts';
import { customResourceDefinitions } from './crds.ts';
import { crud } from './crud.ts';
import { deletion } from './deletion.ts';
import { builtInDetails } from './details.ts';
import { discovery } from './discovery.ts';
import { edges } from './edges.ts';
import { errors } from './errors.ts';
import { kubectl } from './kubectl.ts';
import { openapi } from './openapi.ts';
import { patch } from './patch.ts';
import { schema } from './schema.ts';
import { selectors } from './selectors.ts';
import { subresources } from './subresources.ts';
import { tables } from './table.ts';
import { watch } from './watch.ts';
import { webhooks } from './webhooks.ts';

/** Every topic, in the order in which reports list them. */
export const topics: readonly Topic[] = [
  discovery,
  openapi,
  builtins,
  builtInDetails,
  customResourceDefinitions,
  crud,
  patch,
  apply,
  subresources,
  schema,
  cel,
  deletion,
  selectors,
  watch,
  tables,
  webhooks,
  conversion,
  auth,
  errors,
  edges,
  kubectl,
];

import type { Topic } from '../case.ts';
import { admission } from './admission.ts';
import { apply } from './apply.ts';
import { auth } from './auth.ts';
import { builtins } from './builtins.ts';
import { cel } from './cel.ts';
import { columns } from './columns.ts';
import { commands } from './commands.ts';
import { conversion } from './conversion.ts';
import { customResourceDefinitions } from './crds.ts';
import { crud } from './crud.ts';
import { deletion } from './deletion.ts';
import { builtInDetails } from './details.ts';
import { discovery } from './discovery.ts';
import { edges } from './edges.ts';
import { encoding } from './encoding.ts';
import { errors } from './errors.ts';
import { garbage } from './garbage.ts';
import { kubectl } from './kubectl.ts';
import { openapi } from './openapi.ts';
import { ownership } from './ownership.ts';
import { patch } from './patch.ts';
import { rights } from './rights.ts';
import { celRules } from './rules.ts';
import { schema } from './schema.ts';
import { selectors } from './selectors.ts';
import { streams } from './streams.ts';
import { structure } from './structure.ts';
import { subresources } from './subresources.ts';
import { tables } from './table.ts';
import { tries } from './tries.ts';
import { versions } from './versions.ts';
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
  garbage,
  selectors,
  watch,
  tables,
  webhooks,
  conversion,
  auth,
  ownership,
  celRules,
  structure,
  versions,
  tries,
  columns,
  streams,
  admission,
  rights,
  encoding,
  errors,
  edges,
  kubectl,
  commands,
];

import type { Topic } from '../case.ts';
import { apply } from './apply.ts';
import { cel } from './cel.ts';
import { crud } from './crud.ts';
import { patch } from './patch.ts';
import { schema } from './schema.ts';
import { subresources } from './subresources.ts';

/** Every topic, in the order in which reports list them. */
export const topics: readonly Topic[] = [crud, patch, apply, subresources, schema, cel];

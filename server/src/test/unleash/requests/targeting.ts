import { A, CONSTRAINT, get, setup } from './given.ts';
import type { Request } from './step.ts';

/** Segments, types and tags. */
export const TARGETING_REQUESTS: Request[] = [
  // Segments
  get(`${A}/segments`),
  get(`${A}/segments/:id`, { params: { id: '{segment}' } }),
  get(`${A}/segments/:id/strategies`, { params: { id: '{segment}' } }),
  get(`${A}/segments/strategies/:strategyId`, { params: { strategyId: '{strategy}' } }),
  {
    operation: `POST ${A}/segments`,
    body: {
      name: 'segment-{unique}',
      description: 'A segment',
      project: 'default',
      constraints: [CONSTRAINT],
    },
  },
  {
    operation: `POST ${A}/segments`,
    body: { name: 'segment-a', constraints: [] },
    name: 'taken name',
    only: true,
  },
  { operation: `POST ${A}/segments/validate`, body: { name: 'segment-{unique}' } },
  { operation: `POST ${A}/segments/validate`, body: { name: 'segment-a' }, name: 'taken name', only: true },
  {
    operation: `POST ${A}/segments/strategies`,
    body: {
      projectId: 'default',
      strategyId: '{strategy}',
      environmentId: 'development',
      segmentIds: ['{segment}'],
    },
  },
  {
    operation: `PUT ${A}/segments/:id`,
    params: { id: '{segment}' },
    body: { name: 'segment-a', description: 'Changed', constraints: [CONSTRAINT] },
  },
  { operation: `DELETE ${A}/segments/:id`, params: { id: '{segment}' }, name: 'in use', only: true },
  {
    operation: `DELETE ${A}/segments/:id`,
    params: { id: '{unused}' },
    setupSteps: [
      {
        operation: `POST ${A}/segments`,
        body: { name: 'segment-{unique}', constraints: [] },
        keep: { unused: 'id' },
      },
    ],
  },

  // Strategy types, tags, feature types
  get(`${A}/strategies`),
  get(`${A}/strategies/:strategyName`, { params: { strategyName: 'flexibleRollout' } }),
  {
    operation: `POST ${A}/strategies`,
    body: {
      name: 'type-{unique}',
      title: 'A type',
      description: 'Custom',
      parameters: [{ name: 'region', type: 'string', description: 'Where', required: false }],
    },
  },
  ...setup({ operation: `POST ${A}/strategies`, body: { name: 'type-a', parameters: [] } }),
  {
    operation: `POST ${A}/strategies`,
    body: { name: 'type-a', parameters: [] },
    name: 'taken name',
    only: true,
  },
  {
    operation: `PUT ${A}/strategies/:strategyName`,
    params: { strategyName: 'type-a' },
    body: { name: 'type-a', description: 'Changed', parameters: [] },
  },
  { operation: `POST ${A}/strategies/:strategyName/deprecate`, params: { strategyName: 'type-a' } },
  { operation: `POST ${A}/strategies/:strategyName/reactivate`, params: { strategyName: 'type-a' } },
  {
    operation: `DELETE ${A}/strategies/:strategyName`,
    params: { strategyName: 'type-{unique}' },
    setupSteps: [{ operation: `POST ${A}/strategies`, body: { name: 'type-{unique}', parameters: [] } }],
  },
  get(`${A}/tags`),
  get(`${A}/tags/:type`, { params: { type: 'simple' } }),
  get(`${A}/tags/:type/:value`, { params: { type: 'simple', value: 'blue' } }),
  { operation: `POST ${A}/tags`, body: { type: 'simple', value: 'tag-{unique}' } },
  { operation: `POST ${A}/tags`, body: { type: 'simple', value: 'blue' }, name: 'taken name', only: true },
  {
    operation: `DELETE ${A}/tags/:type/:value`,
    params: { type: 'simple', value: 'tag-{unique}' },
    setupSteps: [{ operation: `POST ${A}/tags`, body: { type: 'simple', value: 'tag-{unique}' } }],
  },
  get(`${A}/tag-types`),
  {
    operation: `POST ${A}/tag-types`,
    body: { name: 'type-{unique}', description: 'A type', icon: 'T', color: '#ff0000' },
  },
  ...setup({ operation: `POST ${A}/tag-types`, body: { name: 'type-a', description: 'A type' } }),
  { operation: `POST ${A}/tag-types`, body: { name: 'type-a' }, name: 'taken name', only: true },
  get(`${A}/tag-types/:name`, { params: { name: 'type-a' } }),
  {
    operation: `POST ${A}/tag-types/validate`,
    body: { name: 'type-{unique}', description: 'A type', icon: 'T' },
  },
  { operation: `POST ${A}/tag-types/validate`, body: { name: 'type-a' }, name: 'taken name', only: true },
  {
    operation: `PUT ${A}/tag-types/:name`,
    params: { name: 'type-a' },
    body: { description: 'Changed', icon: 'T' },
  },
  {
    operation: `DELETE ${A}/tag-types/:name`,
    params: { name: 'type-{unique}' },
    setupSteps: [{ operation: `POST ${A}/tag-types`, body: { name: 'type-{unique}' } }],
  },
  get(`${A}/feature-types`),
  { operation: `PUT ${A}/feature-types/:id/lifetime`, params: { id: 'release' }, body: { lifetimeDays: 41 } },
];

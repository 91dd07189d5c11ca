import { ADMIN_PATH, CONSTRAINT, get, setup } from './given.ts';
import type { Request } from './step.ts';

/** Segments, types and tags. */
export const TARGETING_REQUESTS: Request[] = [
  // Segments
  get(`${ADMIN_PATH}/segments`),
  get(`${ADMIN_PATH}/segments/:id`, { params: { id: '{segment}' } }),
  get(`${ADMIN_PATH}/segments/:id/strategies`, { params: { id: '{segment}' } }),
  get(`${ADMIN_PATH}/segments/strategies/:strategyId`, { params: { strategyId: '{strategy}' } }),
  {
    operation: `POST ${ADMIN_PATH}/segments`,
    body: {
      name: 'segment-{unique}',
      description: 'A segment',
      project: 'default',
      constraints: [CONSTRAINT],
    },
  },
  {
    operation: `POST ${ADMIN_PATH}/segments`,
    body: { name: 'segment-a', constraints: [] },
    name: 'taken name',
    only: true,
  },
  { operation: `POST ${ADMIN_PATH}/segments/validate`, body: { name: 'segment-{unique}' } },
  {
    operation: `POST ${ADMIN_PATH}/segments/validate`,
    body: { name: 'segment-a' },
    name: 'taken name',
    only: true,
  },
  {
    operation: `POST ${ADMIN_PATH}/segments/strategies`,
    body: {
      projectId: 'default',
      strategyId: '{strategy}',
      environmentId: 'development',
      segmentIds: ['{segment}'],
    },
  },
  {
    operation: `PUT ${ADMIN_PATH}/segments/:id`,
    params: { id: '{segment}' },
    body: { name: 'segment-a', description: 'Changed', constraints: [CONSTRAINT] },
  },
  { operation: `DELETE ${ADMIN_PATH}/segments/:id`, params: { id: '{segment}' }, name: 'in use', only: true },
  {
    operation: `DELETE ${ADMIN_PATH}/segments/:id`,
    params: { id: '{unused}' },
    setupSteps: [
      {
        operation: `POST ${ADMIN_PATH}/segments`,
        body: { name: 'segment-{unique}', constraints: [] },
        keep: { unused: 'id' },
      },
    ],
  },

  // Strategy types, tags, feature types
  get(`${ADMIN_PATH}/strategies`),
  get(`${ADMIN_PATH}/strategies/:strategyName`, { params: { strategyName: 'flexibleRollout' } }),
  {
    operation: `POST ${ADMIN_PATH}/strategies`,
    body: {
      name: 'type-{unique}',
      title: 'A type',
      description: 'Custom',
      parameters: [{ name: 'region', type: 'string', description: 'Where', required: false }],
    },
  },
  ...setup({ operation: `POST ${ADMIN_PATH}/strategies`, body: { name: 'type-a', parameters: [] } }),
  {
    operation: `POST ${ADMIN_PATH}/strategies`,
    body: { name: 'type-a', parameters: [] },
    name: 'taken name',
    only: true,
  },
  {
    operation: `PUT ${ADMIN_PATH}/strategies/:strategyName`,
    params: { strategyName: 'type-a' },
    body: { name: 'type-a', description: 'Changed', parameters: [] },
  },
  { operation: `POST ${ADMIN_PATH}/strategies/:strategyName/deprecate`, params: { strategyName: 'type-a' } },
  { operation: `POST ${ADMIN_PATH}/strategies/:strategyName/reactivate`, params: { strategyName: 'type-a' } },
  {
    operation: `DELETE ${ADMIN_PATH}/strategies/:strategyName`,
    params: { strategyName: 'type-{unique}' },
    setupSteps: [
      { operation: `POST ${ADMIN_PATH}/strategies`, body: { name: 'type-{unique}', parameters: [] } },
    ],
  },
  get(`${ADMIN_PATH}/tags`),
  get(`${ADMIN_PATH}/tags/:type`, { params: { type: 'simple' } }),
  get(`${ADMIN_PATH}/tags/:type/:value`, { params: { type: 'simple', value: 'blue' } }),
  { operation: `POST ${ADMIN_PATH}/tags`, body: { type: 'simple', value: 'tag-{unique}' } },
  {
    operation: `POST ${ADMIN_PATH}/tags`,
    body: { type: 'simple', value: 'blue' },
    name: 'taken name',
    only: true,
  },
  {
    operation: `DELETE ${ADMIN_PATH}/tags/:type/:value`,
    params: { type: 'simple', value: 'tag-{unique}' },
    setupSteps: [{ operation: `POST ${ADMIN_PATH}/tags`, body: { type: 'simple', value: 'tag-{unique}' } }],
  },
  get(`${ADMIN_PATH}/tag-types`),
  {
    operation: `POST ${ADMIN_PATH}/tag-types`,
    body: { name: 'type-{unique}', description: 'A type', icon: 'T', color: '#ff0000' },
  },
  ...setup({ operation: `POST ${ADMIN_PATH}/tag-types`, body: { name: 'type-a', description: 'A type' } }),
  { operation: `POST ${ADMIN_PATH}/tag-types`, body: { name: 'type-a' }, name: 'taken name', only: true },
  get(`${ADMIN_PATH}/tag-types/:name`, { params: { name: 'type-a' } }),
  {
    operation: `POST ${ADMIN_PATH}/tag-types/validate`,
    body: { name: 'type-{unique}', description: 'A type', icon: 'T' },
  },
  {
    operation: `POST ${ADMIN_PATH}/tag-types/validate`,
    body: { name: 'type-a' },
    name: 'taken name',
    only: true,
  },
  {
    operation: `PUT ${ADMIN_PATH}/tag-types/:name`,
    params: { name: 'type-a' },
    body: { description: 'Changed', icon: 'T' },
  },
  {
    operation: `DELETE ${ADMIN_PATH}/tag-types/:name`,
    params: { name: 'type-{unique}' },
    setupSteps: [{ operation: `POST ${ADMIN_PATH}/tag-types`, body: { name: 'type-{unique}' } }],
  },
  get(`${ADMIN_PATH}/feature-types`),
  {
    operation: `PUT ${ADMIN_PATH}/feature-types/:id/lifetime`,
    params: { id: 'release' },
    body: { lifetimeDays: 41 },
  },
];

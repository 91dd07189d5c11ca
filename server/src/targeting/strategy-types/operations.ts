import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { checkParameters, createStrategyType } from './create.ts';
import { removeStrategyType } from './delete.ts';
import { NewStrategyType, StrategyType, StrategyTypeList, StrategyTypeUpdate } from './schema.ts';
import { findStrategyType, listStrategyTypes } from './store.ts';
import { changeStrategyType, deprecateStrategyType } from './update.ts';
import { VERSIONED_STRATEGY_TYPE } from './version.ts';

const params = Type.Object({
  strategyName: Type.String({ description: 'Name of the strategy type', examples: ['byCountry'] }),
});

export const STRATEGY_TYPES: OperationModule = {
  tag: 'Strategies',
  schemas: [StrategyType, StrategyTypeList],
  operations: [
    query({
      id: 'getStrategyTypes',
      route: 'GET /api/admin/strategies',
      summary: 'List strategy types',
      description: 'Returns all strategy types: the built-in ones first, then the others by name.',
      permission: 'NONE',
      output: jsonResponse('The strategy types', StrategyTypeList),
      read: async ({ db }) => ({ version: 1, strategies: await listStrategyTypes(db) }),
    }),
    query({
      id: 'getStrategyType',
      route: 'GET /api/admin/strategies/:strategyName',
      summary: 'Get a strategy type',
      description: 'Returns one strategy type with its parameters.',
      permission: 'NONE',
      params,
      output: jsonResponse('The strategy type', StrategyType),
      versioned: VERSIONED_STRATEGY_TYPE,
      read: async ({ db }, { params: { strategyName } }) => {
        const strategyType = await findStrategyType(db, strategyName);
        if (!strategyType) throw notFound(`Strategy type "${strategyName}"`);
        return strategyType;
      },
    }),
    command({
      id: 'createStrategyType',
      route: 'POST /api/admin/strategies',
      summary: 'Create a strategy type',
      description: 'Creates a strategy type. Applications that use the type must implement it in their SDK.',
      permission: ['CREATE_STRATEGY'],
      body: NewStrategyType,
      output: jsonResponse('The new strategy type', StrategyType),
      status: 201,
      rejects: [409],
      checks: [({ body }) => void checkParameters(body.parameters ?? [])],
      events: ['strategy-created'],
      run: (current, { body }) => createStrategyType(current, body),
    }),
    command({
      id: 'updateStrategyType',
      route: 'PUT /api/admin/strategies/:strategyName',
      summary: 'Update a strategy type',
      description: 'Changes the given fields. Built-in types are rejected with 403.',
      permission: ['UPDATE_STRATEGY'],
      params,
      body: StrategyTypeUpdate,
      output: jsonResponse('The strategy type', StrategyType),
      checks: [({ body }) => void checkParameters(body.parameters ?? [])],
      events: ['strategy-updated'],
      precondition: ({ params: { strategyName } }) => requireUnchanged(VERSIONED_STRATEGY_TYPE, strategyName),
      run: (current, { params: { strategyName }, body }) => changeStrategyType(current, strategyName, body),
    }),
    command({
      id: 'deleteStrategyType',
      route: 'DELETE /api/admin/strategies/:strategyName',
      summary: 'Delete a strategy type',
      description:
        'Permanently deletes a strategy type. Built-in types, and types that a feature or a default strategy uses, are rejected with 403.',
      permission: ['DELETE_STRATEGY'],
      params,
      events: ['strategy-deleted'],
      precondition: ({ params: { strategyName } }) => requireUnchanged(VERSIONED_STRATEGY_TYPE, strategyName),
      run: (current, { params: { strategyName } }) => removeStrategyType(current, strategyName),
    }),
    command({
      id: 'deprecateStrategyType',
      route: 'POST /api/admin/strategies/:strategyName/deprecate',
      summary: 'Deprecate a strategy type',
      description: 'Marks a strategy type as deprecated: new strategies should not use it.',
      permission: ['UPDATE_STRATEGY'],
      params,
      events: ['strategy-deprecated'],
      run: (current, { params: { strategyName } }) => deprecateStrategyType(current, strategyName, true),
    }),
    command({
      id: 'reactivateStrategyType',
      route: 'POST /api/admin/strategies/:strategyName/reactivate',
      summary: 'Reactivate a strategy type',
      description: 'Unmarks a strategy type as deprecated.',
      permission: ['UPDATE_STRATEGY'],
      params,
      events: ['strategy-reactivated'],
      run: (current, { params: { strategyName } }) => deprecateStrategyType(current, strategyName, false),
    }),
  ],
};

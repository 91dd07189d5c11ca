import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import { requireKey } from '../../platform/secrets/require-key.ts';
import type { Change } from '../../record/change.ts';
import { unblock } from '../order.ts';
import { type IntegrationSettings, toEventData } from './create.ts';
import type { Integration, IntegrationInput } from './schema.ts';
import { maskIntegration, readParameters, sealParameters } from './sealed.ts';
import { lockIntegration, replaceIntegration } from './store.ts';
import { validateIntegration } from './validate.ts';
import { findFilterViolations, mergeProjects, viewFor } from './visibility.ts';

/**
 * Updates an integration. Absent filters and settings keep their values, so an absent filter never widens the set of delivered
 * events. An update without a change writes nothing.
 */
export async function updateIntegration(
  current: Change,
  settings: IntegrationSettings,
  id: number,
  input: IntegrationInput,
): Promise<Integration> {
  const { tx, actor, record } = current;
  requireKey(settings.keyring);
  const rowBefore = await lockIntegration(tx, id);
  const visibleBefore = rowBefore && (await viewFor(tx, actor, [rowBefore]))(rowBefore);
  if (!rowBefore || !visibleBefore) throw notFound(`Integration ${id}`);
  if (input.provider !== rowBefore.provider) {
    throw badData([
      {
        message: `provider cannot be changed from "${rowBefore.provider}". Create a new integration.`,
        path: '/body/provider',
      },
    ]);
  }
  const storedParameters = readParameters(settings.keyring, rowBefore);
  const { provider, parameters, ...filters } = validateIntegration(
    {
      ...input,
      projects: input.projects ?? rowBefore.projects,
      environments: input.environments ?? rowBefore.environments,
      filter: input.filter === undefined ? rowBefore.filter : input.filter,
    },
    settings.targets,
    { parameters: storedParameters },
    await findFilterViolations(tx, actor, input, rowBefore),
  );
  const projects = await mergeProjects(tx, actor, filters.projects, rowBefore.projects);
  const newFields = {
    description: input.description === undefined ? rowBefore.description : input.description,
    enabled: input.enabled,
    ...filters,
    projects,
    eventsWithoutProject: input.eventsWithoutProject ?? rowBefore.eventsWithoutProject,
    ordered: input.ordered ?? rowBefore.ordered,
    whenExhausted: input.whenExhausted ?? rowBefore.whenExhausted,
  };
  if (
    isDeepStrictEqual({ ...rowBefore, ...newFields }, rowBefore) &&
    isDeepStrictEqual(parameters, storedParameters)
  ) {
    return maskIntegration(settings.keyring, visibleBefore);
  }

  const rowAfter = await replaceIntegration(tx, id, {
    provider: provider.name,
    ...newFields,
    ...sealParameters(settings.keyring, id, provider, parameters),
  });
  if (!newFields.ordered || newFields.whenExhausted === 'skip') await unblock(current, id);
  const changedSecrets = provider.parameters
    .filter(({ name, sensitive }) => sensitive && parameters[name] !== storedParameters?.[name])
    .map(({ name }) => name);
  record({
    type: 'addon-config-updated',
    // Lists the names of the changed secrets, because all masks look the same.
    data: {
      ...toEventData(maskIntegration(settings.keyring, rowAfter)),
      ...(changedSecrets.length > 0 ? { changedSecrets } : {}),
    },
    preData: toEventData(maskIntegration(settings.keyring, rowBefore)),
  });
  return maskIntegration(settings.keyring, (await viewFor(tx, actor, [rowAfter]))(rowAfter) ?? rowAfter);
}

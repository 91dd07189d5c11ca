import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import { needsKey } from '../../platform/secrets/needs-key.ts';
import type { Change } from '../../record/change.ts';
import { unblock } from '../order.ts';
import { asEventData, type IntegrationSettings } from './create.ts';
import type { Integration, IntegrationInput } from './schema.ts';
import { masked, readParameters, sealParameters } from './sealed.ts';
import { lockIntegration, replaceIntegration } from './store.ts';
import { validateIntegration } from './validate.ts';
import { filterViolations, mergeProjects, viewFor } from './visibility.ts';

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
  needsKey(settings.keyring);
  const before = await lockIntegration(tx, id);
  const visibleBefore = before && (await viewFor(tx, actor, [before]))(before);
  if (!before || !visibleBefore) throw notFound(`Integration ${id}`);
  if (input.provider !== before.provider) {
    throw badData([
      {
        message: `provider cannot be changed from "${before.provider}". Create a new integration.`,
        path: '/body/provider',
      },
    ]);
  }
  const stored = readParameters(settings.keyring, before);
  const { provider, parameters, ...filters } = validateIntegration(
    {
      ...input,
      projects: input.projects ?? before.projects,
      environments: input.environments ?? before.environments,
      filter: input.filter === undefined ? before.filter : input.filter,
    },
    settings.targets,
    { parameters: stored },
    await filterViolations(tx, actor, input, before),
  );
  const projects = await mergeProjects(tx, actor, filters.projects, before.projects);
  const open = {
    description: input.description === undefined ? before.description : input.description,
    enabled: input.enabled,
    ...filters,
    projects,
    eventsWithoutProject: input.eventsWithoutProject ?? before.eventsWithoutProject,
    ordered: input.ordered ?? before.ordered,
    whenExhausted: input.whenExhausted ?? before.whenExhausted,
  };
  if (isDeepStrictEqual({ ...before, ...open }, before) && isDeepStrictEqual(parameters, stored)) {
    return masked(settings.keyring, visibleBefore);
  }

  const after = await replaceIntegration(tx, id, {
    provider: provider.name,
    ...open,
    ...sealParameters(settings.keyring, id, provider, parameters),
  });
  if (!open.ordered || open.whenExhausted === 'skip') await unblock(current, id);
  const changedSecrets = provider.parameters
    .filter(({ name, sensitive }) => sensitive && parameters[name] !== stored?.[name])
    .map(({ name }) => name);
  record({
    type: 'addon-config-updated',
    // All masks look alike, so the event lists the names of the changed secrets.
    data: {
      ...asEventData(masked(settings.keyring, after)),
      ...(changedSecrets.length > 0 ? { changedSecrets } : {}),
    },
    preData: asEventData(masked(settings.keyring, before)),
  });
  return masked(settings.keyring, (await viewFor(tx, actor, [after]))(after) ?? after);
}

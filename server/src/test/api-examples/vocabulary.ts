import { PROJECT_PATH, type Recorder } from './recorder.ts';

export async function vocabulary({ record, send }: Recorder): Promise<void> {
  await record('createEnvironment', 'POST', '/api/admin/environments', { name: 'staging', type: 'test' });
  await record('updateEnvironment', 'PUT', '/api/admin/environments/update/staging', { sortOrder: 150 });
  await record('getEnvironment', 'GET', '/api/admin/environments/staging');
  await record('getEnvironments', 'GET', '/api/admin/environments');

  const type = {
    name: 'byCountry',
    description: 'Enabled for some countries',
    parameters: [{ name: 'countries', type: 'list', description: 'Country codes', required: true }],
  };
  await record('createStrategyType', 'POST', '/api/admin/strategies', type);
  await record('updateStrategyType', 'PUT', '/api/admin/strategies/byCountry', type);
  await record('getStrategyType', 'GET', '/api/admin/strategies/byCountry');
  await record('getStrategyTypes', 'GET', '/api/admin/strategies');

  await record('getFeatureTypes', 'GET', '/api/admin/feature-types');
  await record('getFeatureType', 'GET', '/api/admin/feature-types/release');
  await record('updateFeatureTypeLifetime', 'PUT', '/api/admin/feature-types/release/lifetime', {
    lifetimeDays: 60,
  });

  const values = [
    { value: 'SE', description: 'Sweden' },
    { value: 'NO', description: 'Norway' },
  ];
  const field = { name: 'country', description: 'Country of the customer', legalValues: values };
  await record('createContextField', 'POST', '/api/admin/context', field);
  await record('setLegalValue', 'POST', '/api/admin/context/country/legal-values', {
    value: 'DK',
    description: 'Denmark',
  });
  await record('deleteLegalValue', 'DELETE', '/api/admin/context/country/legal-values/DK');
  await record('updateContextField', 'PUT', '/api/admin/context/country', {
    description: 'Country of the customer',
    legalValues: values,
    stickiness: true,
  });
  await record('getContextFields', 'GET', '/api/admin/context');
  const plan = { name: 'plan', description: 'Plan of the customer', legalValues: [{ value: 'free' }] };
  await record('createProjectContextField', 'POST', `${PROJECT_PATH}/context`, plan);
  await record('setProjectLegalValue', 'POST', `${PROJECT_PATH}/context/plan/legal-values`, {
    value: 'trial',
  });
  await record('deleteProjectLegalValue', 'DELETE', `${PROJECT_PATH}/context/plan/legal-values/trial`);
  await record('updateProjectContextField', 'PUT', `${PROJECT_PATH}/context/plan`, {
    description: 'Plan of the customer',
    legalValues: [{ value: 'free' }, { value: 'business' }],
  });
  await record('getProjectContextField', 'GET', `${PROJECT_PATH}/context/plan`);
  await record('getProjectContextFields', 'GET', `${PROJECT_PATH}/context`);

  await record('createTagType', 'POST', '/api/admin/tag-types', { name: 'team', description: 'Owning team' });
  await record('updateTagType', 'PUT', '/api/admin/tag-types/team', { description: 'The owning team' });
  await record('getTagType', 'GET', '/api/admin/tag-types/team');
  await record('getTagTypes', 'GET', '/api/admin/tag-types');
  await record('validateTagType', 'POST', '/api/admin/tag-types/validate', { name: 'ticket' });
  await record('createTag', 'POST', '/api/admin/tags', { type: 'team', value: 'payments' });
  await send('POST', '/api/admin/projects/payments/environments', { environment: 'staging' });
}
